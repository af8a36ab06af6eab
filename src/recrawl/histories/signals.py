"""Signals of a history, drawn with a given quality; `sitemap` has those that a sitemap would give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from recrawl.arguments import between
from recrawl.errors import InputError
from recrawl.histories.history import History, Ids, Times
from recrawl.model.latencies import Constant, DrawnLatency

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Signals:
    """Which page, when the signal arrives, when it says the change happened, and whether there was one; by arrival."""

    pages: Ids
    arrivals: Times
    happened: Times
    true: Flags

    @classmethod
    def none(cls) -> Self:
        """No signals at all."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0), np.empty(0, dtype=np.bool_))

    @classmethod
    def by_arrival(cls, pages: Ids, arrivals: Times, happened: Times, true: Flags) -> Self:
        """Signals in any order; those of one moment go by page."""
        order = np.lexsort((pages, arrivals))
        return cls(pages[order], arrivals[order], happened[order], true[order])

    @classmethod
    def together(cls, parts: Sequence["Signals"]) -> Self:
        """The signals of several sources as one stream."""
        return cls.by_arrival(
            np.concatenate([part.pages for part in parts]),
            np.concatenate([part.arrivals for part in parts]),
            np.concatenate([part.happened for part in parts]),
            np.concatenate([part.true for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.pages)


@dataclass(frozen=True)
class Quality:
    """How good drawn signals are.

    A change is signalled with the chance `recall`, `late` days after it (a number, or a distribution to draw from), and
    the share `precision` of the signals is true.  False signals are a Poisson process of each page.  With `false_by`
    "page" its rate is in proportion to the page's own change rate, so that the precision is the same on every page;
    a page that never changes then has no signal at all.  With "all" every page has the same rate, and the precision
    holds for all signals together: busy pages have better signals than quiet ones.
    """

    precision: float
    recall: float
    late: float | DrawnLatency = 0.0
    false_by: Literal["page", "all"] = "page"

    def __post_init__(self) -> None:
        between("recall", self.recall, 0.0, 1.0)
        between("precision", self.precision, 0.0, 1.0)
        if self.recall > 0.0 and self.precision == 0.0:
            raise InputError("precision must be > 0 where recall > 0, got 0.0", argument="precision")
        if self.false_by not in ("page", "all"):
            raise InputError(f"false_by must be 'page' or 'all', got {self.false_by!r}", argument="false_by")

    @property
    def latency(self) -> DrawnLatency:
        """How late signals come, as a distribution."""
        return Constant(float(self.late)) if isinstance(self.late, int | float) else self.late

    def false_rates(self, history: History) -> Times:
        """False signals a day of each page.

        >>> pages = np.array([0, 0, 1])
        >>> history = History("h", ("a", "b"), np.zeros(2), np.full(2, np.inf), pages, np.array([1.0, 2.0, 3.0]), 10.0)
        >>> Quality(precision=0.5, recall=0.5).false_rates(history).tolist()
        [0.1, 0.05]
        >>> Quality(precision=0.5, recall=0.5, false_by="all").false_rates(history).tolist()
        [0.075, 0.075]
        """
        if self.recall == 0.0:
            return np.zeros(len(history))
        false_per_change = self.recall * (1.0 - self.precision) / self.precision
        if self.false_by == "page":
            return history.change_rates * false_per_change
        days = float(np.sum(np.minimum(history.removed, history.end) - history.created))
        return np.full(len(history), len(history.change_times) * false_per_change / days if days > 0.0 else 0.0)


def draw(history: History, quality: Quality, rng: np.random.Generator) -> Signals:
    """Signals of this quality.  A false one says that the page changed as long ago as a true one of its lateness would.

    >>> history = History("h", ("a",), np.zeros(1), np.array([np.inf]), np.zeros(2, dtype=int), np.array([1., 2.]), 9.0)
    >>> draw(history, Quality(precision=1.0, recall=1.0, late=0.5), np.random.default_rng(0)).arrivals.tolist()
    [1.5, 2.5]
    """
    of_marks, of_false, of_delays = rng.spawn(3)
    told = of_marks.random(len(history.change_times)) < quality.recall
    pages, happened = history.change_pages[told], history.change_times[told]
    false_pages, false_times = _false(history, quality.false_rates(history), of_false)
    pages, happened = np.concatenate((pages, false_pages)), np.concatenate((happened, false_times))
    arrivals = happened + quality.latency.draw(of_delays, len(happened))
    return Signals.by_arrival(pages, arrivals, happened, np.arange(len(pages)) < np.count_nonzero(told))


def _false(history: History, rates: Times, rng: np.random.Generator) -> tuple[Ids, Times]:
    """Poisson moments of each page while it is there."""
    days = np.minimum(history.removed, history.end) - history.created
    pages = np.repeat(np.arange(len(history)), rng.poisson(rates * days))
    return pages, history.created[pages] + rng.random(len(pages)) * days[pages]
