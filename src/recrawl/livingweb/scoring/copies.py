"""`Copies`: which version of each page a crawler has, and for how long each was fresh; exact, and O(1) a fetch.

A copy taken at t is fresh until the page's next change, which the world knows.  So a fetch settles the time since the
one before, and nothing has to happen when pages change.  `total` settles all pages up to a moment, without a trace.
"""

from array import array

import numpy as np
from numpy.typing import NDArray

from recrawl.livingweb.world import World

Areas = NDArray[np.float64]


class Copies:
    """The copies of one crawler.

    ``counted_from``: seconds before which nothing counts for `fresh`; the timeline has all.  ``given``: at the start
    it has a copy of every page that is there.
    """

    def __init__(self, world: World, bins: int, counted_from: float = 0.0, given: bool = False) -> None:
        n = len(world)
        self._world, self._bins, self._from = world, bins, counted_from
        self._width = world.end / bins
        self._weights = array("d", world.weights.tobytes())
        self.version = array("i", [-1]) * n
        self._since, self._until, self._fresh = (
            array("d", bytes(8 * n)),
            array("d", bytes(8 * n)),
            array("d", bytes(8 * n)),
        )
        self._areas = [0.0] * (bins + 1)
        self._steps = [0.0] * (bins + 2)
        if given:
            for page in range(n):
                if world.version(page, 0.0) == 0:
                    self.version[page], self._until[page] = 0, world.fresh_until(page, 0, 0.0)

    def served(self, page: int, version: int, made: float, now: float) -> bool:
        """The crawler has this version, made a moment ago, from now on; whether that was news to it.  O(1)."""
        self._settle(page, now)
        news = version != self.version[page]
        self.version[page] = version
        self._until[page] = self._world.fresh_until(page, version, made)
        return news

    def _settle(self, page: int, now: float) -> None:
        begin, self._since[page] = self._since[page], now
        end = min(self._until[page], now, self._world.end)
        if end <= begin:
            return
        self._fresh[page] += max(0.0, end - max(begin, self._from))
        weight = self._weights[page]
        if weight:
            self._spread(begin, end, weight)

    def _spread(self, begin: float, end: float, weight: float) -> None:
        """Add weight x time to the bins between two moments, in O(1): ends here, whole bins as steps to be summed."""
        width, areas, steps = self._width, self._areas, self._steps
        first, last = int(begin / width), int(end / width)
        areas[first] -= weight * (begin - first * width)
        areas[last] += weight * (end - last * width)
        steps[first] += weight * width
        steps[last] -= weight * width

    def total(self, now: float) -> tuple[Areas, Areas]:
        """Seconds that the copy of each page was fresh, and the weighted ones in each bin, up to now."""
        since, until = np.frombuffer(self._since), np.frombuffer(self._until)
        end = np.minimum(np.minimum(until, now), self._world.end)
        fresh = np.frombuffer(self._fresh) + np.maximum(0.0, end - np.maximum(since, self._from))
        bins = np.array(self._areas[:-1]) + np.cumsum(self._steps)[: self._bins]
        return fresh, bins + spread(since, end, self._world.weights, self._width, self._bins)

    def fresh_now(self, now: float) -> NDArray[np.bool_]:
        """Which pages it has a fresh copy of."""
        return (np.frombuffer(self.version, dtype=np.int32) >= 0) & (np.frombuffer(self._until) > now)


def spread(begins: Areas, ends: Areas, weights: Areas, width: float, bins: int) -> Areas:
    """Weight x time in each bin, for many spans; spans that end before they begin count nothing.

    >>> spread(np.array([0.5, 3.0]), np.array([2.5, 1.0]), np.ones(2), 1.0, 4).tolist()
    [0.5, 1.0, 0.5, 0.0]
    """
    some = ends > begins
    begins, ends, weights = begins[some], ends[some], weights[some]
    first, last = (begins / width).astype(np.int64), (ends / width).astype(np.int64)
    room = bins + 2
    areas = np.bincount(last, weights * (ends - last * width), room) - np.bincount(
        first, weights * (begins - first * width), room
    )
    steps = np.bincount(first, weights * width, room) - np.bincount(last, weights * width, room)
    return np.asarray((areas + np.cumsum(steps))[:bins])
