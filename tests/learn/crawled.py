"""Crawl outcomes drawn from known parameters, straight from the hidden processes."""


def crawled(rng, n, unsignalled=0.3, true=0.2, false=0.2, spacing=1.0):
    """(elapsed, signals, changed) of n crawls at exponential intervals of mean `spacing`."""
    elapsed = rng.exponential(spacing, size=n)
    hidden, told = rng.poisson(unsignalled * elapsed), rng.poisson(true * elapsed)
    return elapsed, told + rng.poisson(false * elapsed), hidden + told > 0
