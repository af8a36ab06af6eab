"""Three sources a page, one of them late, through a whole frontier: what telling them apart and their dates gain."""

import numpy as np
import pytest

from recrawl.paper.trials.sources_in_frontier import QUALITIES, draw, late_freshness, learned, oracle

SEEDS = (10, 11, 12)
PAGES, HORIZON = 150, 50.0


@pytest.fixture(scope="module")
def shares():
    cases = [draw(PAGES, seed, HORIZON) for seed in SEEDS]
    best = np.array([late_freshness(oracle(case)) for case in cases])
    ways = ("ours", "happened ignored", "sources merged")
    return {way: np.array([late_freshness(learned(case, way)) for case in cases]) / best for way in ways}


def test_sources_have_the_quality_they_are_said_to_have():
    """The largest standard error is that of half of 10,000 signals: .025 is 5 of it, 2e-6 (seed 1)."""
    case = draw(PAGES, 1, 2.0 * HORIZON)
    world = case.world
    quality = case.recall[world.signal_pages, world.signal_sources]
    for precision, recall in QUALITIES:
        assert world.signal_true[quality == recall].mean() == pytest.approx(precision, abs=0.025)


def test_sources_told_apart_and_dated_come_near_the_oracle(shares):
    assert shares["ours"].mean() > 0.96, shares


@pytest.mark.parametrize(("way", "least"), [("happened ignored", 0.004), ("sources merged", 0.015)])
def test_less_is_heard_by_who_ignores_dates_or_sources(shares, way, least):
    # Over seeds 10 to 17 the differences are .0076 and .0353, with standard deviations .0035 and .0062 a seed, so .0020
    # and .0036 for the mean of three.  A way that is as good passes with chance .025 and 2e-5.  Where another version
    # only has other luck, the test fails with chance .04 and 1e-8.
    assert (shares["ours"] - shares[way]).mean() > least, shares
