"""Pages whose signals are late: staleness, value and weights from the shared tables.

A scheduler that needs them has `tables`: row 0 is the latency of signals (model/late_table.py; its first number is 0
where there is none).  Without tables none of this is called, and nothing here costs anything.
"""

from recrawl._jit import opaque
from recrawl.model import late, late_table

# Behind an address: the engine's kernels would otherwise compile the maths again each.
unannounced = opaque(late_table.unannounced.py_func, "pf")  # type: ignore[attr-defined]
weight_at = opaque(late_table.weight_at.py_func, "pff")  # type: ignore[attr-defined]
age_at = opaque(late_table.age_at.py_func, "pfff")  # type: ignore[attr-defined]
value = opaque(late.late_value.py_func, "ffffffif")  # type: ignore[attr-defined]
value_with_slope = opaque(late.late_value_with_slope.py_func, "ffffffifp")  # type: ignore[attr-defined]
inverse = opaque(late.late_inverse.py_func, "ffffffif")  # type: ignore[attr-defined]
