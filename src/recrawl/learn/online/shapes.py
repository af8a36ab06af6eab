"""What all pages have in common, as outcomes tell: how fast they change, how far they differ, what signals are worth.

Theory of operation
-------------------
1. A prior that allows for anything takes the first outcome of a page for news of what that page is like.  So pages are
   first taken to be alike, and to differ only as far as outcomes call for.
2. A *combination* says four things.  The unsignalled rates alpha are spread around a *centre*, by a *width*.  The
   centre is that of a page with a mean signal rate; for others it moves with the signal rate, by a *slope* from 0 (not
   at all) to 1 (in proportion, as where one share of all changes is signalled).  And many signals are false with the
   same *share* phi, or pages with more signals have more or fewer that are false; or shares are those learned so far.
3. All four are tried together, because one explains outcomes in place of another.  In the first rounds pages are
   crawled soon after signals, and nearly all have changed.  Signals that are right explain that, and so do endless
   changes that nobody signals.  Tried apart, rates alone would be learned from such outcomes.
4. The narrowest width that explains outcomes nearly as well as any is taken.  Over all else weights are a mean, by how
   well each combination explains outcomes: while several do, none is believed.  Before outcomes, centres near one
   change a round are likelier: who can help it does not crawl pages a hundred times less often than they change.
5. Weights of any shape, as EM learns them (population.py), take the place of that when they explain outcomes better
   than the best combination of that width, and by enough.
6. Pages that were never looked at are no part of this.  Where most are such after the first rounds, because a few take
   all crawls, the others may be anything: the greatest width is taken, so that some of them seem worth a look.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import inlined, jit
from recrawl.learn.online.knots import knot_of
from recrawl.learn.online.layout import (
    ALPHAS,
    KNOT_STEP,
    KNOTS,
    LOG_RATIO,
    MOST_LOOKS,
    OUTCOMES,
    PAGE_COUNT,
    PHIS,
    SIGNAL_RATE,
    SIGNALS,
    SLOWEST,
    TYPES,
    Memory,
)
from recrawl.learn.online.moving import likelihoods
from recrawl.learn.online.prior import likelihood_of, population_prior, signal_rate, trust
from recrawl.learn.online.regimes import behind

Array = NDArray[np.float64]

WIDTHS = np.array([0.3, 0.6, 1.0, 1.5, 2.2, 3.0])
"""Standard deviations of the logarithm of the unsignalled rate."""
CENTRES = 2 * ALPHAS - 1
"""The rates that others are spread around: the alphas, and half-way between them."""
SLOPES = np.array([0.0, 0.5, 1.0])
"""The power of the signal rate with which the centre moves."""
TILTS = np.array([0.0, 1.3, -1.3])
"""By how many phis the share of false signals moves from one knot of signal rates to the next."""
SHARES = 1 + len(TILTS) * PHIS
"""Shares of false signals: as they have been learned so far, and then each of the phis, moved by each of the tilts."""
MANY, PHI_WIDTH = 0.5, 0.5
"""For which part of the signals that is, the others having the shares learned so far; and how far it is spread among
the phis beside the one."""
COMBINATIONS = (SHARES, len(SLOPES), len(WIDTHS), CENTRES)

USUAL = 1.5
"""Standard deviation of the logarithm of the centre, in changes a round, before outcomes."""
WIDER, FREER = 2.0, 2.0
"""By how much a greater width must explain outcomes better, and weights of any shape, in logarithms of likelihoods."""
FIRST_ROUNDS, FEW = 3.0, 0.5
"""After so many rounds at least this part of the pages should have been looked at."""


def _shapes() -> Array:
    """The weights of alphas, by width and centre."""
    at = np.arange(ALPHAS)[None, None, :]
    centre = 0.5 * np.arange(CENTRES)[None, :, None]
    width = WIDTHS[:, None, None] / LOG_RATIO
    shape = np.exp(-0.5 * ((at - centre) / width) ** 2) + 1e-5
    return np.asarray(shape / shape.sum(axis=-1, keepdims=True))


SHAPES = _shapes()
_BY_ALPHA = np.ascontiguousarray(np.moveaxis(SHAPES, -1, 0))
_BEFORE = -0.5 * ((math.log(SLOWEST) + 0.5 * LOG_RATIO * np.arange(CENTRES)) / USUAL) ** 2
"""The logarithm of how likely each centre is before outcomes."""


def no_fits() -> Array:
    """How well each combination, and last the weights as they are, explain outcomes, before any."""
    return np.zeros(math.prod(COMBINATIONS) + 1)


@jit
def compare(memory: Memory, i: int, fits: Array) -> None:
    """Add how well each combination, and last the weights as they are, explain the outcomes of page i."""
    if memory.looks[i] == 0:
        return
    row, power, rate = likelihoods(memory, i), trust(memory, i), signal_rate(memory, i)
    weights, likelihood, as_they_are = memory.room[2], memory.room[3], 0.0
    population_prior(memory, rate, weights)
    for k in range(TYPES):
        likelihood[k] = likelihood_of(row, k, power)
        as_they_are += weights[k] * likelihood[k]
    fits[-1] += math.log(as_they_are)
    of_all, at, silent = fits[:-1].reshape(COMBINATIONS), knot_of(memory, rate), _silent(memory, i)
    phis, explained = np.empty(PHIS), np.empty((len(WIDTHS), CENTRES))
    for share in range(SHARES):
        if share == 0 or not silent:
            _false(memory, share, at, weights, phis)
            _explain(likelihood, phis, explained)
        for slope in range(len(SLOPES)):
            _add_moved(explained, _moved(memory, slope, at), of_all[share, slope])


@jit
def take_shape(memory: Memory, fits: Array, shape: Array) -> None:
    """Weights become the mean over combinations, unless as they are they explain outcomes clearly better.

    `shape`: that mean, over all signal rates.
    """
    of_all, unseen = fits[:-1].reshape(COMBINATIONS), _mostly_unseen(memory)
    width = _narrowest(of_all, len(WIDTHS) - 1 if unseen else 0)
    chances = of_all[:, :, width] + _BEFORE
    _to_chances(chances)
    weights = np.empty((KNOTS, TYPES))
    by_alpha, phis = np.empty((SHARES, ALPHAS)), np.empty(PHIS)
    shape[:] = 0.0
    for g in range(KNOTS):
        _rates_at(memory, g, chances, width, by_alpha)
        weights[g] = 0.0
        for share in range(SHARES):
            _false(memory, share, float(g), memory.weights[g], phis)
            for k in range(TYPES):
                weights[g, k] += by_alpha[share, k // PHIS] * phis[k % PHIS]
                shape[k] += by_alpha[share, k // PHIS] / (PHIS * KNOTS)
    if unseen or fits[-1] < of_all[:, :, width].max() + FREER:
        memory.weights[:] = weights


@inlined
def _silent(memory: Memory, i: int) -> bool:
    """Whether page i never had a signal, so that its outcomes are the same whatever share of signals is false."""
    heard = memory.sums[i, SIGNALS] > 0.0 or memory.open[i] > 0.0
    return not (heard or memory.looks[i] == MOST_LOOKS or memory.regime[i] > 0.0 or behind(memory, i))


@jit
def _false(memory: Memory, share: int, at: float, weights: Array, phis: Array) -> None:
    """How common each phi is at a knot with these weights of types, where shares of false signals are like that."""
    phis[:] = 0.0
    for k in range(TYPES):
        phis[k % PHIS] += weights[k]
    if share == 0:
        return
    moved = TILTS[(share - 1) // PHIS] * (at - knot_of(memory, memory.numbers[SIGNAL_RATE]))
    centre, near, total = min(max((share - 1) % PHIS + moved, 0.0), PHIS - 1.0), np.empty(PHIS), 0.0
    for b in range(PHIS):
        near[b] = math.exp(-0.5 * ((b - centre) / PHI_WIDTH) ** 2) + 1e-4
        total += near[b]
    for b in range(PHIS):
        phis[b] = MANY * near[b] / total + (1.0 - MANY) * phis[b]


@jit
def _explain(likelihood: Array, phis: Array, out: Array) -> None:
    """The logarithm of the probability of a page's outcomes, for each width and centre."""
    by_alpha = np.zeros(ALPHAS)
    for k in range(TYPES):
        by_alpha[k // PHIS] += phis[k % PHIS] * likelihood[k]
    out[:] = 0.0
    for a in range(ALPHAS):
        for w in range(len(WIDTHS)):
            for c in range(CENTRES):
                out[w, c] += _BY_ALPHA[a, w, c] * by_alpha[a]
    for w in range(len(WIDTHS)):
        for c in range(CENTRES):
            out[w, c] = math.log(out[w, c])


@jit
def _add_moved(explained: Array, moved: int, out: Array) -> None:
    """Add what is explained with each centre moved so far; who would be moved beyond the last ones is one of these."""
    for w in range(len(WIDTHS)):
        for c in range(CENTRES):
            out[w, c] += explained[w, _inside(c + moved)]


@jit
def _moved(memory: Memory, slope: int, at: float) -> int:
    """By how many centres that of pages at a knot is above that of pages with a mean signal rate."""
    more = (at - knot_of(memory, memory.numbers[SIGNAL_RATE])) * KNOT_STEP
    moved: int = math.floor(2.0 * SLOPES[slope] * more / LOG_RATIO + 0.5)
    return moved


@inlined
def _inside(centre: int) -> int:
    return min(max(centre, 0), CENTRES - 1)


@jit
def _rates_at(memory: Memory, g: int, chances: Array, width: int, out: Array) -> None:
    """How common each alpha is at a knot, by share of false signals: the mean over slopes and centres."""
    out[:] = 0.0
    for share in range(SHARES):
        for slope in range(len(SLOPES)):
            moved = _moved(memory, slope, float(g))
            for c in range(CENTRES):
                out[share] += chances[share, slope, c] * SHAPES[width, _inside(c + moved)]


@jit
def _narrowest(of_all: Array, least: int) -> int:
    """The least width, from this one on, that explains outcomes nearly as well as any."""
    best = -math.inf
    for w in range(least, len(WIDTHS)):
        best = max(best, _to_chances(of_all[:, :, w] + _BEFORE))
    for w in range(least, len(WIDTHS)):
        if _to_chances(of_all[:, :, w] + _BEFORE) >= best - WIDER:
            return w
    return len(WIDTHS) - 1


@jit
def _to_chances(logs: Array) -> float:
    """Probabilities from logarithms, in place; the logarithm of what they add up to."""
    most, flat = logs.max(), logs.reshape(-1)
    for k in range(len(flat)):
        flat[k] = math.exp(flat[k] - most)
    total = flat.sum()
    logs /= total
    return float(most + math.log(total))


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
