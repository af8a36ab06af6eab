"""Pages lean on their group as far as their own crawls leave room."""

import numpy as np
import pytest
from scipy.optimize import minimize

from recrawl.errors import InputError, UndeterminedError
from recrawl.learn import CrawlLog, calibration, fit, fit_pages
from recrawl.learn.pages.calibration import binned
from recrawl.learn.pages.posterior import page_modes
from recrawl.model import Pages

SEED = 7


def crawled(rng, pages, crawls):
    """A log of so many crawls of each page, at exponential intervals of mean 2."""
    page = np.repeat(np.arange(len(pages)), crawls)
    elapsed = rng.exponential(2.0, size=len(page))
    hidden = rng.poisson(pages.unsignalled_rate[page] * elapsed)
    true = rng.poisson((pages.signal_rate - pages.false_signal_rate)[page] * elapsed)
    false = rng.poisson(pages.false_signal_rate[page] * elapsed)
    names = [str(i) for i in range(len(pages))]
    return CrawlLog.from_intervals(names, page, elapsed, true + false, hidden + true > 0)


def hosts(rng, m, n):
    """Pages whose signal quality is their host's, and the hosts."""
    host = np.arange(m) % n
    precision, recall = rng.uniform(0.2, 0.95, size=(2, n))
    return Pages.from_quality(rng.uniform(0.05, 1.0, size=m), 1.0, precision[host], recall[host]), host.astype(str)


def loss(pages, fitted, rng):
    """Mean log-loss of the estimates on new intervals, above that of the truth."""
    page = np.repeat(np.arange(len(pages)), 30)
    elapsed = rng.exponential(2.0, size=len(page))
    n = rng.poisson(pages.signal_rate[page] * elapsed)
    p, q = (
        np.clip(np.exp(-(x.unsignalled_rate[page] * elapsed + x.signal_weight[page] * n)), 1e-9, 1 - 1e-9)
        for x in (pages, fitted)
    )
    return float(np.mean(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))))


def test_the_mode_of_a_page_is_the_maximum_of_its_posterior():
    rng = np.random.default_rng(SEED)
    elapsed, n = rng.exponential(1.0, size=15), rng.poisson(0.7, size=15).astype(float)
    changed = rng.random(15) < 0.5
    features = np.column_stack((elapsed, n))
    a, b, c, d = 1.3, 2.0, 0.8, 1.7

    def loss(u):
        alpha, phi = np.exp(u[0]), 1.0 / (1.0 + np.exp(-u[1]))
        stale = features @ [alpha, -np.log(phi)]
        likelihood = np.sum(np.where(changed, np.log(-np.expm1(-stale)), -stale))
        return -(likelihood + a * np.log(alpha) - b * alpha + c * np.log(phi) + d * np.log1p(-phi))

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13}).x
    theta, certainty = np.array([[0.5, 0.5]]), np.empty((1, 3))
    one = [np.array([x]) for x in (a, b, c, d)]
    begin = np.array([0, changed.sum()])
    lost = page_modes(begin, features[changed], features[~changed].sum(0)[None], np.array([0]), *one, theta, certainty)
    assert lost == 0
    # Nelder-Mead finds a minimum to about the root of rounding, 1e-7.
    expected = [np.exp(best[0]), np.log1p(np.exp(-best[1]))]
    np.testing.assert_allclose(theta[0], expected, rtol=1e-5)


def test_without_data_certainty_is_the_priors_own():
    theta, certainty = np.array([[9.0, 9.0]]), np.empty((1, 3))
    one = [np.array([x]) for x in (3.0, 2.0, 1.0, 4.0)]
    page_modes(np.array([0, 0]), np.empty((0, 2)), np.zeros((1, 2)), np.array([0]), *one, theta, certainty)
    np.testing.assert_allclose(theta[0], [1.5, np.log(5.0)], rtol=1e-6)  # means a/b and -log(c/(c+d))
    np.testing.assert_allclose(certainty[0], [3.0, 5.0, 0.0], rtol=1e-6)


