"""The report: what was run, the table, the pictures, and what does not speak for us."""

from collections.abc import Sequence
from math import inf, isfinite, isnan
from pathlib import Path

import numpy as np

from recrawl.files.whole import whole, whole_text
from recrawl.histories.last_years import DAYS_A_YEAR
from recrawl.paper.report.document import duration
from recrawl.paper.report.provenance import Provenance
from recrawl.real import plots
from recrawl.real.blocks import Block, Heading, Paragraph, Picture, Points, Table, as_html, as_markdown
from recrawl.real.found import ANY_RIVAL, BEST, RIVALS, Cell, Found
from recrawl.real.resampling import RESAMPLES
from recrawl.real.rivals import ADAPTIVE, NUTCH, SIGNALLED_FIRST, STORMCRAWLER, UNIFORM
from recrawl.real.settings import (
    DISCOVERY_DAYS,
    MAIN_IMPORTANCE,
    MAIN_SIGNALS,
    NO_SIGNALS,
    SIGNALS,
    WARMUP_SHARE,
    Settings,
)
from recrawl.real.stage import stage
from recrawl.real.trials import OURS, TOLD, TOLD_RATES

TITLE = "Real histories: how fresh each policy keeps the copies"
STALE, BANDWIDTH = "stale.png", "bandwidth.png"

FRESHNESS = (
    "Freshness is the share of the time that copies are fresh, weighted by importance: equal for all pages, or drawn "
    "from a Pareto distribution of index 1."
)
RIVALS_KNOW = (
    "Equal intervals, Nutch and StormCrawler know neither importance nor signals: that is how they are made. "
    "*Signalled first* crawls pages with a signal in their order, and else all in turn. With equal importance and no "
    "signals nobody is told anything."
)
AT_ITS_BEST = (
    "*At its best*: the best of 16 sets of constants for that very history, budget and importance, in hindsight."
)
TOLD_WHAT = (
    "*Told rates*: told the mean change rate of each page over all of the history, future included; *and signals*: "
    "also their precision and recall."
)

NAMES = {
    UNIFORM: "equal intervals",
    NUTCH: "Nutch",
    NUTCH + BEST: "Nutch at its best",
    STORMCRAWLER: "StormCrawler",
    STORMCRAWLER + BEST: "StormCrawler at its best",
    SIGNALLED_FIRST: "signalled first",
    OURS: "**recrawl, learning**",
    TOLD_RATES: "told rates",
    TOLD: "told rates and signals",
}


def write(folder: Path, origin: Provenance, found: Found, settings: Settings, seconds: float) -> None:
    """report.md, report.html and the two pictures."""
    main = chosen(found, MAIN_IMPORTANCE, MAIN_SIGNALS)
    pictures = {STALE: plots.stale(found, main), BANDWIDTH: plots.bandwidth(found, main)}
    for name, picture in pictures.items():
        with whole(folder / name) as file:
            file.write(picture)
    blocks = document(origin, found, settings, seconds, pictures)
    for name, text in (("report.md", as_markdown(blocks)), ("report.html", as_html(TITLE, blocks))):
        with whole_text(folder / name) as out:
            out.write(text)


def chosen(found: Found, importance: str, signals: str, moving: bool = False) -> list[Cell]:
    """The cells of one importance and quality of signals."""
    return [
        cell
        for cell in found.cells
        if (cell.importance, cell.signals, cell.setting.moving) == (importance, signals, moving)
    ]


def document(
    origin: Provenance, found: Found, settings: Settings, seconds: float, pictures: dict[str, bytes]
) -> list[Block]:
    """The report, block by block."""
    main = chosen(found, MAIN_IMPORTANCE, MAIN_SIGNALS)
    facts = [f"{name}: `{value}`" for name, value in origin.lines()]
    return [
        Heading(TITLE, 1),
        Points([*facts, f"time taken: {duration(seconds)}"]),
        *_setting(found, settings),
        Heading("The table"),
        Paragraph(f"Pareto importance, {_signals(MAIN_SIGNALS)}."),
        freshness_table(found, main),
        Picture(STALE, "Stale copies under each policy, by crawls a page and month", pictures[STALE]),
        *_verdict(found),
        Heading("Bandwidth for the same freshness"),
        Paragraph(
            "How many times our crawls a rival needs to be as fresh as we are, with 95% limits. *Any* is the best of "
            "equal intervals, Nutch and StormCrawler, at the constants that are best in hindsight at each budget."
        ),
        bandwidth_table(found, main),
        Picture(BANDWIDTH, "Crawls the best rival needs for the same freshness, over ours", pictures[BANDWIDTH]),
        *_other_cells(found),
        *_coming_and_going(found),
        *_constants(found, main),
    ]


