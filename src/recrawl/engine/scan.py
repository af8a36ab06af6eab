"""Algorithm 1 of the paper, written literally: look at every page, take the best.  This is the definition.

`Scan` has the methods of `Scheduler` and none of its structure; the two must agree, always, to the last id.
The algorithm itself is `_best`; the rest keeps the state it reads.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.engine.beliefs import Beliefs, Settings, classes_in
from recrawl.engine.core.layout import CRAWLED, JUMPS
from recrawl.engine.core.value import set_all_parameters, stalenesses_at, values_at, weight_of
from recrawl.model import Pages
from recrawl.model.latencies import KnownLatency
from recrawl.model.sources import Sources
from recrawl.policies import ValuePolicy

Ids = NDArray[np.int64]
Values = NDArray[np.float64]


class Scan:
    """The slow, obvious twin of `Scheduler`: every method but `_best` is a line or two of bookkeeping."""

    def __init__(
        self,
        pages: Pages,
        policy: str | ValuePolicy = "greedy-ncis",
        now: float = 0.0,
        *,
        hosts: ArrayLike | None = None,
        max_age: ArrayLike = np.inf,
        discard: ArrayLike = 0.0,
        sources: ArrayLike | Sources | None = None,
        source_discard: ArrayLike = 0.0,
        latency: KnownLatency | None = None,
        source_class: ArrayLike | None = None,
        coincidence: float = 0.0,
    ) -> None:
        self.beliefs = Beliefs(policy, sources)
        self.tables = self.beliefs.tables(latency)
        self.coincidence = coincidence
        self.heard: dict[int, tuple[float, int]] = {}
        self.settings = Settings.empty(source_discard)
        self.rows = np.zeros((0, 8))
        self.alive = np.zeros(0, dtype=bool)
        self.leased = np.zeros(0, dtype=bool)
        self.since_lease, self.not_before = np.zeros(0), np.zeros(0)
        self.free: list[int] = []
        self.level = 0.0
        self.gap: dict[int, float] = {}
        self.most: dict[int, int] = {}
        self.ready: dict[int, float] = {}
        weights = None if isinstance(sources, Sources) else sources
        self.add(pages, now, hosts=hosts, max_age=max_age, discard=discard, sources=weights, source_class=source_class)

    def _best(self, now: float, aside: list[int]) -> int:
        """Algorithm 1: the page of highest value among those that may be crawled now; -1 if there is none."""
        host = self.settings.host
        flying = {h: int(np.sum(self.leased & (host == h))) for h in self.most}
        best, key = -1, (-1.0, -np.inf)
        values = np.empty(len(self.rows))
        values_at(self.rows, self.tables, np.arange(len(self.rows)), now, self.beliefs.terms, values)
        for i in np.flatnonzero(self.alive & ~self.leased & (self.not_before <= now)):
            h = int(host[i])
            if i in aside or self.ready.get(h, -np.inf) > now or flying.get(h, 0) >= self.most.get(h, 1 << 31):
                continue
            time = self.rows[i, CRAWLED]
            rank = (np.inf, -time) if now - time >= self.settings.max_age[i] else (values[i], -np.inf)
            if rank > key:  # ids rise, so the lowest wins a tie
                best, key = int(i), rank
        self.level = key[0] if 0.0 <= key[0] < np.inf else self.level
        return best

    def _picked(self, i: int, now: float) -> None:
        h = int(self.settings.host[i])
        if h >= 0:
            self.ready[h] = max(self.ready.get(h, -np.inf), now + self.gap.get(h, 0.0))

    def take(self, n: int, now: float) -> Ids:
        """The n best pages, which count as crawled now."""
        taken: list[int] = []
        while len(taken) < n and (i := self._best(now, taken)) >= 0:
            taken.append(i)
            self._picked(i, now)
        self.rows[taken, CRAWLED], self.rows[taken, JUMPS] = now, 0.0
        return np.array(taken, dtype=np.int64)

    def lease(self, n: int, now: float) -> Ids:
        """The n best pages, held until crawled or released."""
        taken: list[int] = []
        while len(taken) < n and (i := self._best(now, taken)) >= 0:
            taken.append(i)
            self._picked(i, now)
            self.leased[i], self.since_lease[i] = True, 0.0
        return np.array(taken, dtype=np.int64)

    def hold(self, ids: ArrayLike, now: float) -> None:
        """These pages, held until crawled or released."""
        for i in np.atleast_1d(np.asarray(ids, dtype=np.int64)):
            self._picked(int(i), now)
            self.leased[i], self.since_lease[i] = True, 0.0

    def peek(self, n: int, now: float) -> Ids:
        """The n best pages, nothing changed."""
        rows, ready, level = self.rows.copy(), self.ready.copy(), self.level
        ids = self.take(n, now)
        self.rows, self.ready, self.level = rows, ready, level
        return ids

    def crawled(self, ids: ArrayLike, at: ArrayLike) -> None:
        """Fetched at `at`: state restarts, signals since the lease are kept."""
        ids = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        for i, time in zip(ids, np.broadcast_to(at, ids.shape), strict=True):
            self.rows[i, CRAWLED] = time
            self.rows[i, JUMPS] = self.since_lease[i] if self.leased[i] else 0.0
            self.leased[i], self.not_before[i] = False, -np.inf
            if self.gap.get(int(self.settings.host[i]), 0.0) > 0.0:
                self._picked(int(i), time)

    def release(self, ids: ArrayLike, now: float, not_before: ArrayLike | None = None) -> None:
        """The fetch failed: back as it was, signals since included."""
        del now
        ids = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        self.rows[ids, JUMPS] += self.since_lease[ids]
        self.leased[ids] = False
        self.not_before[ids] = -np.inf if not_before is None else not_before

    def signal(
        self,
        ids: ArrayLike,
        now: float,
        source: int = 0,
        weight: ArrayLike | None = None,
        scale: ArrayLike | None = None,
    ) -> None:
        """Each signal adds its weight, unless it comes within the window after the crawl."""
        ids = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        weights = self.beliefs.weights(self.rows, self.settings.weights, ids, source, weight)
        if scale is not None:
            with np.errstate(invalid="ignore"):  # none of something certain is nothing
                weights = np.nan_to_num(weights * self.beliefs.scales(scale, len(ids), weight), nan=0.0, posinf=np.inf)
        windows = self.settings.windows(ids, source)
        for i, w, window in zip(ids, np.broadcast_to(weights, ids.shape), windows, strict=True):
            if window > 0.0 and now - self.rows[i, CRAWLED] < window:
                continue
            if weight is None:
                w = self._own_weight(int(i), float(w), source, now)
            if self.leased[i]:
                self.since_lease[i] += w
            else:
                self.rows[i, JUMPS] += w

    def lift_known(self, ids: Ids, weights: Values) -> None:
        """Staler for what is known from elsewhere; a crawl that is under way ends it."""
        np.add.at(self.rows[:, JUMPS], ids, weights)

    def _own_weight(self, i: int, weight: float, source: int, now: float) -> float:
        """What a signal adds now: less where it is late, all where it coincides with another source's."""
        if self.beliefs.classes is None:
            return weight_of(self.rows, self.tables, i, weight, now)
        c = int(classes_in(self.rows, np.array([i]))[0])
        if c < 0:
            return weight
        weight = float(self.beliefs.classes.weight[c, source])
        if weight < 0.0:
            return 0.0
        time, other = self.heard.get(i, (-np.inf, source))
        if other != source and abs(now - time) <= self.coincidence:
            if min(now, time) <= self.rows[i, CRAWLED]:
                return 0.0
            weight = np.inf
        if now >= time:
            self.heard[i] = now, source
        return weight

    def add(
        self,
        pages: Pages,
        now: float,
        *,
        hosts: ArrayLike | None = None,
        max_age: ArrayLike = np.inf,
        discard: ArrayLike = 0.0,
        sources: ArrayLike | None = None,
        source_class: ArrayLike | None = None,
    ) -> Ids:
        """New pages, crawled now; ids of removed pages are used again, the last removed first."""
        reused = [self.free.pop() for _ in range(min(len(pages), len(self.free)))]
        fresh = range(len(self.rows), len(self.rows) + len(pages) - len(reused))
        ids = np.array([*reused, *fresh], dtype=np.int64)
        grow = len(fresh)
        self.rows = np.pad(self.rows, ((0, grow), (0, 0)))
        self.alive, self.leased = np.pad(self.alive, (0, grow)), np.pad(self.leased, (0, grow))
        self.since_lease, self.not_before = np.pad(self.since_lease, (0, grow)), np.pad(self.not_before, (0, grow))
        self.settings.put(ids, len(self.rows), hosts, max_age, discard, sources)
        classes = self.beliefs.check_classes(source_class, len(pages))
        set_all_parameters(self.rows, ids, self.beliefs.columns(pages, classes))
        for i in ids:
            self.heard.pop(int(i), None)
        self.rows[ids, CRAWLED], self.rows[ids, JUMPS] = now, 0.0
        self.alive[ids], self.leased[ids], self.not_before[ids] = True, False, -np.inf
        return ids

    def update(self, ids: ArrayLike, pages: Pages, now: float) -> None:
        """New parameters; the state stays."""
        del now
        ids = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        if len(pages) != len(ids):
            pages = pages[np.zeros(len(ids), dtype=np.int64)]
        set_all_parameters(self.rows, ids, self.beliefs.columns(pages, classes_in(self.rows, ids)))

    def remove(self, ids: ArrayLike) -> None:
        """Forget pages."""
        for i in np.atleast_1d(np.asarray(ids, dtype=np.int64)):
            self.alive[i] = self.leased[i] = False
            self.free.append(int(i))

    def set_host(self, host: int, gap: float = 0.0, max_in_flight: int | None = None) -> None:
        """Limits of a host, from now on."""
        self.gap[host] = gap
        self.most[host] = 1 << 31 if max_in_flight is None else max_in_flight

    def host_ready(self, host: int, when: float) -> None:
        """The host may be crawled from `when` on."""
        self.ready[host] = when

    def value(self, ids: ArrayLike, now: float) -> Values:
        """Crawl values now."""
        ids = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        out = np.empty(len(ids))
        values_at(self.rows, self.tables, ids, now, self.beliefs.terms, out)
        return out

    def staleness(self, ids: ArrayLike, now: float) -> Values:
        """Stalenesses now."""
        ids = np.atleast_1d(np.asarray(ids, dtype=np.int64))
        out = np.empty(len(ids))
        stalenesses_at(self.rows, self.tables, ids, now, out)
        return out

    def __len__(self) -> int:
        return int(self.alive.sum())
