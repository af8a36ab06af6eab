"""The past of a few numbers, bounded: samples that are the further apart the older they are."""

from collections import deque
from typing import NamedTuple

TIERS = ((10.0, 360), (60.0, 1440), (600.0, 1008), (3600.0, 2160))
"""Seconds between samples, and how many are kept: an hour, a day, a week, 90 days."""


class Sample(NamedTuple):
    """What was so at one moment, and what had been counted by then."""

    time: float
    fresh: float
    """Chance that a copy is like its page, by importance; pages never fetched count as 0."""
    mean: float
    """The same, all pages alike."""
    error: float
    """Standard error of `mean`, which comes from a sample of pages."""
    of_copies: float
    """As `fresh`, of pages that were fetched at least once."""
    with_signals: float
    """What the same pages would have in the long run at the same rate, at best."""
    without_signals: float
    equal: float
    budget: float
    """Pages a second; infinite where there is no limit."""
    pages: int
    new: int
    leases: int
    changed: int
    unchanged: int
    unknown: int
    failed: int
    gone: int
    signals: int
    dropped: int


class Samples:
    """Samples in tiers: each tier keeps one in so many seconds, up to a number.

    >>> kept = Samples(((10.0, 3), (60.0, 2)))
    >>> for second in range(0, 100, 5):
    ...     kept.add(Sample(second, *[0.0] * 18))
    >>> [sample.time for sample in kept.since(75)], [sample.time for sample in kept.since(0)]
    ([80, 90], [0, 60, 90])
    """

    def __init__(self, tiers: tuple[tuple[float, int], ...] = TIERS) -> None:
        self._tiers = [(seconds, deque[Sample](maxlen=most)) for seconds, most in tiers]

    def add(self, sample: Sample) -> None:
        """Keep a sample where its time has come."""
        for seconds, kept in self._tiers:
            if not kept or sample.time >= kept[-1].time + seconds:
                kept.append(sample)

    @property
    def last(self) -> Sample | None:
        """The newest sample."""
        return self._tiers[0][1][-1] if self._tiers[0][1] else None

    def due(self, now: float) -> bool:
        """Whether it is time for another sample."""
        return self.last is None or now >= self.last.time + self._tiers[0][0]

    def since(self, begin: float) -> list[Sample]:
        """Samples from `begin` on, of the finest tier that reaches back so far, and the newest in any case."""
        for k, (_, kept) in enumerate(self._tiers):
            if k == len(self._tiers) - 1 or len(kept) < (kept.maxlen or 0) or kept[0].time <= begin:
                found = [sample for sample in kept if sample.time >= begin]
                if self.last is not None and (not found or found[-1].time < self.last.time):
                    found.append(self.last)
                return found
        return []

    def before(self, when: float) -> Sample | None:
        """The last sample at that time or earlier, else the oldest there is."""
        oldest = None
        for _, kept in self._tiers:
            for sample in reversed(kept):
                if sample.time <= when:
                    return sample
                oldest = sample
        return oldest
