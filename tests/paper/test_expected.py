import numpy as np
import pytest

from recrawl.model import Pages
from recrawl.paper import instances
from recrawl.paper.expected import expected_freshness
from recrawl.sim import Run, World, simulate


def test_one_page_crawled_once():
    pages = Pages.from_rates(change_rate=2.0, importance=1.0)
    run = Run("x", World.draw(pages, 3.0, 0), pages.importance, np.array([1.0]), np.array([0]), warmup=0.5)
    # Fresh with e^(-2 s): from .5 to 1 after the crawl at 0, from 1 to 3 after the crawl at 1.
    expected = ((np.exp(-1.0) - np.exp(-2.0)) / 2.0 + (1.0 - np.exp(-4.0)) / 2.0) / 2.5
    assert expected_freshness(pages, run) == pytest.approx(expected, rel=1e-12)


def test_a_page_never_crawled_ages_from_the_start():
    pages = Pages.from_rates(change_rate=[1.0, 1.0], importance=[1.0, 0.0])
    run = Run("x", World.draw(pages, 2.0, 0), pages.importance, np.array([1.0]), np.array([1]))
    assert expected_freshness(pages, run) == pytest.approx((1.0 - np.exp(-2.0)) / 2.0, rel=1e-12)


def test_it_is_the_mean_of_the_measured_freshness():
    gaps = []
    for seed in range(10):
        pages = instances.silent(100, seed)
        run = simulate(pages, "greedy", rate=50.0, horizon=200.0, seed=seed, warmup=20.0)
        gaps.append(run.freshness - expected_freshness(pages, run))
    # Seeds 0 to 9. A standard error is estimated from ten numbers: t with 9 degrees beyond 6 has probability 2e-4.
    assert abs(np.mean(gaps)) < 6.0 * np.std(gaps, ddof=1) / np.sqrt(10)
    assert np.std(gaps) > 0.0
