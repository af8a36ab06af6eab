"""What is shown while a demo runs: a live table on a terminal, a line now and then elsewhere."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

if TYPE_CHECKING:
    from recrawl.demo.course import Moment

LINES = 12
"""Lines while time goes on, where there is no terminal."""


class View(Protocol):
    """Shows moments as they come; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, moment: "Moment") -> None:
        """Things stand like this."""


class LineView:
    """Lines of text: one for each thing that happens, and some while time goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._last = stream, ""
        self._next = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def show(self, moment: "Moment") -> None:
        """Write a line, where there is something new."""
        if moment.stage == "running":
            if moment.days < self._next:
                return
            self._next = moment.days + moment.whole_days / LINES
            rows = ", ".join(f"{row.name} {row.freshness:.3f}" for row in moment.rows)
            text = f"day {moment.days:,.0f} of {moment.whole_days:,.0f}: fresh so far: {rows}"
        else:
            text = doing(moment)
        if text != self._last:
            self._last = text
            print(text, file=self._stream, flush=True)


class LiveView:
    """A table that stays in its place."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(file=stream), auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def show(self, moment: "Moment") -> None:
        """Draw it anew."""
        self._live.update(drawn(moment), refresh=True)


def view(stream: TextIO) -> View:
    """What suits the stream."""
    return LiveView(stream) if stream.isatty() else LineView(stream)


def doing(moment: "Moment") -> str:
    """What happens before time begins and when it is over."""
    if moment.stage == "ended":
        return f"the {moment.whole_days:,.0f} days are over"
    from recrawl.demo.settings import OURS

    ours = moment.fetched.get(OURS, 0)
    if 0 < ours < moment.pages or moment.compiled:
        return f"first copies of {moment.pages:,} pages, while time stands still"
    what = "compiling, which happens once on a machine, or loading" if moment.since > 5.0 else "starting"
    rivals = "; the rivals make their first copies meanwhile" if not ours and moment.first_fetch is not None else ""
    return f"{what}{rivals}"


def drawn(moment: "Moment") -> Any:
    """A moment as a table, for rich."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    if moment.stage != "running":
        clock = f"{moment.since:.0f} s: "
        copies = ", ".join(f"{agent} {number:,}" for agent, number in moment.fetched.items())
        return Group(Text(clock + doing(moment)), Text(f"copies: {copies}" if copies else "", style="dim"))
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for k, heading in enumerate(("", "fresh so far", "", "requests", "wasted")):
        table.add_column(heading, justify="left" if k in (0, 2) else "right")
    for k, row in enumerate(moment.rows):
        bar = ProgressBar(total=1.0, completed=row.freshness, width=30)
        style = "bold" if k == 0 else ""
        table.add_row(row.name, f"{row.freshness:.4f}", bar, f"{row.requests:,}", f"{row.wasted:,}", style=style)
    day = Text(f"day {moment.days:,.0f} of {moment.whole_days:,.0f}, {moment.rate:.3g} requests a day for each")
    return Group(
        day,
        ProgressBar(total=moment.whole_days, completed=moment.days, width=60),
        table,
        Text(learned(moment.learned), style="dim"),
    )


def learned(status: Any) -> str:
    """What our crawler knows by itself, which nobody told it."""
    if status is None:
        return ""
    fresh = (
        "" if status.fresh is None else f"it thinks that {status.fresh:.1%} of its copies are fresh, each counted once"
    )
    parts = [f"{status.changes:,} changes found", fresh]
    if status.serves:
        parts.append(f"dashboard: {status.serves}")
    for signal in status.signals:
        precision, recall = signal.get("precision"), signal.get("recall")
        if precision is not None and recall is not None:
            quality = f"precision {precision:.2f}, recall {recall:.2f}"
            parts.append(f"{signal['signals']:,} signals of the {signal['name']}: {quality}")
    return "recrawl has learned: " + "; ".join(part for part in parts if part)
