"""How alike pages are: until outcomes show that rates differ, they are taken to differ little.

A prior that allows for any rate takes the first outcome of a page for news of what the page is like.  So rates are
first taken to be spread around one rate, by a width that outcomes call for.  Weights of any shape, as EM learns them
(population.py), take the place of that when they explain outcomes clearly better.

Decisions wait for more.  Changes of many pages at once and quiet months look like pages that differ, and who crawls by
that is worse off than in turn.  Whether a page's own outcomes are worth anything shows in how much better they foresee
its next one than all pages together do: the logarithm of the quotient of both probabilities is added up, and until it
is APART pages that no signal tells apart are taken for alike.  If they are, and all pages together foresee rightly, it
ever gets there with a probability of at most e^-APART, for the product of such quotients is a martingale (Ville).

Pages that were never looked at are no part of the widths.  Where most are such after the first rounds, because a few
take all crawls, the others may be anything: the greatest width is taken, so that some of them seem worth a look.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, jit
from recrawl.learn.online.layout import (
    ALPHAS,
    FORESEEN,
    KNOTS,
    LOG_RATIO,
    MOST_LOOKS,
    OUTCOMES,
    PAGE_COUNT,
    PHIS,
    REFRESH_AT,
    SIGNALS,
    TYPES,
    Memory,
)
from recrawl.learn.online.moving import likelihoods
from recrawl.learn.online.prior import likelihood_of, population_prior, prior_of, signal_rate, trust

Array = NDArray[np.float64]

WIDTHS = np.array([0.3, 0.6, 1.0, 1.5, 2.2, 3.0])
"""Standard deviations of the logarithm of the unsignalled rate."""
CENTRES = 2 * ALPHAS - 1
"""The rates that others are spread around: the alphas, and half-way between them."""
WIDER, FREER = 2.0, 10.0
"""By how much a greater width must explain outcomes better, and weights of any shape, in logarithms of likelihoods."""
APART = 2.0
"""By how much outcomes must be better foreseen from the page's own, in logarithms, for pages to be told apart."""
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


@inlined
def taken_for_alike(memory: Memory, i: int) -> bool:
    """Whether page i is judged by the others alone: no signal came for it, nor was it known beforehand."""
    if memory.numbers[FORESEEN] >= APART or memory.looks[i] == MOST_LOOKS:
        return False
    return bool(memory.sums[i, SIGNALS] == 0.0 and memory.open[i] == 0.0)


@jit
def foresee(memory: Memory, i: int, elapsed: float, signals: float, changed: bool) -> None:
    """Compare how page i, about to have this outcome, and all pages foresaw it; the first outcome tells nothing."""
    numbers, weights, silent = memory.numbers, memory.room[2], memory.room[3]
    if numbers[FORESEEN] >= APART or memory.looks[i] == 0 or memory.looks[i] == MOST_LOOKS:
        return
    prior_of(memory, i, signal_rate(memory, i), weights)
    row, power = likelihoods(memory, i), trust(memory, i)
    for b in range(PHIS):
        silent[b] = math.exp(-memory.types[2, b] * signals)
    of_all, of_own, total = 0.0, 0.0, 0.0
    for a in range(ALPHAS):
        quiet = math.exp(-memory.types[0, a * PHIS] * elapsed)
        for b in range(PHIS):
            k, fresh = a * PHIS + b, quiet * silent[b]
            chance = 1.0 - fresh if changed else fresh
            own = weights[k] * likelihood_of(row, k, power)
            of_all += weights[k] * chance
            of_own += own * chance
            total += own
    if of_all > 0.0 and of_own > 0.0:
        numbers[FORESEEN] += math.log(of_own / (total * of_all))
    if numbers[FORESEEN] >= APART:
        numbers[REFRESH_AT] = numbers[OUTCOMES]  # all pages are to be seen differently


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
