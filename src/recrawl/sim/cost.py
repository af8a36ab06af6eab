"""What a comparison of policies will cost, from counts alone: before the first event is drawn.

Time and memory grow in proportion to pages, changes, signals and crawls.  The constants below were measured on runs of
growing size; docs/simulate.md ("How large") has the measurements beside the estimates.  Bytes are the same everywhere;
seconds are those of one machine, good to a factor of two or three on another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from recrawl.model import Pages
from recrawl.sim.rules import LEARN, RULES
from recrawl.sim.trace import KINDS, Trace


class Each(NamedTuple):
    """A number for each page, change, signal and crawl."""

    page: float
    change: float
    signal: float
    crawl: float


DRAW_BYTES = Each(90.0, 42.0, 42.0, 0.0)
"""At most at once, while a world is drawn."""
RUN_BYTES = Each(240.0, 8.0, 25.0, 55.0)
"""At most at once, while a policy runs in it or its crawls are scored."""
LEARN_BYTES = RUN_BYTES._replace(page=480.0)
"""The same of a policy that learns."""

DRAW_SECONDS = Each(1e-7, 2.5e-7, 2.5e-7, 0.0)
VALUE_SECONDS = Each(5e-7, 2e-8, 5e-7, 8e-6)
LEARN_SECONDS = Each(8e-5, 2e-8, 5e-7, 2e-5)
RULE_SECONDS = Each(2e-6, 2e-8, 5e-7, 4e-6)


@dataclass(frozen=True)
class Size:
    """How much there is in one repetition."""

    pages: float
    changes: float
    signals: float
    crawls: float

    @classmethod
    def expected(cls, pages: Pages, rate: float, horizon: float) -> Self:
        """Of a world that is yet to be drawn.

        >>> Size.expected(Pages.from_rates(change_rate=[1.0, 3.0], importance=1.0, recall=0.5), rate=2.0, horizon=10.0)
        Size(pages=2, changes=40.0, signals=20.0, crawls=20.0)
        """
        changes, signals = float(pages.change_rate.sum()), float(pages.signal_rate.sum())
        return cls(len(pages), changes * horizon, signals * horizon, rate * horizon)

    @classmethod
    def of_trace(cls, trace: Trace, rate: float, horizon: float) -> Self:
        """Of a recorded world."""
        counts = {kind: len(trace.only(kind)[0]) for kind in KINDS}
        return cls(trace.page_count, counts["change"], counts["signal"], rate * horizon)

    def times(self, each: Each) -> float:
        """So much for each of what there is."""
        return (
            self.pages * each.page + self.changes * each.change + self.signals * each.signal + self.crawls * each.crawl
        )

    def bytes(self, policies: Sequence[str]) -> float:
        """Memory that a repetition takes at most at once; policies run one after the other."""
        learns = any(policy.endswith(LEARN) for policy in policies)
        return max(self.times(DRAW_BYTES), self.times(LEARN_BYTES if learns else RUN_BYTES))

    def seconds(self, policies: Sequence[str]) -> float:
        """Time that a repetition takes: a world, and every policy in it."""
        return self.times(DRAW_SECONDS) + sum(self.times(_of(policy)) for policy in policies)


def _of(policy: str) -> Each:
    if policy.endswith(LEARN):
        return LEARN_SECONDS
    return RULE_SECONDS if policy in RULES else VALUE_SECONDS


def at_once(repetitions: int, workers: int) -> int:
    """How many repetitions are in memory at the same time; the first runs before the others.

    >>> at_once(5, 2), at_once(2, 8), at_once(1, 8)
    (2, 1, 1)
    """
    return max(min(workers, repetitions - 1), 1)


def seconds(size: Size, policies: Sequence[str], repetitions: int, workers: int) -> float:
    """Time of all repetitions."""
    rounds = 1 + -(-(repetitions - 1) // at_once(repetitions, workers))
    return rounds * size.seconds(policies)
