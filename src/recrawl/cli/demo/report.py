"""What a demo prints when it is over."""

from typing import TYPE_CHECKING

from recrawl.cli import layout
from recrawl.demo.settings import MONTH

if TYPE_CHECKING:
    from recrawl.demo.result import Result

MOST_TEXT = "64"
ENOUGH = 0.95
"""Share of the allowed requests below which a run says that it fell behind."""

_HEADINGS = ("crawler", "fresh", "after 1st quarter", "requests", "for pages", "wasted")


def table(result: "Result", width: int) -> list[str]:
    """A line for each crawler."""
    rows = [
        [
            row.name,
            f"{row.freshness:.4f}",
            f"{row.later:.4f}",
            f"{row.requests:,}",
            f"{row.pages:,}",
            f"{row.wasted:,}",
        ]
        for row in result.rows
    ]
    head = layout.lines(
        f"{result.pages:,} pages, {result.days:,.0f} days in {result.seconds:,.0f} s, {result.budget:g} requests a "
        "page and month. fresh: the share of the time that copies matched the web, weighted by importance; the web "
        "itself measured it",
        width,
        indent="",
    )
    return [*head, "", *layout.table(_HEADINGS, rows, width)]


def bottom_line(result: "Result", width: int) -> list[str]:
    """What it comes to, in words."""
    best, ours = result.best_rival, result.ours
    stale = (1.0 - best.freshness) / max(1.0 - ours.freshness, 1e-9)
    mine, theirs = f"{100.0 * (1.0 - ours.freshness):.1f}%", f"{100.0 * (1.0 - best.freshness):.1f}%"
    words = f"stale copies: {mine} with recrawl, {theirs} with {best.name}, the best of the others: {stale:.1f} times"
    found = [f"{words} as many"]
    if result.needs:
        agent = min(result.needs, key=lambda agent: result.needs[agent])
        times, name = result.needs[agent], result.row(agent).name
        much = f"more than {MOST_TEXT}" if times == float("inf") else f"{times:.1f}"
        found.append(
            f"to be as fresh, the best of the others ({name}) would need {much} times as many requests "
            "(by simulation at higher budgets)"
        )
    return [line for text in found for line in layout.lines(text, width)]


def behind(result: "Result", width: int) -> list[str]:
    """A note where the machine was too busy for the requests that recrawl was allowed."""
    allowed = result.budget * result.pages * result.days / MONTH
    if result.ours.requests >= ENOUGH * allowed:
        return []
    return layout.lines(
        f"note: recrawl made {result.ours.requests:,} of the {allowed:,.0f} requests it was allowed, because this "
        "machine was too busy; it would be fresher with all of them. Try again with fewer other programs, or with "
        f"--seconds {3 * result.seconds:.0f}",
        width,
    )


def next_steps(out: str | None) -> list[str]:
    """What to type next."""
    steps = [
        ("recrawl run --site https://YOUR.SITE/ --rate 1/s --data data --contact YOU@YOUR.SITE", ""),
        ("recrawl demo --budget 0.5 --seed 1", "more bandwidth, other signals"),
        ("recrawl livingweb --lasting 60", "the same web for your own crawler"),
    ]
    if out is not None:
        steps.insert(1, (f"recrawl status {out}/data", "how the crawler of this demo stood at the end"))
    left = max(len(command) for command, words in steps if words) + 2
    lines = [f"  {command:<{left}}{words}".rstrip() for command, words in steps]
    return ["what to type next:", *lines]
