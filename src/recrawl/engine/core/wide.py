"""Links are kept in 32 bits and constants are known when compiling; kernels are compiled for neither, but once."""

from typing import Any

import numpy as np

from recrawl._jit import inner


@inner
def wide(link: int | np.signedinteger[Any]) -> int:
    """The link or constant as a plain 64-bit number: every other kind would have its callee compiled once more."""
    return int(np.int64(link))
