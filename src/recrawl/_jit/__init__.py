"""The one place that calls numba.

=================  ====================================================================
`compiling`        kernels, what is kept of them between runs, and when that is dropped
`by_address`       functions that large kernels call without being compiled with them
`numbers`          whole numbers of 64 bits
`prefetching`      memory asked for before it is needed
`interpreting`     kernels run by Python itself, while they are being compiled
=================  ====================================================================
"""

from recrawl._jit.by_address import opaque, pointer_to
from recrawl._jit.compiling import bare, inlined, inner, is_kept, jit
from recrawl._jit.numbers import wide, wrapped
from recrawl._jit.prefetching import prefetch_row

__all__ = ["bare", "inlined", "inner", "is_kept", "jit", "opaque", "pointer_to", "prefetch_row", "wide", "wrapped"]
