"""Two pictures for newcomers: what is stale under each policy, and what bandwidth others need for our freshness."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recrawl.paper.report.plots import DPI, finish
from recrawl.paper.report.plots import palette as fewer_colours
from recrawl.real.found import ANY_RIVAL, BEST, Cell, Found
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
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
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
        left = [100.0 * (1.0 - each.mean) for each in got]
        # Logarithmic: bars must not reach below what can be drawn.
        bars = [min(200.0 * each.standard_error, 0.9 * value) for each, value in zip(got, left, strict=True)]
        width = 2.2 if policy == OURS else 1.2
        axes.errorbar(budgets, left, bars, color=shade, marker=marker, ms=5, lw=width, capsize=2, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("crawls a page and month")
    finish(axes, "", _title(cells[0]), legend=False)


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
        lengths = [min(need.times, need.most) for need in needs]
        limits = [[min(max(end, 1.0), need.most) for end in (need.low, need.high)] for need in needs]
        bars = [max(length - 1.0, 0.0) for length in lengths]
        whiskers = [
            [max(length - low, 0.0) for length, (low, _) in zip(lengths, limits, strict=True)],
            [max(high - length, 0.0) for length, (_, high) in zip(lengths, limits, strict=True)],
        ]
        axes.barh(places, bars, left=1.0, color="#b8cfe0", label=ANY_LABEL)
        axes.errorbar(lengths, places, xerr=whiskers, fmt="none", color="#4a6b85", lw=1, capsize=2, label=LIMITS_LABEL)
        shade, marker, label = STYLE[SIGNALLED_FIRST]
        reached = [min(need.times, need.most) for need in signalled]
        axes.plot(reached, places, color=shade, marker=marker, linestyle="none", ms=5, label=label)
        ends = [max(1.0, mark, high) for mark, (_, high) in zip(reached, limits, strict=True)]
        for place, end, need in zip(places, ends, needs, strict=True):
            axes.annotate(f"   {need}", (end, place), va="center", fontsize=9)
        axes.set_xscale("log")
        axes.set_xlim(0.9, 1.6 * max(2.0, *ends))
        ticks = [tick for tick in TICKS if tick <= 1.6 * max(2.0, *ends)]
        axes.set_xticks(ticks, [f"×{tick}" for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
        labels = [f"{_title(cell)}, {cell.budget:g} a page and month" for cell in shown]
        axes.set_yticks(places, labels, fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("crawls needed, as a multiple of recrawl's")
        finish(axes, "", f"{BANDWIDTH_TITLE}\n{_importance(shown[0])}, {_signals(shown[0])}", legend=False)
        figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)

    return _png((8.5, 1.7 + 0.3 * len(shown)), draw)


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
