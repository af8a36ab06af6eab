"""The likelihoods of a page at another pace or in another regime of signals, and how they are kept in whole steps.

The likelihood of a new alpha is read off the straight line between the two old alphas beside it.  A new alpha beyond
the old ones lies on the line through the last two.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.layout import ALPHAS, FLOOR, LOG_RATIO, PACE, PHIS, TYPES, Memory
from recrawl.learn.online.regimes import behind, by_change_rate, follow

Array = NDArray[np.float64]
Steps = NDArray[np.int16]

SILVER = 0.7548776662466927
_OFFSETS = np.arange(TYPES) * 0.5698402909980532 % 1.0
"""Multiples of these fill the interval from 0 to 1 evenly: the dither by page and type."""


@jit
def likelihoods(memory: Memory, i: int) -> Steps:
    """Those of page i at the present pace, to be read before the next call; the page stays as it is.

    They are what `bring` would make of it, so that asking and crawling see the same.
    """
    row: Steps = memory.likelihood[i]
    moved = memory.moved
    if memory.pace[i] != memory.numbers[PACE]:
        _move(memory, i, moved)
        row = moved
    if behind(memory, i):
        _open(memory, i, row, moved)
        row = moved
    return row


@jit
def bring(memory: Memory, i: int) -> None:
    """Have page i keep its likelihoods at the present pace, and in the present regime of signals."""
    if memory.pace[i] != memory.numbers[PACE]:
        _move(memory, i, memory.likelihood[i])
        memory.pace[i] = memory.numbers[PACE]
    if behind(memory, i):
        row = memory.likelihood[i]
        _open(memory, i, row, row)
        follow(memory, i)


@jit
def _open(memory: Memory, i: int, row: Steps, out: Steps) -> None:
    new = memory.room[0]
    best = by_change_rate(memory, i, row, new)
    store(new, best, 0.5 + i * SILVER, out)


@jit
def _move(memory: Memory, i: int, out: Steps) -> None:
    new, old, best = memory.room[0], memory.likelihood[i], -math.inf
    shift = math.log(memory.numbers[PACE] / memory.pace[i]) / LOG_RATIO
    for k in range(TYPES):
        at = k // PHIS + shift
        a = min(max(math.floor(at), 0), ALPHAS - 2)
        low = float(old[a * PHIS + k % PHIS])
        high = float(old[(a + 1) * PHIS + k % PHIS])
        new[k] = low + (at - a) * (high - low)
        best = max(best, new[k])
    store(new, best, 0.5 + i * SILVER, out)


@jit
def store(new: Array, best: float, dither: float, out: Steps) -> None:
    """Keep log-likelihoods in whole steps, less the best.

    Outcomes of a page that is crawled often add less than a step each.  Rounded to the nearest they would all be lost,
    or all count double; so a number from an even sequence decides what is rounded up, and errors cancel.
    """
    dither -= math.floor(dither)
    for k in range(TYPES):
        up = dither + _OFFSETS[k]
        up = up - 1.0 if up >= 1.0 else up
        out[k] = int(max(new[k] - best + up, FLOOR) - FLOOR) + FLOOR  # rounds down, and is no call
