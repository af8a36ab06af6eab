"""The built-in instance: the paper's experiment with noisy signals."""

from recrawl.bench.mix import paper_mix
from recrawl.model import Pages

PAGES = 1_000
SEED = 0


def example_pages(count: int = PAGES, seed: int = SEED) -> Pages:
    """Pages drawn as in the paper: change rate and importance U(0, 1), recall Beta(.25, .25), false U(.1, .6).

    >>> len(example_pages(5))
    5
    """
    return paper_mix(count, seed)
