"""How alike pages are: until outcomes show that rates differ, they are taken to differ little.

A prior that allows for any rate takes the first outcome of a page for news of what the page is like.  So rates are
first taken to be spread around one rate, by a width that outcomes call for.  Weights of any shape, as EM learns them
(population.py), take the place of that when they explain outcomes clearly better.

Pages that were never looked at are no part of that.  Where most are such after the first rounds, because a few pages
take all crawls, the others may be anything: the greatest width is taken, so that some of them seem worth a look.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.layout import ALPHAS, KNOTS, LOG_RATIO, OUTCOMES, PAGE_COUNT, PHIS, TYPES, Memory
from recrawl.learn.online.moving import likelihoods
from recrawl.learn.online.prior import likelihood_of, population_prior, signal_rate, trust

Array = NDArray[np.float64]

WIDTHS = np.array([0.3, 0.6, 1.0, 1.5, 2.2, 3.0])
"""Standard deviations of the logarithm of the unsignalled rate."""
CENTRES = 2 * ALPHAS - 1
"""The rates that others are spread around: the alphas, and half-way between them."""
WIDER, FREER = 2.0, 10.0
"""By how much a greater width must explain outcomes better, and weights of any shape, in logarithms of likelihoods."""
FIRST_ROUNDS, FEW = 3.0, 0.5
"""After so many rounds at least this part of the pages should have been looked at."""


def _shapes() -> Array:
    """The weights of alphas, a row for each width and centre."""
    at = np.arange(ALPHAS)[None, None, :]
    centre = 0.5 * np.arange(CENTRES)[None, :, None]
    width = WIDTHS[:, None, None] / LOG_RATIO
    shape = np.exp(-0.5 * ((at - centre) / width) ** 2).reshape(-1, ALPHAS) + 1e-5
    return np.asarray(shape / shape.sum(axis=1, keepdims=True))


SHAPES = _shapes()


@jit
def compare(memory: Memory, i: int, fits: Array) -> None:
    """Add how well each shape, and last the weights as they are, explain the outcomes of page i."""
    row, power = likelihoods(memory, i), trust(memory, i)
    weights, by_alpha, as_they_are = memory.room[2], memory.room[1][:ALPHAS], 0.0
    population_prior(memory, signal_rate(memory, i), weights)
    by_alpha[:] = 0.0
    for b in range(PHIS):
        share = 0.0
        for a in range(ALPHAS):
            share += weights[a * PHIS + b]
        for a in range(ALPHAS):
            likelihood = likelihood_of(row, a * PHIS + b, power)
            by_alpha[a] += share * likelihood
            as_they_are += weights[a * PHIS + b] * likelihood
    for s in range(len(SHAPES)):
        total = 0.0
        for a in range(ALPHAS):
            total += SHAPES[s, a] * by_alpha[a]
        fits[s] += math.log(total)
    fits[len(SHAPES)] += math.log(as_they_are)


@jit
def take_shape(memory: Memory, fits: Array, shape: Array) -> None:
    """Choose the narrowest shape that explains enough; weights start from it unless they are clearly better."""
    unseen = _mostly_unseen(memory)
    chosen = _narrowest(fits, len(WIDTHS) - 1 if unseen else 0)
    for k in range(TYPES):
        shape[k] = SHAPES[chosen, k // PHIS] / PHIS
    if fits[len(SHAPES)] >= fits[chosen] + FREER and not unseen:
        return
    for g in range(KNOTS):
        for b in range(PHIS):
            share = memory.weights[g, b::PHIS].sum()
            for a in range(ALPHAS):
                memory.weights[g, a * PHIS + b] = SHAPES[chosen, a] * share


@jit
def _mostly_unseen(memory: Memory) -> bool:
    """Whether a few pages have taken the crawls of the first rounds.  O(pages), a byte each."""
    pages = int(memory.numbers[PAGE_COUNT])
    if memory.numbers[OUTCOMES] < FIRST_ROUNDS * pages:
        return False
    seen = 0
    for i in range(pages):
        seen += memory.looks[i] > 0
    return bool(seen < FEW * pages)


@jit
def _narrowest(fits: Array, least: int) -> int:
    best = fits[least * CENTRES : len(SHAPES)].max()
    for width in range(least, len(WIDTHS)):
        first = width * CENTRES
        shape = first + int(np.argmax(fits[first : first + CENTRES]))
        if fits[shape] >= best - WIDER:
            return shape
    return int(np.argmax(fits[: len(SHAPES)]))