def test_a_page_with_many_crawls_is_its_own_maximum_likelihood():
    rng = np.random.default_rng(SEED)
    pages = Pages.from_quality(np.linspace(0.2, 1.0, 20), 1.0, 0.6, 0.5)
    log = crawled(rng, pages, np.where(np.arange(20) == 3, 20_000, 20))
    got = fit_pages(log).pages[3]
    mine = log.page == 3
    own = fit(log.elapsed[mine], log.signals[mine], log.changed[mine])
    # The prior weighs as much as a few dozen of 20,000 crawls.
    assert got.change_rate.item() == pytest.approx(own.change_rate, rel=0.01)
    assert got.precision.item() == pytest.approx(own.precision, rel=0.02)


def test_a_page_never_crawled_twice_is_its_group():
    rng = np.random.default_rng(SEED)
    pages = Pages.from_quality([0.1] * 50 + [1.0] * 50, 1.0, 0.6, 0.5)
    crawls = np.full(100, 40)
    crawls[[0, 99]] = 0
    fitted = fit_pages(crawled(rng, pages, crawls), group=["slow"] * 50 + ["fast"] * 50)
    got = fitted.pages.change_rate
    # A group of 49 pages with 40 crawls each tells its mean to a few percent.
    assert got[0] == pytest.approx(0.1, rel=0.3)
    assert got[99] == pytest.approx(1.0, rel=0.3)
    assert fitted.crawls[0] == 0


def test_leaning_beats_both_one_pool_and_each_page_alone():
    rng = np.random.default_rng(SEED)
    pages, host = hosts(rng, 600, 20)
    log = crawled(rng, pages, 10)
    fresh = np.random.default_rng(SEED + 1)
    by_host = loss(pages, fit_pages(log, host).pages, fresh)
    together = loss(pages, fit_pages(log).pages, fresh)
    pooled = fit(log.elapsed, log.signals, log.changed)
    alike = Pages(np.full(600, pooled.unsignalled_rate), pooled.signal_weight, pooled.signal_rate, 1.0)
    # Seeds 7 to 12 gave ratios of .55 to .76 and of .50 to .62.
    assert by_host < 0.9 * together
    assert together < 0.9 * loss(pages, alike, fresh)


def test_groups_that_mean_nothing_do_no_harm():
    rng = np.random.default_rng(SEED)
    pages, _ = hosts(rng, 600, 600)
    log = crawled(rng, pages, 8)
    senseless = (rng.permutation(600) % 150).astype(str)
    fresh = np.random.default_rng(SEED + 1)
    # Seeds 7 to 12 gave ratios of .985 to 1.032.
    assert loss(pages, fit_pages(log, senseless).pages, fresh) <= 1.05 * loss(pages, fit_pages(log).pages, fresh)


def test_standard_errors_of_pages_are_about_right():
    rng = np.random.default_rng(SEED)
    pages, host = hosts(rng, 1000, 20)
    fitted = fit_pages(crawled(rng, pages, 15), host)
    z = (fitted.pages.change_rate - pages.change_rate) / fitted.change_rate_error
    # 1,000 pages: the share is known to .007, and an approximation may cost a few percent (seeds 7 to 12:
    # .932 to .972).
    assert 0.90 <= np.mean(np.abs(z) < 1.96) <= 0.985


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(SEED)
    pages, _ = hosts(rng, 50, 5)
    log = crawled(rng, pages, 10)
    order = rng.permutation(len(log))
    other = CrawlLog.from_intervals(
        log.names, log.page[order], log.elapsed[order], log.signals[order], log.changed[order]
    )
    np.testing.assert_allclose(fit_pages(other).pages.change_rate, fit_pages(log).pages.change_rate, rtol=1e-6)


