"""Pages that are crawled in rounds and tell a learner: what it is held to is known."""

import numpy as np

from recrawl import Pages


def mixed_pages(rng, m):
    """Change rates around one a round, signals of all qualities."""
    return Pages.from_quality(
        change_rate=np.exp(rng.normal(0.0, 0.7, size=m)),
        importance=1.0,
        precision=rng.uniform(0.1, 0.95, size=m),
        recall=rng.uniform(0.1, 0.9, size=m),
    )


def outcomes(rng, pages, elapsed):
    """(signals, changed) of one crawl of every page."""
    hidden = rng.poisson(pages.unsignalled_rate * elapsed)
    true = rng.poisson((pages.signal_rate - pages.false_signal_rate) * elapsed)
    return true + rng.poisson(pages.false_signal_rate * elapsed), hidden + true > 0


def crawl_in_rounds(rng, learner, pages, rounds, spacing=1.0):
    """Every page once a round, in random order, at intervals of its own; times are those of the rounds."""
    begin = learner.now
    for k in range(rounds):
        elapsed = spacing * rng.uniform(0.2, 1.8, size=len(pages))
        signals, changed = outcomes(rng, pages, elapsed)
        learner.observe(np.arange(len(pages)), elapsed, signals, changed, now=begin + (k + 1) * spacing)
    return learner


def in_range(pages):
    """Whether all numbers are finite."""
    return all(np.all(np.isfinite(column)) for column in pages.columns)
