"""How much of an experiment to run: the paper's own size unless told otherwise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recrawl.errors import InputError
from recrawl.sim.workers import check_workers

QUICK_REPETITIONS = 4
QUICK_SHARE = 0.25
"""Four quarter-length runs cost as much as one of full length, and tell more: they have a standard error."""


def unwatched(done: int, total: int) -> None:
    """Nobody looks at the progress."""


@dataclass(frozen=True)
class Settings:
    """What `recrawl reproduce` was asked for.

    ``repetitions`` None means the paper's own number.  ``quick`` cuts repetitions and the long runs.  ``share`` is the
    part of the paper's horizon that is run and ``most_pages`` leaves larger settings out: both are for tests, where a
    figure has to run in a blink and its numbers mean little.

    >>> [each.instance_count(100) for each in (Settings(quick=True), Settings(), Settings(repetitions=7))]
    [4, 100, 7]
    """

    repetitions: int | None = None
    quick: bool = False
    seed: int = 0
    workers: int | None = None
    dataset: str | None = None
    share: float = 1.0
    most_pages: int | None = None
    watch: Callable[[int, int], None] = unwatched

    def __post_init__(self) -> None:
        if self.repetitions is not None and self.repetitions < 1:
            raise InputError(
                f"repetitions must be at least 1, got {self.repetitions}; 2 or more give standard errors", "repetitions"
            )
        if self.seed < 0:
            raise InputError(f"seed must not be negative, got {self.seed}", argument="seed")
        check_workers(self.workers)

    def instance_count(self, paper: int, quick: int = QUICK_REPETITIONS) -> int:
        """How many instances to draw where the paper draws ``paper``."""
        if self.repetitions is not None:
            return self.repetitions
        return quick if self.quick else paper

    def page_counts(self, counts: Sequence[int]) -> list[int]:
        """The numbers of pages to try, the smallest always among them."""
        most = max(min(counts), self.most_pages) if self.most_pages is not None else max(counts)
        return [m for m in counts if m <= most]

    def long(self, paper: float) -> float:
        """A horizon or warm-up of the paper's long runs, of which ``quick`` runs a quarter."""
        return self.time(paper) * (QUICK_SHARE if self.quick else 1.0)

    def time(self, paper: float) -> float:
        """A horizon or a moment of the paper's, scaled by the share that is run."""
        return paper * self.share