@pytest.mark.parametrize("changed", [0.0, 1.0], ids=["never changed", "always changed"])
@pytest.mark.parametrize("signals", [0.0, 1.0], ids=["no signals", "signals"])
def test_degenerate_logs_give_pages_all_the_same(changed, signals):
    log = CrawlLog.from_intervals("ab", [0, 0, 1], [1.0, 2.0, 1.0], np.full(3, signals), np.full(3, changed))
    pages = fit_pages(log).pages
    assert np.all(np.isfinite(pages.change_rate))
    assert np.all(pages.change_rate > 0.0)
    assert np.all(pages.signal_rate == 0.0) == (signals == 0.0)


def test_a_log_without_intervals_cannot_tell():
    with pytest.raises(UndeterminedError, match="no interval between two crawls"):
        fit_pages(CrawlLog.from_events("a", [0], [1.0], [0]))


def test_signals_watched_for_longer_tell_the_signal_rate():
    """400 signals in 100 units of time on one page, and none on the others: its rate is known to 5%."""
    log = CrawlLog.from_intervals("abcd", [0, 1, 2], [1.0, 2.0, 1.0], [1, 0, 0], [1, 0, 0])
    fitted = fit_pages(log, observed_time=np.full(4, 100.0), n_signals=[400.0, 0.0, 0.0, 0.0])
    assert fitted.pages.signal_rate[0] == pytest.approx(4.0, rel=0.15)  # three standard errors
    assert fitted.pages.signal_rate[3] < 0.1  # never crawled, but watched
    assert fitted.signals.tolist() == [400.0, 0.0, 0.0, 0.0]
    given = fit_pages(log, observed_time=[1.0, 2.0, 1.0, 0.0], n_signals=[1.0, 0.0, 0.0, 0.0])
    assert given.pages.signal_rate.tolist() == fit_pages(log).pages.signal_rate.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"observed_time": [1.0, 1.0]}, "must be given together"),
        ({"observed_time": [1.0], "n_signals": [1.0]}, "observed_time must be one finite number >= 0 for each of 2"),
        ({"observed_time": [1.0, 1.0], "n_signals": [1.0, np.nan]}, "n_signals must be one finite number"),
        ({"observed_time": [0.0, 0.0], "n_signals": [0.0, 0.0]}, "observed_time must be > 0"),
    ],
)
def test_wrong_times_of_watching_are_refused(given, message):
    log = CrawlLog.from_intervals("ab", [0, 1], [1.0, 2.0], [0, 0], [0, 1])
    with pytest.raises(InputError, match=message):
        fit_pages(log, **given)


def test_wrong_groups_are_refused():
    log = CrawlLog.from_intervals("ab", [0, 1], [1.0, 2.0], [0, 0], [0, 1])
    with pytest.raises(InputError, match="group must be one label for each of 2 pages, got 1"):
        fit_pages(log, ["x"])
    with pytest.raises(InputError, match="group must be a column of the log, got 'host'; it has: none"):
        fit_pages(log, "host")


def test_predictions_are_calibrated():
    rng = np.random.default_rng(SEED)
    pages, host = hosts(rng, 500, 20)
    got = calibration(crawled(rng, pages, 20), host)
    # Bins of 1,000 have a standard error of .016 at most: four of them, false alarm 6e-5 a bin.
    assert np.all(np.abs(got.predicted - got.observed) < 0.064)
    assert got.intervals.sum() == 10_000


def test_bins_have_exact_binomial_intervals():
    got = binned(np.repeat([0.1, 0.9], 10), np.repeat([0.0, 1.0], 10), bins=2)
    # Clopper and Pearson: with none of 10, p < 1 - .025^(1/10).
    np.testing.assert_allclose(got.high, [1.0 - 0.025**0.1, 1.0], rtol=1e-9)
    np.testing.assert_allclose(got.low, [0.0, 0.025**0.1], rtol=1e-9)


def test_calibration_needs_two_intervals_of_a_page():
    with pytest.raises(UndeterminedError, match="calibration needs two"):
        calibration(CrawlLog.from_intervals("ab", [0, 1], [1.0, 2.0], [0, 0], [0, 1]))
