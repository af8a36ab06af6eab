"""Whole numbers as compiled code has them."""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from recrawl._jit.compiling import inner
from recrawl._jit.interpreting import called_as


@inner
def wide(number: Any) -> int:
    """A link of 32 bits, or a constant, as a plain 64-bit number.

    numba compiles a kernel once for each kind of number it is called with.  Passing all of them as this one kind keeps
    it at once.
    """
    return int(np.int64(number))


@intrinsic
def _wrapped(_context: Any, _number: Any) -> Any:
    return types.int64(types.int64), lambda _context, _builder, _signature, arguments: arguments[0]


wrapped = called_as(_wrapped, lambda number: (int(number) + (1 << 63)) % (1 << 64) - (1 << 63))
"""wrapped(number): the same to compiled code, whose numbers have 64 bits; for Python, what compiled code would have."""
