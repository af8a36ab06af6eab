"""The built-in instance: the paper's experiment with noisy signals."""

import numpy as np

from recrawl.model import Pages

PAGES = 1_000
SEED = 0


def example_pages(count: int = PAGES, seed: int = SEED) -> Pages:
    """Pages drawn as in the paper: change rate and importance U(0, 1), recall Beta(.25, .25), false U(.1, .6).

    >>> len(example_pages(5))
    5
    """
    chance = np.random.default_rng(seed)
    return Pages.from_rates(
        change_rate=chance.uniform(0.0, 1.0, count),
        importance=chance.uniform(0.0, 1.0, count),
        recall=chance.beta(0.25, 0.25, count),
        false_signal_rate=chance.uniform(0.1, 0.6, count),
    )
