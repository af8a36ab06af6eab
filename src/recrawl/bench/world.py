"""A web for benchmarks of the frontier: pages that change as in the paper's noisy setting, once a round or so."""

import numpy as np
from numpy.typing import NDArray

from recrawl.bench.mix import paper_mix

A_HOST = 100
BATCH = 100
RATE = 10_000.0
SEED = 0

Ids = NDArray[np.int64]


class World:
    """Pages by number; the same calls find the same changes, whoever makes them."""

    def __init__(self, m: int) -> None:
        self.rng = np.random.default_rng(SEED)
        self.m = m
        self._rate = paper_mix(m, SEED).change_rate / (m / RATE)
        self._fetched = np.zeros(m)

    def fetch(self, ids: Ids, now: float) -> NDArray[np.bool_]:
        """Whether pages have changed since they were last fetched."""
        expected = self._rate[ids] * (now - self._fetched[ids])
        self._fetched[ids] = now
        found: NDArray[np.bool_] = self.rng.random(len(ids)) < -np.expm1(-expected)
        return found

    def some(self, n: int) -> Ids:
        """Pages at random."""
        return self.rng.integers(0, self.m, n)

    def sites(self, n: int) -> Ids:
        """All pages of n hosts that stand beside each other, more or less."""
        first = int(self.rng.integers(0, max(self.m - n * A_HOST, 1)))
        return np.arange(first, min(first + n * A_HOST, self.m))


class WorldOfUrls(World):
    """The same, where pages have URLs and what is found has digests."""

    def __init__(self, m: int) -> None:
        super().__init__(m)
        self.urls = [f"https://host{k // A_HOST}.example/page/{k:07d}.html" for k in range(m)]
        self._number = {url: k for k, url in enumerate(self.urls)}
        self._version = np.zeros(m, dtype=np.int64)

    def digests(self, urls: tuple[str, ...], now: float) -> list[str]:
        """What is there now."""
        ids = np.array([self._number[url] for url in urls], dtype=np.int64)
        self._version[ids] += self.fetch(ids, now)
        return [str(v) for v in self._version[ids].tolist()]

    def named(self, ids: Ids) -> list[str]:
        """The URLs of pages."""
        return [self.urls[k] for k in ids.tolist()]
