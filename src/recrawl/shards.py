"""Pages split over several schedulers by a stable hash of their keys.

A key's shard depends on the key and the number of shards alone: not on the machine, the process, PYTHONHASHSEED or the
other keys.  When their number grows from N to N' only the share 1 - N/N' of the keys moves, all of them to new shards
(jump consistent hashing: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014).

Where hosts have limits, use the host as the key of its pages: a host split over shards could keep no gap.
"""

from collections.abc import Iterable
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model import Pages, Sources
from recrawl.model.latencies import KnownLatency
from recrawl.optimal import optimum
from recrawl.policies import ValuePolicy

__all__ = ["Shards", "shard_of"]

Ids = NDArray[np.int64]
Key = str | bytes | int

_PER_PAGE = ("hosts", "max_age", "discard", "source_class")
_HALF, _ALL = 1 << 63, 1 << 64


def shard_of(keys: Key | Iterable[Key] | NDArray[Any], shards: int) -> Ids:
    """The shard, 0 .. shards - 1, of each key: strings (hashed as UTF-8), bytes or whole numbers of 64 bits.

    O(log shards) a key, besides the hash.

    >>> shard_of(["https://example.org/", "https://example.org/news"], shards=16).tolist()
    [3, 8]
    """
    if isinstance(shards, bool) or not isinstance(shards, (int, np.integer)) or not 1 <= shards <= 1 << 31:
        raise InputError(f"shards must be a whole number from 1 to 2**31, got {shards!r}", argument="shards")
    state = _digests(keys)
    bucket = np.zeros(len(state), dtype=np.int64)
    moving = np.arange(len(state))
    while len(moving):  # each round throws the keys still moving one jump further
        state = state * np.uint64(2862933555777941757) + np.uint64(1)
        step = float(1 << 31) / ((state >> np.uint64(33)) + np.uint64(1)).astype(np.float64)
        jump = ((bucket[moving] + 1) * step).astype(np.int64)
        inside = jump < shards
        moving, state = moving[inside], state[inside]
        bucket[moving] = jump[inside]
    return bucket


def _digests(keys: Key | Iterable[Key] | NDArray[Any]) -> NDArray[np.uint64]:
    """64 well-mixed bits a key."""
    if isinstance(keys, np.ndarray) and keys.ndim == 1 and keys.dtype.kind in "iu":
        return _mix(keys.astype(np.int64 if keys.dtype.kind == "i" else np.uint64).view(np.uint64))
    given = [keys] if isinstance(keys, (str, bytes, int, np.integer)) else list(keys)
    if given and all(
        isinstance(k, (int, np.integer)) and not isinstance(k, bool) and -_HALF <= k < _ALL for k in given
    ):
        return _mix(np.array([int(k) % _ALL for k in given], dtype=np.uint64))
    out = bytearray()
    for key in given:
        if isinstance(key, str):
            key = key.encode("utf-8", "surrogatepass")
        if not isinstance(key, bytes):
            raise InputError(
                f"keys must be strings and bytes or 64-bit whole numbers, got {key!r:.80}", argument="keys"
            )
        out += blake2b(key, digest_size=8).digest()
    return np.frombuffer(bytes(out), dtype="<u8").astype(np.uint64)


def _mix(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: whole numbers in a row come out as if drawn at random."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


class Shards:
    """Pages over N schedulers, each with its part of the crawl rate.

    `members[k]` are the indices (into `pages`, rising) of shard k's pages: page `members[k][i]` has id i in
    `schedulers[k]`.  `rates[k]` is the shard's crawl rate: R/N with share "equal", or in proportion to what the optimum
    for all pages at rate R spends on them with share "optimum".  `settings` go to the schedulers; those given one a
    page are dealt out with the pages.

    >>> pages = Pages.from_rates(change_rate=[1.0, 2.0, 3.0], importance=1.0)
    >>> split = Shards(pages, ["a", "b", "c"], shards=2, rate=4.0)
    >>> [ids.tolist() for ids in split.members], split.rates.tolist()
    ([[0, 2], [1]], [2.0, 2.0])
    """

    def __init__(
        self,
        pages: Pages,
        keys: Iterable[Key] | NDArray[Any],
        shards: int,
        rate: float,
        share: Literal["equal", "optimum"] = "equal",
        policy: str | ValuePolicy = "greedy-ncis",
        now: float = 0.0,
        **settings: ArrayLike | Sources | KnownLatency | None,
    ) -> None:
        self.pages = pages
        self.shard = shard_of(keys, shards)
        if len(self.shard) != len(pages):
            raise InputError(f"keys must be one a page, got {len(self.shard)} for {len(pages)} pages", argument="keys")
        order = np.argsort(self.shard, kind="stable")
        ends = np.cumsum(np.bincount(self.shard, minlength=shards))
        self.members: list[Ids] = np.split(order, ends[:-1])
        self._local = np.empty_like(order)
        self._local[order] = np.concatenate([np.arange(len(mine)) for mine in self.members])
        self.rates = self._shares(shards, rate, share)
        self._settings: dict[str, Any] = {"policy": policy, "now": now, **settings}

    def _shares(self, shards: int, rate: float, share: str) -> NDArray[np.float64]:
        if not 0.0 < rate < np.inf:
            raise InputError(f"rate must be positive and finite, got {rate!r}", argument="rate")
        if share not in ("equal", "optimum"):
            raise InputError(f"share must be 'equal' or 'optimum', got {share!r}", argument="share")
        if share == "optimum":
            spent = np.bincount(self.shard, weights=optimum(self.pages, rate).rates, minlength=shards)
            if spent.sum() > 0.0:  # it spends less than `rate` where every change is signalled: scale up
                return np.asarray(rate * (spent / spent.sum()))
        return np.full(shards, rate / shards)

    def scheduler(self, k: int) -> Scheduler:
        """A new scheduler for shard k alone, for a process that runs no other."""
        mine = self.members[k]
        settings = dict(self._settings)
        for name, given in self._settings.items():
            if (name in _PER_PAGE and np.size(given) == len(self.pages)) or (name == "sources" and np.ndim(given) == 2):
                settings[name] = np.reshape(given, (len(self.pages), *np.shape(given)[1:]))[mine]
        return Scheduler(self.pages[mine], **settings)

    @cached_property
    def schedulers(self) -> list[Scheduler]:
        """One scheduler a shard, made when first asked for.  About a megabyte each, besides the pages."""
        return [self.scheduler(k) for k in range(len(self.members))]

    def locate(self, indices: ArrayLike) -> tuple[Ids, Ids]:
        """The shard of each page (by its index into `pages`), and its id there."""
        given = np.asarray(indices, dtype=np.int64)
        return self.shard[given], self._local[given]
