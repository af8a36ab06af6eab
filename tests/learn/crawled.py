"""Crawl outcomes drawn from known parameters, straight from the hidden processes."""

import numpy as np

from recrawl.learn import Learner


def crawled(rng, n, unsignalled=0.3, true=0.2, false=0.2, spacing=1.0):
    """(elapsed, signals, changed) of n crawls at exponential intervals of mean `spacing`."""
    elapsed = rng.exponential(spacing, size=n)
    hidden, told = rng.poisson(unsignalled * elapsed), rng.poisson(true * elapsed)
    return elapsed, told + rng.poisson(false * elapsed), hidden + told > 0


def in_rounds(rates, rounds, seed=5):
    """A learner that was told of `rounds` crawls of pages of these change rates, a unit of time apart, no signals."""
    rng = np.random.default_rng(seed)
    n = len(rates)
    learner = Learner(n, now=0.0, explore=0.0)
    for k in range(1, rounds + 1):
        learner.observe(
            np.arange(n), np.ones(n), np.zeros(n), rng.random(n) < -np.expm1(-rates), now=float(k), level=0.3
        )
    learner.refresh(float(rounds))
    return learner
