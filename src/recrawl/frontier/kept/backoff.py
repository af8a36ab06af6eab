"""How long to leave a page or a host alone that failed.

Waits double from one failure to the next, up to a limit, and are made uneven, so that pages that failed together do not
come back together.  What makes them uneven is computed from the page and the number of failures: a frontier that is
rebuilt from its journal waits as long as before.
"""

import numpy as np
from numpy.typing import NDArray

from recrawl.arguments import Ids, Values

PAGE_WAIT, MOST_PAGE_WAIT = 60.0, 86400.0
GONE_WAIT, MOST_GONE_WAIT = 86400.0, 90.0 * 86400.0
HOST_WAIT, MOST_HOST_WAIT = 30.0, 21600.0
HOST_FAILURES = 3
"""A host is paused after this many failures in a row, of the kind that is the host's fault."""
MOST_RETRY_AFTER = 7.0 * 86400.0
"""No host is obeyed for longer than this."""


def wait_of(numbers: Ids, failures: NDArray[np.integer], first: float, most: float) -> Values:
    """Seconds to wait after this many failures in a row, from 75% to 125% of first * 2^(failures - 1)."""
    doubled = first * 2.0 ** np.minimum(failures.astype(np.float64) - 1.0, 40.0)
    return np.minimum(doubled, most) * (0.75 + 0.5 * _uneven(numbers, failures))


def _uneven(numbers: Ids, failures: NDArray[np.integer]) -> Values:
    """A number from 0 to 1 for each, the same whenever it is asked for (splitmix64)."""
    with np.errstate(over="ignore"):
        x = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + failures.astype(np.uint64)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x >> np.uint64(11)).astype(np.float64) / 2.0**53
