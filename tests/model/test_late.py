"""Late signals: predicted against observed freshness, and the value against what it is made of."""

from itertools import pairwise

import numpy as np
import pytest

import recrawl
from recrawl.errors import InputError
from recrawl.learn import latency
from recrawl.model import late_table as table
from recrawl.model.late import late_staleness, late_value, late_weight
from recrawl.model.scalar import value_given_delta
from recrawl.sim import Constant, Exponential, Poisson

STRAGGLER = latency(
    np.zeros(1000), np.append(np.full(999, 0.02) * np.random.default_rng(5).exponential(size=999), 300.0)
)
"""One signal in a thousand comes a day late, so to speak."""
LATENCIES = [Constant(0.7), Exponential(0.5), Poisson(6.0, 0.1), latency([0.0] * 4, [0.1, 0.2, 0.2, 3.0])]


@pytest.mark.parametrize("late", LATENCIES, ids=str)
def test_the_chance_to_be_fresh_is_what_is_observed(late):
    """200,000 pages crawled at a moment of a long history: fresh ones by bins of the predicted chance.

    A bin may be 4.5 standard errors off: 8 bins and 4 latencies raise a false alarm 2e-4 of the time (seed 3).
    """
    rng = np.random.default_rng(3)
    n, delta, recall, nu, past, age = 200_000, 1.0, 0.6, 0.5, 8.0, 1.5
    pages = recrawl.Pages.from_rates(delta, 1.0, recall, nu)
    values = getattr(late, "values", None)
    staleness = np.full(n, float(late_staleness(pages, age, late)[0]))
    fresh = np.ones(n, dtype=bool)
    whose = np.repeat(np.arange(n), rng.poisson(delta * (past + age), n))
    changes = rng.uniform(-past, age, len(whose))
    fresh[whose[changes > 0.0]] = False
    told = rng.random(len(whose)) < recall
    drawn = late.draw(rng, told.sum()) if values is None else rng.choice(values, told.sum())
    false = np.repeat(np.arange(n), rng.poisson(nu * age, n))
    arrivals = np.concatenate((changes[told] + drawn, rng.uniform(0.0, age, len(false))))
    seen = (arrivals > 0.0) & (arrivals <= age)
    ids = np.concatenate((whose[told], false))[seen]
    np.add.at(staleness, ids, late_weight(pages, arrivals[seen][:, None], late).ravel())
    predicted = np.exp(-staleness)
    edges = np.quantile(predicted, np.linspace(0.0, 1.0, 9))
    for low, high in pairwise(edges):
        own = (predicted >= low) & (predicted <= high)
        error = np.sqrt((predicted[own] * (1.0 - predicted[own])).sum()) / own.sum()
        assert abs(fresh[own].mean() - predicted[own].mean()) <= 4.5 * error


@pytest.mark.parametrize("late", [STRAGGLER, *LATENCIES], ids=str)
def test_the_table_is_the_distribution(late):
    got = table.tabulate(late)
    edges = got[table.EDGES : table.INTEGRAL]
    at = np.concatenate((np.linspace(0.0, 1.2 * edges[-1], 501), np.geomspace(1e-6, edges[-1], 501)))
    width = np.append(np.diff(edges), 0.0)[np.searchsorted(edges, at, side="right") - 1]
    # H is straight between edges and concave: a chord is off by at most an eighth of a cell, and TAIL of the mean
    room = width / 8.0 + 1e-5 * float(late.survival_integral(1e6))
    assert np.all(np.abs([table.unannounced(got, s) for s in at] - late.survival_integral(at)) <= room)
    for kappa in (0.1, 2.0):
        weights = np.array([table.weight_at(got, kappa, s) for s in at])
        low, high = (-np.log1p(np.expm1(-kappa) * late.cdf(np.maximum(at + side, 0.0))) for side in (-width, width))
        assert np.all((weights >= low - 1e-5) & (weights <= high + 1e-5))


@pytest.mark.parametrize("late", [STRAGGLER, *LATENCIES], ids=str)
def test_cells_are_fine_where_signals_come(late):
    edges = table.tabulate(late)[table.EDGES : table.INTEGRAL]
    middle = late.quantile(0.5) if hasattr(late, "quantile") else table._quantile(late, 0.5)
    near = edges[1:] <= 2.0 * middle
    assert np.diff(edges)[near].max() <= 0.02 * middle


@pytest.mark.parametrize("late", LATENCIES, ids=str)
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 0.3, 5.0])
def test_age_is_the_inverse_of_staleness(late, alpha):
    got, announced = table.tabulate(late), 0.8
    for s in np.geomspace(1e-4, 30.0, 40):
        x = alpha * s + announced * table.unannounced(got, s)
        back = table.age_at(got, alpha, announced, x)
        # Where H is flat many ages have one staleness; what must not happen is that it is passed before the age said.
        at = back if back < np.inf else 1e6
        assert alpha * at + announced * table.unannounced(got, at) == pytest.approx(x, rel=1e-12)
    assert table.age_at(got, 0.0, announced, announced * got[table.MEAN] * 1.01) == np.inf


def test_without_latency_it_is_the_paper_s():
    got = table.tabulate(Constant(0.0))
    assert got[table.SCALE] == got[table.MEAN] == 0.0
    for x in (0.1, 1.0, 7.0, np.inf):
        numbers = (x, 0.4, 0.7, 1.1, 2.0, 0.4 - 1.1 * np.expm1(-0.7), 0)
        assert late_value(*numbers, 0.0) == pytest.approx(value_given_delta(*numbers), rel=1e-14)


def test_what_is_no_latency_is_refused():
    class Endless:
        def cdf(self, s):
            return np.zeros(np.shape(s))

    with pytest.raises(InputError, match="latency must be a latency that ends"):
        table.tabulate(Endless())
    with pytest.raises(InputError, match="latency must know cdf and survival_integral"):
        table.tabulate(0.5)


def test_latencies_next_to_nothing_are_none():
    class AlmostAtOnce:
        def cdf(self, s):
            return (np.asarray(s) > 0.0) * 1.0

        def survival_integral(self, s):
            return np.zeros(np.shape(s))

    for late in (AlmostAtOnce(), latency([0.0], [1e-320])):
        assert table.tabulate(late)[table.SCALE] == 0.0
