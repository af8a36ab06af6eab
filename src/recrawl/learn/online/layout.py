"""How the learner's memory is laid out: 204 bytes a page, and a small table a group.

What is not known about a page is its *type*: the unsignalled rate alpha, one of 12, and the share phi = e^-kappa of its
signals that are false, one of 7.  A page keeps the log-likelihood of each type, less the largest, in steps of 1/256.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ALPHAS, PHIS = 12, 7
TYPES = ALPHAS * PHIS
"""Type k has the (k // PHIS)-th alpha and the (k % PHIS)-th phi."""
SLOWEST, FASTEST = 1.0 / 30.0, 10.0
"""The range of alpha, in crawls of an average page: log-spaced between them."""
LEAST_PHI, MOST_PHI = 0.02, 0.999
LOG_RATIO = float(np.log(FASTEST / SLOWEST)) / (ALPHAS - 1)

STEP = 256.0
FLOOR = -32000
"""Likelihoods below e^(-32000/256) of the best are kept at that."""

POWERS = np.exp(-np.arange(8192) / STEP)
"""e^(-j/256), the likelihoods that count: looking them up is faster than computing them."""

LEAST_UNIT, MOST_UNIT = 1e-30, 1e30
"""The time between two crawls of an average page is taken to be within these: squares and quotients of rates then stay
within float64, whatever the unit of time."""

KNOTS = 8
"""The population's weights of the types depend on the page's signal rate: they are kept at so many, log-spaced."""
LOW_KNOT, HIGH_KNOT = 0.1, 30.0
KNOT_STEP = float(np.log(HIGH_KNOT / LOW_KNOT)) / (KNOTS - 1)

POOL_ROWS = 30
POOL_SHIFT = 10.0
"""A pool counts its pages by alpha/gamma and phi: what pages of one host or source have in common.  Rows are as far
apart as alphas; alpha = gamma is at row POOL_SHIFT plus that of alpha = SLOWEST."""

# Sums of a page.
SIGNALS, TIME, REQUESTS = range(3)
"""Signals and time between crawls (both fade with the half-life); requests (importance.py)."""

# Numbers of the learner.
UNIT, NOW, ORIGIN, PAGES, OUTCOMES, REFRESH_AT, LEVEL, SIGNAL_RATE = range(8)
"""Crawls of an average page per unit of time; latest time; the time pages began at; outcomes so far, and how many there
must be for the next refresh; value at which pages are crawled; signals of an average page per unit of time."""
OUTCOMES_BEFORE, NOW_BEFORE, SPELL_CRAWLS, SPELL_TIME = range(8, 12)
"""Outcomes and time at the last refresh; crawls and page-time of the recent past, from which UNIT follows."""
GROUPS, GROUP_DOUBT, SOURCE_DOUBT = range(12, 15)
"""Pools of groups come first, then those of sources.  A pool of n pages counts n/(n + doubt), everybody the rest."""
TILT, EXPLORE, FADE, HALF_LIFE = range(15, 19)
REQUESTS_FROM, REQUESTS_AT, REQUEST_HALF_LIFE, REQUEST_TIME, IMPORTANCE_FLOOR, LEAST_IMPORTANCE = range(19, 25)
"""see importance.py"""
UNIT_KNOWN, SAMPLED, ADRIFT = range(25, 28)
"""Whether UNIT was given or measured, 0 while it is a guess; how many pages there were when the sample was chosen;
whether nobody has said yet when it began: the first call tells."""
COUNT = 28


class Memory(NamedTuple):
    """Everything the kernels read and write."""

    likelihood: NDArray[np.int16]  # (pages, TYPES)
    sums: NDArray[np.float32]  # (pages, 3)
    born: NDArray[
        np.float64
    ]  # (pages,): when it came; Unix seconds in 32 bits would be minutes off, some in the future
    crawled: NDArray[np.float64]  # (pages,): the last crawl
    open: NDArray[np.uint16]  # (pages,): signals since
    group: NDArray[np.int32]  # (pages,): -1 for none
    source: NDArray[np.int16]
    types: NDArray[np.float64]  # (3, TYPES): alpha, phi, kappa
    weights: NDArray[np.float64]  # (KNOTS, TYPES)
    pools: NDArray[np.float32]  # (groups + sources, POOL_ROWS, PHIS)
    sizes: NDArray[np.float32]  # (groups + sources,): pages in each pool
    numbers: NDArray[np.float64]  # (COUNT,)
    sample: NDArray[np.int32]  # the pages priors are learned from; none: all
    room: NDArray[np.float64]  # (4, TYPES): kernels allocate nothing


PER_PAGE = ("likelihood", "sums", "born", "crawled", "open", "group", "source")


def empty_memory() -> Memory:
    """A memory of no pages."""
    return Memory(
        likelihood=np.zeros((0, TYPES), dtype=np.int16),
        sums=np.zeros((0, 3), dtype=np.float32),
        born=np.zeros(0),
        crawled=np.zeros(0),
        open=np.zeros(0, dtype=np.uint16),
        group=np.zeros(0, dtype=np.int32),
        source=np.zeros(0, dtype=np.int16),
        types=np.zeros((3, TYPES)),
        weights=np.full((KNOTS, TYPES), 1.0 / TYPES),
        pools=np.zeros((0, POOL_ROWS, PHIS), dtype=np.float32),
        sizes=np.zeros(0, dtype=np.float32),
        numbers=np.zeros(COUNT),
        sample=np.zeros(0, dtype=np.int32),
        room=np.zeros((4, TYPES)),
    )


def with_rows(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """A copy with so many rows, the new ones zero."""
    grown = np.zeros((rows, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def set_types(types: NDArray[np.float64], unit: float) -> None:
    """Fill in alpha, phi and kappa of the types, for pages crawled `unit` times per unit of time."""
    phi = np.linspace(LEAST_PHI, MOST_PHI, PHIS)
    types[0] = np.repeat(unit * np.geomspace(SLOWEST, FASTEST, ALPHAS), PHIS)
    types[1] = np.tile(phi, ALPHAS)
    types[2] = -np.log(types[1])
