"""Pages whose signals are late, or come from several sources: staleness, value and weights from shared tables.

Row 0 of a scheduler's `tables` is the latency of signals (model/late_table.py; zeros where they come at once), row
1 + c the solution of class c of sources (model/source_table.py).  A page of class c has -(1 + c) in place of its signal
rate, and its change rate in place of its signal weight.

Each function here is compiled once and called by its address: the engine's kernels would otherwise compile the maths
again, each of them.  Without tables nothing but `plain_value` and `plain_value_with_slope` is called.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import opaque
from recrawl.model import late_table, scalar
from recrawl.model.late import late_part, late_slope
from recrawl.model.late_table import MEAN, tabulate
from recrawl.model.latencies import KnownLatency
from recrawl.model.scalar import FLAT
from recrawl.model.source_table import SIZE, class_slope, class_value
from recrawl.model.sources import Sources

Array = NDArray[np.float64]

plain_value = opaque(scalar.value_given_delta.py_func, "ffffffi")  # type: ignore[attr-defined]
plain_value_with_slope = opaque(scalar.value_with_slope.py_func, "ffffffip")  # type: ignore[attr-defined]
"""The value of a page whose signals come at once and from one source."""


def no_tables() -> Array:
    """For signals that come at once, from sources that need no telling apart."""
    return np.empty((0, 1))


def tables_of(latency: KnownLatency | None, sources: Sources | None) -> Array:
    """All the tables a scheduler needs, none where it can do without."""
    if sources is not None:
        return np.concatenate((np.zeros((1, SIZE + sources.count)), sources.tables))
    if latency is None:
        return no_tables()
    table = tabulate(latency)
    return table[None, :] if table[0] > 0.0 else no_tables()


def of_tables(
    x: float, alpha: float, kappa: float, gamma: float, mu: float, delta: float, terms: int, tables: Any, width: int
) -> float:
    """The value at staleness x."""
    if gamma < 0.0:
        return class_value(x, mu, delta, tables, int(-gamma) * width)
    if terms == 0 and x >= FLAT and delta > 0.0:
        return mu / delta
    a, b, y = late_part(x, mu, delta, tables[MEAN])
    return a + b * plain_value(y, alpha, kappa, gamma, mu, delta, terms)


def of_tables_with_slope(
    x: float,
    alpha: float,
    kappa: float,
    gamma: float,
    mu: float,
    delta: float,
    terms: int,
    tables: Any,
    width: int,
    slope: Any,
) -> float:
    """The same to the last bit at 0 < x < inf, with dV/dx written to slope[0]."""
    slope[0] = 0.0
    if gamma < 0.0:
        slope[0] = class_slope(x, mu, delta, tables, int(-gamma) * width)
        return class_value(x, mu, delta, tables, int(-gamma) * width)
    if terms == 0 and x >= FLAT and delta > 0.0:
        return mu / delta
    a, b, y = late_part(x, mu, delta, tables[MEAN])
    later = plain_value_with_slope(y, alpha, kappa, gamma, mu, delta, terms, slope)
    slope[0] = late_slope(x, mu, delta, tables[MEAN], slope[0])
    return a + b * later


value = opaque(of_tables, "ffffffipi")
value_with_slope = opaque(of_tables_with_slope, "ffffffipip")


unannounced = opaque(late_table.unannounced.py_func, "pf")  # type: ignore[attr-defined]
weight_at = opaque(late_table.weight_at.py_func, "pff")  # type: ignore[attr-defined]
age_at = opaque(late_table.age_at.py_func, "pfff")  # type: ignore[attr-defined]
