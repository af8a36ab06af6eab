"""Links are kept in 32 bits; kernels work in 64, so that each is compiled for one kind of number only."""

import numpy as np

from recrawl._jit import jit


@jit
def wide(link: int) -> int:
    """The link as a 64-bit number."""
    return int(np.int64(link))
