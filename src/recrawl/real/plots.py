"""Two pictures for newcomers: what is stale under each policy, and what bandwidth others need for our freshness."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recrawl.paper.report.plots import DPI, finish
from recrawl.paper.report.plots import palette as fewer_colours
from recrawl.real.found import ANY_RIVAL, BEST, Cell, Found, Need
from recrawl.real.rivals import NUTCH, SIGNALLED_FIRST, STORMCRAWLER, UNIFORM
from recrawl.real.stage import stage
from recrawl.real.trials import OURS, TOLD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE = {
    UNIFORM: ("#7f7f7f", "s", "equal intervals"),
    NUTCH + BEST: ("#D55E00", "^", "Nutch, best constants"),
    STORMCRAWLER + BEST: ("#E69F00", "v", "StormCrawler, best constants"),
    SIGNALLED_FIRST: ("#009E73", "D", "signalled pages first"),
    OURS: ("#0072B2", "o", "recrawl, which learns"),
    TOLD: ("#000000", "_", "recrawl, told the true mean rates"),
}
PANEL = (3.1, 3.6)
LEAST_STALE = 0.001
"""Per cent.  A logarithmic axis has no 0: what is less is drawn here."""
TICKS = tuple(step * power for power in (0.01, 0.1, 1, 10, 100, 1000) for step in (1, 2, 5))
BAR, LIMITS = "#b8cfe0", "#4a6b85"
STALE_TITLE = "Copies that are stale: less is better"
BANDWIDTH_TITLE = "Crawls that others need to be as fresh as recrawl"
ANY_LABEL = "best of equal intervals, Nutch and StormCrawler, best constants"
LIMITS_LABEL = "95% limits, over resampled pages"


def stale(found: Found, cells: Sequence[Cell]) -> bytes:
    """A panel for each history: stale copies over bandwidth, both logarithmic."""
    histories = list(dict.fromkeys(cell.setting for cell in cells))

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(1, len(histories), sharey=True, squeeze=False)[0]
        for panel, setting in zip(panels, histories, strict=True):
            _stale_panel(panel, found, [cell for cell in cells if cell.setting == setting])
        panels[0].set_ylim(bottom=max(panels[0].get_ylim()[0], 0.8 * LEAST_STALE))  # of all panels
        finish(panels[0], "stale copies, % (weighted by importance)", panels[0].get_title(), legend=False)
        figure.legend(
            *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=8
        )
        world = f"{_importance(cells[0])}, {_signals(cells[0])}"
        figure.suptitle(f"{STALE_TITLE}\n{world}; bars: two standard errors, over resampled pages", fontsize=11)

    return _png((max(PANEL[0] * len(histories), 7.0), PANEL[1] + 1.0), draw)


def _stale_panel(axes: "Axes", found: Found, cells: Sequence[Cell]) -> None:
    from matplotlib.ticker import NullFormatter

    budgets = [cell.budget for cell in cells]
    for policy, (shade, marker, label) in STYLE.items():
        if policy not in found.policies(cells[0]):
            continue
        got = [found.freshness(cell, policy) for cell in cells]
        left = [max(100.0 * (1.0 - each.mean), LEAST_STALE) for each in got]
        bars = _bars(left, [200.0 * each.standard_error for each in got])
        width = 2.2 if policy == OURS else 1.2
        axes.errorbar(budgets, left, bars, color=shade, marker=marker, ms=5, lw=width, capsize=2, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(lambda value, _: f"{'≤ ' if value <= LEAST_STALE else ''}{value:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("crawls a page and month")
    finish(axes, "", _title(cells[0]), legend=False)


def _bars(left: Sequence[float], errors: Sequence[float]) -> tuple[list[float], list[float]]:
    """How far error bars go down and up: not to what a logarithmic axis lacks, nor above 100%.

    >>> _bars([10.0, 60.0], [1.0, 70.0])
    ([1.0, 54.0], [1.0, 40.0])
    """
    both = list(zip(left, errors, strict=True))
    return [min(error, 0.9 * value) for value, error in both], [min(error, 100.0 - value) for value, error in both]


def bandwidth(found: Found, cells: Sequence[Cell]) -> bytes:
    """A bar for each history and budget: the crawls the best rival needs for our freshness, over ours.

    A mark shows the same for the rule that hears signals; `cells` must be of worlds that have some.
    """
    from matplotlib.ticker import NullLocator

    shown = [cell for cell in cells if found.has_ladder(cell, ANY_RIVAL)]
    needs = [found.need(cell, ANY_RIVAL) for cell in shown]
    signalled = [found.need(cell, SIGNALLED_FIRST) for cell in shown]

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        places = range(len(shown))
        spans = [_span(need) for need in needs]
        lengths = [length for _, length, _ in spans]
        whiskers = [[length - low for low, length, _ in spans], [high - length for _, length, high in spans]]
        axes.barh(places, [length - 1.0 for length in lengths], left=1.0, color=BAR, label=ANY_LABEL)
        axes.errorbar(lengths, places, xerr=whiskers, fmt="none", color=LIMITS, lw=1, capsize=2, label=LIMITS_LABEL)
        shade, marker, label = STYLE[SIGNALLED_FIRST]
        reached = [min(need.times, need.most) for need in signalled]
        axes.plot(reached, places, color=shade, marker=marker, linestyle="none", ms=5, label=label)
        ends = [max(1.0, mark, high) for mark, (_, _, high) in zip(reached, spans, strict=True)]
        for place, end, need in zip(places, ends, needs, strict=True):
            axes.annotate(f"   {need}", (end, place), va="center", fontsize=9, color=LIMITS)
        begin = 0.9 * min(1.0, *reached, *(low for low, _, _ in spans))
        axes.set_xscale("log")
        axes.set_xlim(begin, 1.6 * max(2.0, *ends))
        ticks = [tick for tick in TICKS if begin <= tick <= 1.6 * max(2.0, *ends)]
        axes.set_xticks(ticks, [f"×{tick:g}" for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
        labels = [f"{_title(cell)}, {cell.budget:g} a page and month" for cell in shown]
        axes.set_yticks(places, labels, fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("crawls needed, as a multiple of recrawl's")
        finish(axes, "", f"{BANDWIDTH_TITLE}\n{_importance(shown[0])}, {_signals(shown[0])}", legend=False)
        figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)

    return _png((8.5, 1.7 + 0.3 * len(shown)), draw)


def _span(need: Need) -> tuple[float, float, float]:
    """Lower limit, what is needed and upper limit, as far as was tried.  The limits have what is needed between them.

    >>> _span(Need(0.5, 0.25, 0.5, 0.25, 8.0)), _span(Need(float("inf"), 2.0, 8.0, 0.25, 8.0))
    ((0.25, 0.5, 0.5), (2.0, 8.0, 8.0))
    """
    length = min(need.times, need.most)
    return min(need.low, length), length, min(max(need.high, length), need.most)


def _title(cell: Cell) -> str:
    return stage(cell.setting).history.name


def _importance(cell: Cell) -> str:
    return f"{cell.importance.capitalize()} importance"


def _signals(cell: Cell) -> str:
    return f"{cell.signals} signals"


def _png(size: tuple[float, float], draw: Callable[["Figure"], None]) -> bytes:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure)
    stream = io.BytesIO()
    figure.savefig(stream, dpi=DPI, format="png", metadata={"Software": None})
    return fewer_colours(stream.getvalue())
