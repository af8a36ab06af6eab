"""Several sources: the table against the exact value of one, and against Monte Carlo for two."""

import math

import numpy as np
import pytest

import recrawl
from recrawl.errors import InputError
from recrawl.model.source_table import GRID, SIZE, class_slope, class_value
from recrawl.model.sources import Sources


def value_of(sources, x, row=0, mu=1.0, delta=1.0):
    return class_value(x, mu, delta, sources.tables.ravel(), row * sources.tables.shape[1])


def test_one_source_is_the_exact_value():
    rng = np.random.default_rng(0)
    recall, false = rng.uniform(0.0, 0.98, (60, 1)), rng.uniform(0.05, 3.0, (60, 1))
    pages = recrawl.Pages.from_rates(1.0, 1.0, recall[:, 0], false[:, 0])
    sources = Sources(recall, false)
    for x, room in ((0.02, 5e-3), (0.1, 1e-3), (0.5, 5e-4), (2.0, 3e-4), (8.0, 1e-5)):
        got = np.array([value_of(sources, x, row) for row in range(60)])
        assert np.abs(got / recrawl.crawl_value(pages, x) - 1.0).max() < room, x


@pytest.mark.parametrize("x", [0.2, 0.9, 2.5])
def test_two_sources_by_monte_carlo(x):
    """Cycles simulated jump by jump: psi and V = w - e^-x psi within 5 standard errors, 3e-6 false alarms (seed 1).

    The table itself may be off by 1e-3.
    """
    sources = Sources(recall=[0.6, 0.3], false_per_change=[0.4, 0.9])
    rng, n = np.random.default_rng(1), 40_000
    rates = np.append(sources.lone_rate[0], sources.coincidence_rate[0])
    jumps = np.append(sources.weight[0], math.inf)
    alpha = sources.unsignalled_share[0]
    length, fresh = np.zeros(n), np.zeros(n)
    for cycle in range(n):
        u = 0.0
        while u < x:
            gap = rng.exponential(1.0 / rates.sum())
            step = min(gap, (x - u) / alpha)
            length[cycle] += step
            fresh[cycle] += math.exp(-u) * -math.expm1(-alpha * step) / alpha
            u += alpha * step
            if step == gap:
                u += jumps[rng.choice(3, p=rates / rates.sum())]
    gains = fresh - math.exp(-x) * length
    got = value_of(sources, x)
    assert abs(got - gains.mean()) <= 5.0 * gains.std() / math.sqrt(n) + 1e-3 * got
    psi = class_slope(x, 1.0, 1.0, sources.tables.ravel(), 0) * math.exp(x)
    assert abs(psi - length.mean()) <= 5.0 * length.std() / math.sqrt(n) + 1e-3 * psi


def test_lone_signals_and_coincidences_predict_freshness():
    """P[fresh] = e^-x by what was seen, 300,000 pages in one unit of time; 4.5 standard errors, 1e-4 (seed 2)."""
    rng, n = np.random.default_rng(2), 300_000
    recall, false = np.array([0.6, 0.4]), np.array([0.5, 0.8])
    sources = Sources(recall, false)
    changes = rng.poisson(1.0, n)
    whose = np.repeat(np.arange(n), changes)
    told = rng.random((len(whose), 2)) < recall
    lone = rng.poisson(false, (n, 2))
    for k in range(2):
        np.add.at(lone[:, k], whose[told[:, k] & ~told[:, 1 - k]], 1)
    both = np.zeros(n, dtype=bool)
    both[whose[told.all(axis=1)]] = True
    assert not np.any(both & (changes == 0))
    x = sources.unsignalled_share[0] + lone @ sources.weight[0]
    predicted = np.where(both, 0.0, np.exp(-x))
    for seen in range(5):
        own = ~both & (lone.sum(axis=1) == seen)
        error = np.sqrt((predicted[own] * (1.0 - predicted[own])).sum()) / own.sum()
        assert abs((changes[own] == 0).mean() - predicted[own].mean()) <= 4.5 * error


LIMITS = {
    "every change signalled": ([1.0, 0.7], [0.2, 0.2]),
    "no signal false": ([0.5, 0.4], [0.0, 0.0]),
    "one source unused": ([0.5, 0.0], [0.4, 1.0]),
    "no source at all": ([0.0, 0.0], [0.3, 0.0]),
    "weak signals": ([1e-7, 0.3], [5.0, 1.0]),
}


@pytest.mark.parametrize("case", LIMITS)
def test_in_every_limit_the_value_grows_to_its_own(case):
    sources = Sources(*LIMITS[case])
    xs = np.concatenate((np.linspace(0.0, 46.0, 2000), GRID, np.nextafter(GRID, 0.0)))
    values = np.array([value_of(sources, x, mu=3.0, delta=0.5) for x in np.sort(xs)])
    assert np.all(np.diff(values) >= 0.0)
    assert values[0] == 0.0
    assert value_of(sources, math.inf, mu=3.0, delta=0.5) == 6.0
    assert np.isfinite(sources.tables[:, :SIZE]).all()


def test_an_unused_source_changes_nothing():
    alone, beside = Sources([0.5], [0.4]), Sources([0.5, 0.0], [0.4, 1.0])
    assert beside.weight.tolist() == [[alone.weight[0, 0], -1.0]]
    assert beside.tables[0, :SIZE].tolist() == alone.tables[0, :SIZE].tolist()


def test_without_false_signals_it_is_the_paper_s_cis():
    sources = Sources([0.5, 0.4], [0.0, 0.0])
    pages = recrawl.Pages.from_rates(1.0, 1.0, recall=0.7)
    assert value_of(sources, 1.3) == pytest.approx(float(recrawl.crawl_value(pages, 1.3)[0]), rel=1e-4)


@pytest.mark.parametrize(
    ("recall", "false", "match"),
    [
        ([0.5, 1.2], [0.1, 0.1], r"recall must be in \[0, 1\], got 1.2 in row 0"),
        ([0.5, 0.5], [0.1, 0.1, 0.1], r"must have as many rows and columns each, got shapes \(1, 2\) and \(1, 3\)"),
        ([0.5, 0.2], [0.1, -1.0], "false_per_change must be finite and >= 0, got -1.0 in row 0"),
    ],
)
def test_bad_quality_is_refused(recall, false, match):
    with pytest.raises(InputError, match=match):
        Sources(recall, false)


def test_rates_for_another_number_of_classes_are_refused():
    with pytest.raises(InputError, match="false_signal_rate and change_rate must have as many rows and columns each"):
        Sources.from_rates([1.0, 2.0, 3.0], [[0.5, 0.4]], [[0.1, 0.2], [0.3, 0.4]])
