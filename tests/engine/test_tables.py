"""The value of late signals as the engine computes it: against the model's, and its own slope."""

import numba
import numpy as np
import pytest
from scipy.integrate import quad

from recrawl.engine.core import tables
from recrawl.model.late import late_value
from recrawl.model.late_table import MEAN
from recrawl.sim import Constant

MEAN_LATENCY = 0.8
TABLES = tables.tables_of(Constant(MEAN_LATENCY), None)


@numba.njit
def value(x, alpha, kappa, gamma, mu, delta, terms, table):
    return tables.value(x, alpha, kappa, gamma, mu, delta, terms, table.ctypes, table.shape[1])


@numba.njit
def value_with_slope(x, alpha, kappa, gamma, mu, delta, terms, table, slope):
    return tables.value_with_slope(x, alpha, kappa, gamma, mu, delta, terms, table.ctypes, table.shape[1], slope.ctypes)


@pytest.mark.parametrize("kappa", [0.0, 0.3, 2.0, np.inf])
@pytest.mark.parametrize("alpha", [0.0, 0.4])
@pytest.mark.parametrize("terms", [0, 2])
def test_the_value_grows_with_the_slope_it_says(alpha, kappa, terms):
    gamma, mu, mean, slope = 1.1, 2.0, TABLES[0, MEAN], np.zeros(1)
    delta = alpha - gamma * np.expm1(-kappa)
    if delta == 0.0:
        return
    numbers = (alpha, kappa, gamma, mu, delta, terms)
    xs = np.linspace(0.01, 12.0, 300)
    values = [value_with_slope(x, *numbers, TABLES, slope) for x in xs]
    assert values == [value(x, *numbers, TABLES) for x in xs]
    assert values == pytest.approx([late_value(x, *numbers, mean) for x in xs], rel=1e-14)
    assert np.all(np.diff(values) >= 0.0)
    for low, high in ((0.05, 0.5), (1.0, 2.0), (3.0, 5.0)):
        area = quad(lambda x: value_with_slope(x, *numbers, TABLES, slope) * 0.0 + slope[0], low, high, limit=500)[0]
        # psi has steps where alpha = 0: quadrature of a staircase is good to a few digits only
        assert area == pytest.approx(value(high, *numbers, TABLES) - value(low, *numbers, TABLES), rel=2e-3)
    if terms == 0:
        assert value(np.inf, *numbers, TABLES) == mu / delta
        assert value(44.9, *numbers, TABLES) == pytest.approx(mu / delta, rel=1e-12)


def test_a_page_that_never_changes_is_worth_nothing():
    slope = np.ones(1)
    for numbers in ((0.0, 0.0, 1.0, 2.0, 0.0, 0), (0.4, 0.7, 1.1, 0.0, 0.9, 0)):
        assert value_with_slope(3.0, *numbers, TABLES, slope) == 0.0
        assert slope[0] == 0.0
