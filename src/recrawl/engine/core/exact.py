"""The value of a page whose signals come at once and from one source: compiled once, and called by its address.

The engine's kernels would otherwise compile the maths again each.
"""

from recrawl._jit import opaque
from recrawl.model import scalar

value = opaque(scalar.value_given_delta.py_func, "ffffffi")  # type: ignore[attr-defined]
value_with_slope = opaque(scalar.value_with_slope.py_func, "ffffffip")  # type: ignore[attr-defined]
