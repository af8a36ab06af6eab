"""A spinner on slow solves: on a terminal only, after half a second, and gone when done."""

from threading import Timer
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.status import Status

DELAY_S = 0.5


class Progress:
    """Shows the stage and, through ``step``, how near the solver is.

    Silent when ``stream`` is no terminal, and when everything is done before the delay is over.
    """

    def __init__(self, stream: TextIO, delay_s: float = DELAY_S) -> None:
        console = Console(file=stream)
        self._status = Status("starting", console=console)
        self._timer = Timer(delay_s, self._status.start) if console.is_terminal else None
        self._stage = "starting"

    def __enter__(self) -> Self:
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer.join()  # the spinner has either started by now or never will
            self._status.stop()

    def stage(self, name: str) -> None:
        """Name what is being done from here on."""
        self._stage = name
        self._status.update(name)

    def step(self, iteration: int, error: float) -> None:
        """The solver's hook: its iteration, and how far the rates are from the budget, relative."""
        self._status.update(f"{self._stage}: step {iteration}, {off_by(error)} the crawl rate")


def off_by(error: float) -> str:
    """How far a sum is from what it should be, in words.

    >>> off_by(5.4), off_by(-0.031), off_by(1e-9)
    ('540% above', '3.1% below', 'less than 0.1% from')
    """
    if abs(error) < 1e-3:
        return "less than 0.1% from"
    return f"{100.0 * abs(error):.3g}% {'above' if error > 0.0 else 'below'}"
