"""Sources of signals that repeat each other, found by when their signals come and by what crawls found after them.

Independent sources meet only where both hear of the same change.  So the share of a's signals that have one of b's
beside them is at most a's precision times b's recall, and what chance adds.  A source whose signals are accompanied
nearly always, and clearly more often than that, is a *mirror* of the other: its signals are no second opinion.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl.learn.fit.alone import Alone
from recrawl.learn.fit.likelihood import Array

Ids = NDArray[np.int64]

SHARES = (0.99, 0.95, 0.9)
"""Nearly always: at least the last of these shares of the signals is accompanied."""
MOST_CHANCE = 0.3
"""Where chance alone would accompany more signals than this, being accompanied says too little."""
SURE, MARGIN = 5.0, 0.05
"""What differs by more than this number of standard errors and this share besides is different: pages taken to be alike
are not quite."""


class Mirror(NamedTuple):
    """Source `copy` repeats source `original`: this `share` of its signals has one of the other's `within` this time.

    Independent sources of their quality would have at most `independent`.
    """

    copy: int
    original: int
    share: float
    within: float
    independent: float


class Lags(NamedTuple):
    """Of each signal of one source: time to the nearest signal of another for the same page, and the other's rate."""

    nearest: Array
    rate: Array
    behind: float
    """The median of how far it is behind that signal; negative where it comes first."""

    def share(self, within: float) -> float:
        """Signals accompanied, as a share."""
        return float(np.mean(self.nearest <= within))

    def chance(self, within: float) -> float:
        """The share there would be if the other source's signals came at times of their own."""
        return float(np.mean(-np.expm1(-2.0 * within * self.rate)))


def lags(page: Ids, time: Array, source: Ids, sources: int) -> dict[tuple[int, int], Lags]:
    """For each ordered pair of different sources that were heard; signals sorted by page, then time."""
    found: dict[tuple[int, int], Lags] = {}
    span = float(np.ptp(time)) if len(time) else 0.0
    place = np.arange(len(time))
    for b in range(sources):
        of_b = source == b
        if not of_b.any():
            continue
        before = np.maximum.accumulate(np.where(of_b, place, -1))
        after = np.minimum.accumulate(np.where(of_b, place, len(time))[::-1])[::-1]
        behind = _gap(page, time, place, before)
        ahead = _gap(page, time, after, place)
        rate = np.bincount(page[of_b], minlength=int(page.max()) + 1)[page] / max(span, 1e-300)
        for a in range(sources):
            of_a = source == a
            if a != b and of_a.any():
                near, far = behind[of_a], ahead[of_a]
                signed = np.where(near <= far, near, -far)
                met = np.isfinite(signed)
                found[a, b] = Lags(
                    np.minimum(near, far), rate[of_a], float(np.median(signed[met])) if met.any() else 0.0
                )
    return found


def _gap(page: Ids, time: Array, later: Ids, earlier: Ids) -> Array:
    """Time from one signal to another, by places in the sorted list; inf where one is missing or of another page."""
    there = (earlier >= 0) & (later < len(time))
    late, early = np.where(there, later, 0), np.where(there, earlier, 0)
    return np.where(there & (page[late] == page[early]), time[late] - time[early], np.inf)


def find_mirrors(
    page: Ids, time: Array, source: Ids, quality: Sequence[Alone], window: float = 0.0
) -> tuple[Mirror, ...]:
    """Mirrors among sources, each source at most once as a copy; signals sorted by page, then time.

    `quality` is that of each source judged alone.  Signals within `window` of each other count as accompanied anyway.
    """
    between = lags(page, time, source, len(quality))
    found: dict[int, Mirror] = {}
    # The copy is the one that comes later; of two that come at the same time, the one that was named later.
    for (a, b), lag in sorted(between.items(), key=lambda item: (item[1].behind <= 0.0, -item[0][0], item[0][1])):
        if a in found or _original(found, b) == a:
            continue
        within = _nearly_always(lag, window)
        most, error = independent_share(quality[a], quality[b])
        if within is not None and _net(lag, within) > most + SURE * error + MARGIN:
            found[a] = Mirror(a, b, lag.share(within), within, most)
    return tuple(found[a] for a in sorted(found))


def together_too_often(
    page: Ids, time: Array, source: Ids, quality: Sequence[Alone], window: float
) -> tuple[tuple[int, int, float, float], ...]:
    """Pairs (a, b) that meet more often than independent sources, with the share of a's signals and its limit."""
    found: list[tuple[int, int, float, float]] = []
    for (a, b), lag in lags(page, time, source, len(quality)).items():
        most, error = independent_share(quality[a], quality[b])
        if _net(lag, window) > most + SURE * error + MARGIN and (b, a) not in [pair[:2] for pair in found]:
            found.append((a, b, lag.share(window), most))
    return tuple(found)


def independent_share(a: Alone, b: Alone) -> tuple[float, float]:
    """The greatest share of a's signals that an independent b accompanies, but for chance, and its standard error.

    1 where what is known about either does not limit it.
    """
    if not (np.isfinite(a.precision_error) and np.isfinite(b.recall_error)):
        return 1.0, 0.0
    return a.precision * b.recall, float(np.hypot(a.precision * b.recall_error, b.recall * a.precision_error))


def _nearly_always(lag: Lags, window: float) -> float | None:
    """The time within which nearly all signals are accompanied, and would not be by chance; None if there is none."""
    for share in SHARES:
        within = max(float(np.quantile(lag.nearest, share, method="higher")), window)
        if np.isfinite(within) and lag.chance(within) <= MOST_CHANCE:
            return within
    return None


def _net(lag: Lags, within: float) -> float:
    """The share accompanied that chance does not explain."""
    chance = min(lag.chance(within), 1.0 - 1e-9)
    return (lag.share(within) - chance) / (1.0 - chance)


def _original(found: dict[int, Mirror], source: int) -> int:
    """The source at the end of a chain of copies."""
    while source in found:
        source = found[source].original
    return source
