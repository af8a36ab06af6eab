"""What `recrawl reproduce real` runs: which histories, budgets, importances and signals."""

from collections.abc import Callable
from dataclasses import dataclass

from recrawl.errors import InputError
from recrawl.histories import last_years
from recrawl.histories.signals import Quality
from recrawl.sim.workers import check_workers

MONTH = 365.25 / 12
HOUR = 1 / 24

BUDGETS = (0.05, 0.2, 1.0, 4.0)
"""Crawls a page and month."""
MOST_LADDER, QUICK_LADDER = 51.2, 12.8
IMPORTANCES = ("equal", "pareto")
NO_SIGNALS = "none"
SIGNALS: dict[str, Quality | None] = {
    NO_SIGNALS: None,
    "poor": Quality(precision=0.2, recall=0.3, late=1.0),
    "fair": Quality(precision=0.6, recall=0.5, late=HOUR),
    "good": Quality(precision=0.9, recall=0.9, late=HOUR),
}
MAIN_IMPORTANCE, MAIN_SIGNALS = "pareto", "fair"
"""The cells that are shown first."""

PAGES, QUICK_PAGES = 2_000, 800
YEARS = last_years.YEARS
WARMUP_SHARE = 0.25
"""Nothing is measured in this first part of a history: everybody has it to find out about the pages."""
DISCOVERY_DAYS = 1.0
"""A new page is announced so long after it came."""


def unwatched(done: float, total: int) -> None:
    """Nobody looks at the progress."""


@dataclass(frozen=True)
class Setting:
    """One history as it is run: at most `pages` of its pages over its last `years`; `stem` None: the shipped one.

    With `moving`, pages that come and go are among them; else those alone that are there throughout.
    """

    stem: str | None
    moving: bool = False
    pages: int = PAGES
    years: float = YEARS
    seed: int = 0


@dataclass(frozen=True)
class Settings:
    """What was asked for.  `stems` are the histories, None standing for the shipped one."""

    stems: tuple[str | None, ...] = (None,)
    quick: bool = False
    pages: int | None = None
    years: float = YEARS
    seed: int = 0
    workers: int | None = None
    watch: Callable[[float, int], None] = unwatched

    def __post_init__(self) -> None:
        if self.pages is not None and self.pages < 2:
            raise InputError(f"pages must be at least 2, got {self.pages}", argument="pages")
        if not self.years > 0.0:
            raise InputError(f"years must be > 0, got {self.years:g}", argument="years")
        if self.seed < 0:
            raise InputError(f"seed must not be negative, got {self.seed}", argument="seed")
        check_workers(self.workers)

    def setting(self, stem: str | None, moving: bool) -> Setting:
        """A history as it is run."""
        return Setting(stem, moving, self.most_pages, self.years, self.seed)

    @property
    def most_pages(self) -> int:
        """How many pages of a history are run at most."""
        return self.pages or (QUICK_PAGES if self.quick else PAGES)

    @property
    def signals(self) -> tuple[str, ...]:
        """Which signals are tried, by name."""
        return (NO_SIGNALS, MAIN_SIGNALS) if self.quick else tuple(SIGNALS)

    @property
    def ladder(self) -> tuple[float, ...]:
        """The budgets that rivals are given: those of the table and more, to see where they get as fresh as we are.

        >>> Settings(quick=True).ladder
        (0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.6, 3.2, 4.0, 6.4, 12.8)
        """
        most = QUICK_LADDER if self.quick else MOST_LADDER
        doubled = [0.05 * 2.0**k for k in range(11)]
        return tuple(sorted({*BUDGETS, *(round(each, 6) for each in doubled if each <= most)}))

    @property
    def moving_budgets(self) -> tuple[float, ...]:
        """Budgets of the runs in which pages come and go."""
        return (0.2, 1.0) if self.quick else BUDGETS

    @property
    def moving_cells(self) -> tuple[tuple[str, str], ...]:
        """Importance and signals of these runs."""
        if self.quick:
            return ((MAIN_IMPORTANCE, MAIN_SIGNALS),)
        return tuple((importance, signals) for importance in IMPORTANCES for signals in (NO_SIGNALS, MAIN_SIGNALS))
