"""A bar over the repetitions of the figure that runs: on a terminal only."""

from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class FigureProgress:
    """Shows which figure runs and how many of its simulations are done."""

    def __init__(self, stream: TextIO, figures: int) -> None:
        console = Console(file=stream)
        self._figures = figures
        self._begun = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            auto_refresh=False,  # no thread of its own: workers are forked, and would get a copy of its locks
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, name: str) -> None:
        """A figure begins."""
        self._begun += 1
        self._bar.reset(self._task, description=f"{name} ({self._begun} of {self._figures})", total=None)
        self._bar.refresh()

    def step(self, done: int, total: int) -> None:
        """So many of the figure's simulations are done."""
        self._bar.update(self._task, completed=done, total=total)
        self._bar.refresh()

    def done(self) -> None:
        """The figure is finished; its line goes where the bar was."""
        self._bar.update(self._task, description="writing")
        self._bar.refresh()
