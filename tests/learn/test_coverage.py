"""The appendix's setting: intervals hold what they promise, and only maximum likelihood is unbiased."""

import numpy as np
import pytest

from recrawl.learn import fit
from recrawl.learn.fit.fit import QUANTITIES
from recrawl.paper.trials import appendix

PAGES = 400
SEED = 20250801


@pytest.fixture(scope="module")
def covered():
    """Whether the 95% intervals of 400 pages hold the truth, by quantity; horizon 2,000, 25 to 4,000 crawls."""
    rng = np.random.default_rng(SEED)
    held = {name: [] for name in QUANTITIES}
    for k in range(PAGES):
        trial = appendix.draw(rng, appendix.CRAWL_RATIOS[k % 5], 2000.0)
        for name, (low, high) in fit(trial.elapsed, trial.signals, trial.changed).interval(0.95).items():
            held[name].append(low <= getattr(trial.page, name).item() <= high)
    return held


@pytest.mark.slow
@pytest.mark.parametrize("name", QUANTITIES)
def test_95_percent_intervals_hold_the_truth_that_often(covered, name):
    # 400 draws at .95: outside [363, 394] with probability 2e-4 a quantity, 1.2e-3 in all.
    assert 363 <= sum(covered[name]) <= 394


@pytest.fixture(scope="module")
def errors():
    """Errors of precision and recall of both estimators on the same 100 pages, horizon 20,000."""
    found = {}
    for estimate in (appendix.naive_quality, appendix.fitted_quality):
        rows = appendix.table(estimate, pages=20, seed=SEED, horizon=20_000.0)
        found[estimate] = np.array([(r.precision - r.true_precision, r.recall - r.true_recall) for r in rows])
    return found


def test_maximum_likelihood_is_unbiased(errors):
    # 4 standard errors: false alarm 6e-5 each.
    e = errors[appendix.fitted_quality]
    assert np.all(np.abs(e.mean(axis=0)) <= 4.0 * e.std(axis=0, ddof=1) / np.sqrt(len(e)))


def test_the_count_of_intervals_is_far_off_and_upwards(errors):
    # The trial: .22 and .20.  The standard error over 100 pages is .015; bounds are 4 of them away.
    e = errors[appendix.naive_quality]
    assert np.all(np.abs(e.mean(axis=0) - 0.21) <= 0.07)
    assert np.mean(e > 0.0) > 0.95


def test_a_single_estimate_is_off_by_its_standard_error(errors):
    # Typical error 1e-2 at horizon 100,000, so about sqrt(5) times that here: the error, not the bias, sets the scale.
    typical = np.abs(errors[appendix.fitted_quality]).mean(axis=0)
    assert np.all((typical > 0.01) & (typical < 0.04))


def test_two_sources_are_recovered():
    rng = np.random.default_rng(SEED)
    elapsed = rng.exponential(1.0, size=20_000)
    hidden = rng.poisson(0.2 * elapsed)
    true = rng.poisson(elapsed[:, None] * [0.3, 0.1])
    false = rng.poisson(elapsed[:, None] * [0.3, 0.05])
    got = fit(elapsed, true + false, hidden + true.sum(axis=1) > 0)
    expected = np.array([0.2, np.log(2.0), np.log(3.0)])
    # 4.5 standard errors: false alarm 7e-6 each.
    assert np.all(np.abs(got.solution.theta - expected) <= 4.5 * np.sqrt(np.diag(got.covariance)[:3]))
    assert got.change_rate == pytest.approx(0.6, abs=0.03)
