"""When a page's own outcomes count in decisions: once they foresee its next ones.

Changes of many pages at once and quiet months look like pages that differ, and who crawls by that is worse off than in
turn.  Whether a page's own outcomes are worth anything shows in how much better they foresee its next one than all
pages together do: the logarithm of the quotient of both probabilities is added up, and until it is APART pages that no
signal tells apart are taken for alike.  If they are, and all pages together foresee rightly, it ever gets there with a
probability of at most e^-APART, for the product of such quotients is a martingale (Ville).
"""

import math

from recrawl._jit import inlined, jit
from recrawl.learn.online.layout import (
    ALPHAS,
    FORESEEN,
    MOST_LOOKS,
    OUTCOMES,
    PHIS,
    REFRESH_AT,
    SIGNALS,
    Memory,
)
from recrawl.learn.online.moving import likelihoods
from recrawl.learn.online.prior import likelihood_of, prior_of, signal_rate, trust

APART = 2.0
"""By how much outcomes must be better foreseen from the page's own, in logarithms, for pages to be told apart."""


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
