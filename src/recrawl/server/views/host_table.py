"""How each host is doing: all pages looked at, a slice at a time, and kept for a while."""

import math
import threading
from functools import partial
from typing import NamedTuple

import numpy as np

from recrawl.arguments import Ids, Values
from recrawl.clock import seconds
from recrawl.frontier import Frontier
from recrawl.frontier.kept.book import GONE, NEW, NONE
from recrawl.frontier.state import State
from recrawl.server.views.estimate import chances

SLICE = 50_000
"""Pages looked at before others get their turn: 2 to 5 ms."""
LASTS = 30.0
"""Seconds of the machine's clock after which all pages are looked at anew."""


class Sums(NamedTuple):
    """By host: pages that are not gone, those never fetched, those that failed last time, gone ones, and freshness."""

    pages: Ids
    new: Ids
    failing: Ids
    gone: Ids
    fresh: Values
    lost: Values
    """Importance of pages times the chance that they are stale, summed: what a host costs."""


class HostTable:
    """Sums by host, not older than LASTS seconds."""

    def __init__(self) -> None:
        self._sums: Sums | None = None
        self._summed = -math.inf
        self._summing = threading.Lock()

    def sums(self, frontier: Frontier, lasts: float = LASTS) -> Sums:
        """Sums by host.  O(pages) where they have become old, a few milliseconds at a time."""
        with self._summing:
            if self._sums is None or seconds() - self._summed > lasts:
                self._sums = _all(frontier)
                self._summed = seconds()
            return self._sums


def _all(frontier: Frontier) -> Sums:
    hosts, known = frontier.look(lambda state, _: (len(state.hosts), len(state.pairing.learner)))
    total = np.zeros((len(Sums._fields), hosts))
    for start in range(0, known, SLICE):
        total += frontier.look(partial(_some, start=start, hosts=hosts))
    return Sums(*total[:4].astype(np.int64), *total[4:])


def _some(state: State, now: float, start: int, hosts: int) -> Values:
    """Sums of one slice of pages; hosts that came meanwhile are left for the next time."""
    stop = min(start + SLICE, len(state.pairing.learner))
    kinds, of = state.book.state[start:stop], state.book.host[start:stop]
    ids = np.flatnonzero((kinds != NONE) & (of < hosts)) + start
    kinds, of = state.book.state[ids], state.book.host[ids]
    alive = kinds != GONE
    fresh = np.where(alive, chances(state, ids, now), 0.0)
    lost = np.where(alive, (1.0 - fresh) * state.pairing.learner.given_importance(ids), 0.0)
    failing = alive & (state.book.failures[ids] > 0)
    weights = (alive, kinds == NEW, failing, ~alive, fresh, lost)
    return np.array([np.bincount(of, weights=weight, minlength=hosts) for weight in weights])
