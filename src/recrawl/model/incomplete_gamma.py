"""scipy's regularised upper incomplete gamma function Q(k, z), callable from compiled code.

The symbol is registered with LLVM under a name of ours, so that code that calls it can be cached between runs
(a captured function pointer could not).
"""

from typing import Any

import llvmlite.binding
from numba import types
from numba.extending import get_cython_function_address

from recrawl._jit import jit

_SYMBOL = "recrawl_gammaincc"

llvmlite.binding.add_symbol(_SYMBOL, get_cython_function_address("scipy.special.cython_special", "gammaincc"))

# The third argument is Cython's own (skip dispatch); it is not read.
_external: Any = types.ExternalFunction(_SYMBOL, types.float64(types.float64, types.float64, types.int32))


@jit
def gammaincc(k: float, z: float) -> float:
    """Q(k, z) = P[Poisson(z) < k] for whole k."""
    return _external(k, z, 0)  # type: ignore[no-any-return]
