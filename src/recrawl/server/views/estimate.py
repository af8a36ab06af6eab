"""How fresh copies are, from a sample of pages that takes a few milliseconds, whatever the number of pages."""

import math
from typing import NamedTuple

import numpy as np

from recrawl.arguments import Ids, Values
from recrawl.frontier.kept.book import COPY, GONE, NONE
from recrawl.frontier.state import State

SAMPLE = 20_000
GOLDEN = 0.6180339887498949


class Fresh(NamedTuple):
    """Shares of pages whose copy is like the page; NaN where there are no such pages."""

    weighted: float
    mean: float
    error: float
    of_copies: float


def spread(state: State, size: int) -> Ids:
    """Pages that are not gone, `size` of them where there are as many, spread over all in a fixed order."""
    known = len(state.pairing.learner)
    if known <= 2 * size:
        ids = np.arange(known)
    else:  # some numbers are of no page, or of one that is gone
        tries = min(known, math.ceil(size * 1.2 * known / max(len(state.urls), size)))
        ids = np.unique((np.arange(tries) * GOLDEN % 1.0 * known).astype(np.int64))
    kinds = state.book.state[ids]
    found: Ids = ids[(kinds != NONE) & (kinds != GONE)]
    return found if len(found) <= size else found[np.arange(size) * len(found) // size]


def chances(state: State, ids: Ids, now: float) -> Values:
    """The chance of each copy to be like its page; 0 where there is none."""
    stale = state.pairing.scheduler.staleness(ids, now)
    return np.where(state.book.state[ids] == COPY, np.exp(-stale), 0.0)


def fresh(state: State, now: float) -> Fresh:
    """How fresh the copies are.  O(SAMPLE)."""
    ids = spread(state, SAMPLE)
    if not len(ids):
        return Fresh(math.nan, math.nan, 0.0, math.nan)
    chance, weight = chances(state, ids, now), state.pairing.learner.given_importance(ids)
    copies = state.book.state[ids] == COPY
    rest = max(1.0 - len(ids) / len(state.urls), 0.0) if len(ids) == SAMPLE else 0.0
    error = float(chance.std()) / math.sqrt(len(ids)) * math.sqrt(rest)
    return Fresh(_mean(chance, weight), float(chance.mean()), error, _mean(chance[copies], weight[copies]))


def _mean(values: Values, weights: Values) -> float:
    return float(values @ weights / weights.sum()) if weights.any() else math.nan
