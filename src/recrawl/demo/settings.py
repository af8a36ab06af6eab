"""What a demo is asked for, and who takes part."""

from dataclasses import dataclass

import numpy as np

from recrawl.arguments import above, whole_number
from recrawl.errors import InputError
from recrawl.histories import History, shipped
from recrawl.histories.importance import pareto

DAY = 86_400.0
MONTH = 365.25 / 12.0
"""Days."""
FIXED_SEED = 0
"""Of the importance of the pages, and of which pages there are where not all take part: the same in every demo."""
_OF_PAGES, _OF_IMPORTANCE = range(2)

OURS, EQUAL, NUTCH, STORMCRAWLER = "recrawl", "equal-intervals", "nutch", "stormcrawler"
RIVALS = (EQUAL, NUTCH, STORMCRAWLER)
AGENTS = (OURS, *RIVALS)
"""Who takes part, by the name in the User-Agent."""
NAMES = {OURS: "recrawl", EQUAL: "equal intervals", NUTCH: "Nutch's rule", STORMCRAWLER: "StormCrawler's rule"}
"""As they are shown."""


@dataclass(frozen=True)
class Settings:
    """What a demo is asked for.

    ============== ==========================================================================================
    `seconds`      the machine's seconds in which all of the history passes
    `budget`       requests a page and month; every request counts, also for robots.txt and sitemaps
    `seed`         of what lastmod tells of and of what the crawler draws; pages and importance do not vary
    `pages`        so many pages of the history; None: all that are there throughout
    `days`         the last so many days of the history; None: all
    ============== ==========================================================================================
    """

    seconds: float = 60.0
    budget: float = 0.1
    seed: int = 0
    pages: int | None = None
    days: float | None = None

    def __post_init__(self) -> None:
        above("seconds", self.seconds, 0.0, finite=True)
        above("budget", self.budget, 0.0, finite=True)
        whole_number("seed", self.seed, 0)
        if self.pages is not None:
            whole_number("pages", self.pages, 2)

    def history(self) -> History:
        """What happens: the shipped history, of the pages that are there throughout."""
        past = shipped()
        if self.days is not None:
            past = past.last(self.days)
        past = past.alive_throughout()
        if self.pages is not None:
            past = past.sample(self.pages, _chance(_OF_PAGES))
        if len(past) < 2:
            raise InputError(f"pages must be 2 or more, got {len(past)}", argument="pages")
        return past

    def importance(self, past: History) -> np.ndarray:
        """Of each page: Pareto with index 1, whatever the page is like."""
        return pareto(past, _chance(_OF_IMPORTANCE))

    def rate(self, pages: int) -> float:
        """Requests a day, for all pages together."""
        return self.budget * pages / MONTH


def _chance(purpose: int) -> np.random.Generator:
    return np.random.default_rng([FIXED_SEED, purpose])
