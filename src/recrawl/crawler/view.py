"""What is shown while a crawl runs: a live view on a terminal, lines of text or JSON elsewhere."""

import sys
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

from recrawl import clock as clocks
from recrawl.crawler import lines
from recrawl.crawler.status import Status

FIRST_LINES = 10
"""Log lines that come each second; after these, one comes every EVERY_S seconds."""
EVERY_S = 30.0


class View(Protocol):
    """Shows statuses as they come; a context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def show(self, status: Status) -> None:
        """A status is there."""

    def say(self, text: str) -> None:
        """Something to be known before the first status; from any thread."""


class LineView:
    """Log lines: at first each second, then every half minute, and when the state is another one."""

    def __init__(self, stream: TextIO, *, as_json: bool = False) -> None:
        self._stream, self._as_json, self._line = stream, as_json, lines.json_line if as_json else lines.log_line
        self._shown, self._state, self._next = 0, "", 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def show(self, status: Status) -> None:
        """Write a line, where it is time for one."""
        now = clocks.seconds()
        if status.state == self._state and now < self._next:
            return
        self._shown += 1
        self._state, self._next = status.state, now + (0.0 if self._shown < FIRST_LINES else EVERY_S)
        print(self._line(status), file=self._stream, flush=True)

    def say(self, text: str) -> None:
        """Write it as a line of the log."""
        now = clocks.wall_seconds()
        status = Status("starting", reason=text, now=now, written=now)
        line = lines.json_line(status) if self._as_json else f"{lines.moment(now)} starting: {text}"
        print(line, file=self._stream, flush=True)


class LiveView:
    """A table that stays in its place."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(file=stream), auto_refresh=False, transient=False)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def show(self, status: Status) -> None:
        """Draw it anew."""
        self._live.update(drawn(status), refresh=True)

    def say(self, text: str) -> None:
        """Write it above the table."""
        self._live.console.print(text, markup=False, highlight=False)


def drawn(status: Status) -> Any:
    """A status as a table, for rich."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text  # in a plain text rich would look for markup: [...]

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(ratio=1)
    bars = {"freshness": status.fresh, "budget": None if status.used is None else min(status.used, 1.0)}
    for name, text in lines.facts(status):
        table.add_row(Text(name), Text(text))
        if (part := bars.get(name)) is not None:
            table.add_row("", ProgressBar(total=1.0, completed=part, width=40))
    return table


def view(stream: TextIO = sys.stderr, *, as_json: bool = False) -> View:
    """What suits the stream: live where it is a terminal, else lines."""
    if as_json or not stream.isatty():
        return LineView(stream, as_json=as_json)
    return LiveView(stream)