def _setting(found: Found, settings: Settings) -> list[Block]:
    rows = []
    for setting in found.settings:
        if not setting.moving:
            history = stage(setting).history
            all_moving = stage(settings.setting(setting.stem, True))
            importance = np.sort(stage(setting).importance[MAIN_IMPORTANCE])[::-1]
            top = importance[: max(len(importance) // 100, 1)].sum() / importance.sum()
            rows.append(
                [
                    history.name,
                    f"{len(history):,}",
                    f"{len(history.change_times):,}",
                    f"{np.mean(history.counts == 0):.0%}",
                    f"{history.bulk.mean():.0%}",
                    f"{history.end:,.0f}",
                    f"{top:.0%}",
                    f"{len(all_moving.history):,}",
                ]
            )
    head = (
        "history",
        "pages there throughout",
        "their changes",
        "never changed",
        "in bulk edits",
        "days",
        "importance of the top 1%",
        "with those that come and go",
    )
    return [
        Heading("What was run"),
        Paragraph(
            f"The last {settings.years:g} years of each history{_shorter(found, settings)}, at most "
            f"{settings.most_pages:,} pages drawn from it; freshness is measured after the first {WARMUP_SHARE:.0%} of "
            "the time. Every policy has the same crawls at the same moments in the same world. Errors are standard "
            f"errors from {RESAMPLES:,} resamples of the pages, the same for all policies."
        ),
        Table(head, rows),
        Points(
            [
                FRESHNESS,
                *(f"{_signals(name)}." for name in settings.signals if name != NO_SIGNALS),
                RIVALS_KNOW,
                AT_ITS_BEST,
                TOLD_WHAT,
            ]
        ),
    ]


def _shorter(found: Found, settings: Settings) -> str:
    """Says so where a history has fewer years than were asked for."""
    ends = [stage(setting).history.end for setting in found.settings]
    return ", or all of it where it is shorter" if min(ends) < settings.years * DAYS_A_YEAR - 1.0 else ""


def _signals(name: str) -> str:
    quality = SIGNALS[name]
    if quality is None:
        return "no signals"
    hours = 24.0 * float(quality.latency.survival_integral(np.inf))
    return f"{name} signals (precision {quality.precision:g}, recall {quality.recall:g}, {hours:.3g} h late)"


def freshness_table(found: Found, cells: Sequence[Cell]) -> Table:
    """Histories and budgets down, policies across."""
    policies = found.policies(cells[0])
    head = ["history", "crawls a page and month", *(NAMES[name] for name in policies), "error of the lead"]
    rows = []
    for cell in cells:
        got = [_share(found.freshness(cell, name).mean, name) for name in policies]
        error = found.lead(cell, best_rival(found, cell)).standard_error
        rows.append([stage(cell.setting).history.name, f"{cell.budget:g}", *got, _error(error)])
    return Table(head, rows)


def _share(value: float, policy: str) -> str:
    text = f"{value:.3f}".removeprefix("0") if isfinite(value) else "-"
    return f"**{text}**" if policy == OURS else text


def _error(value: float) -> str:
    return f"±{value:.3f}" if isfinite(value) else "-"


def best_rival(found: Found, cell: Cell) -> str:
    """The rival that is freshest in a cell, constants in hindsight included."""
    rivals = [name for name in found.policies(cell) if name in RIVALS]
    return max(rivals, key=lambda name: found.freshness(cell, name).mean)


def _verdict(found: Found) -> list[Block]:
    """In how many cells we are ahead of the best rival, and every one in which we are not."""
    ahead: list[Cell] = []
    open_: list[Cell] = []
    behind: list[Cell] = []
    for cell in found.cells:
        lead = found.lead(cell, best_rival(found, cell))
        (ahead if lead.above_zero else behind if lead.below_zero else open_).append(cell)
    count = (
        f"In {len(ahead)} of {len(found.cells)} cells recrawl is fresher than every rival, those at their best in "
        f"hindsight included, by more than chance (1%); in {len(open_)} the difference is within chance, in "
        f"{len(behind)} a rival is fresher; these are named below, and all are in real.csv."
    )
    points = [count]
    points += [_against(found, cell, "a rival is fresher") for cell in behind]
    return [Heading("Who is ahead"), Points(points)]


def _against(found: Found, cell: Cell, word: str) -> str:
    rival = best_rival(found, cell)
    which = ", pages come and go" if cell.setting.moving else ""
    return (
        f"{word}: {stage(cell.setting).history.name}{which}, {cell.budget:g} crawls a page and month, "
        f"{cell.importance} importance, signals {cell.signals}: {found.lead(cell, rival)} over {rival}"
    )


def bandwidth_table(found: Found, cells: Sequence[Cell]) -> Table:
    """What rivals need, with limits."""
    rivals = (ANY_RIVAL, UNIFORM, NUTCH, STORMCRAWLER, SIGNALLED_FIRST)
    head = ["history", "crawls a page and month", "*any*", *(NAMES[name] for name in rivals[1:])]
    rows = []
    for cell in cells:
        needs = [found.need(cell, name) for name in rivals]
        texts = [f"{need} ({_limit(need.low)} to {_limit(need.high)})" for need in needs]
        rows.append([stage(cell.setting).history.name, f"{cell.budget:g}", *texts])
    return Table(head, rows)


def _limit(value: float) -> str:
    if isnan(value):
        return "-"
    return f"{value:.3g}" if value < inf else "more"


def _other_cells(found: Found) -> list[Block]:
    blocks: list[Block] = [Heading("Other importance, other signals")]
    for importance in sorted({cell.importance for cell in found.cells}):
        for signals in SIGNALS:
            cells = chosen(found, importance, signals)
            if cells and (importance, signals) != (MAIN_IMPORTANCE, MAIN_SIGNALS):
                words = {"equal": "Equal", "pareto": "Pareto"}[importance]
                blocks += [Paragraph(f"{words} importance, {_signals(signals)}:"), freshness_table(found, cells)]
    return blocks


def _coming_and_going(found: Found) -> list[Block]:
    moving = [cell for cell in found.cells if cell.setting.moving]
    if not moving:
        return []
    blocks: list[Block] = [
        Heading("With pages that come and go"),
        Paragraph(
            f"All pages, those too that come or go meanwhile. A new page is announced {DISCOVERY_DAYS:g} day after it "
            "came and is stale until its first crawl; a crawl that finds a page gone is wasted; what counts is "
            "importance times the time that a page is there. Rivals crawl new pages before all others. Who is told "
            "rates is told half a change for pages that never change."
        ),
    ]
    for key in dict.fromkeys((cell.importance, cell.signals) for cell in moving):
        words = {"equal": "Equal", "pareto": "Pareto"}[key[0]]
        blocks += [
            Paragraph(f"{words} importance, {_signals(key[1])}:"),
            freshness_table(found, chosen(found, *key, moving=True)),
        ]
    return blocks


def _constants(found: Found, cells: Sequence[Cell]) -> list[Block]:
    rows = [
        [stage(cell.setting).history.name, f"{cell.budget:g}"]
        + [found.score(cell, name + BEST).constants for name in ADAPTIVE]
        for cell in cells
    ]
    return [
        Heading("The constants that were best"),
        Paragraph("Growth without a change, shrinking at one, and limits of the intervals."),
        Table(["history", "crawls a page and month", "Nutch", "StormCrawler"], rows),
        Paragraph("All cells, with errors: [real.csv](real.csv)."),
    ]
