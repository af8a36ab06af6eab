"""How the learner's memory is laid out: 215 bytes a page, and 1.9 kB for each host and each kind.

Two things are not known about a page: its unsignalled rate alpha, and the share phi = e^-kappa of its signals that are
false.  Alpha is taken to be one of 12 values and phi one of 7; a pair of them is a *type*.  A page keeps how likely
each of the 84 types makes its outcomes: the logarithm, less that of the likeliest type, in steps of 1/256.

Alphas are multiples of the pace, so the types move when the pace does.  Moving what all pages keep would take seconds
for a million; so each page keeps the pace at which its likelihoods are meant, and is moved when it is next crawled.
Who only asks moves a copy.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ALPHAS, PHIS = 12, 7
TYPES = ALPHAS * PHIS
"""Type k has the (k // PHIS)-th alpha and the (k % PHIS)-th phi."""
SLOWEST, FASTEST = 1.0 / 100.0, 30.0
"""The least and the greatest alpha, in changes a round; a round is the time between two crawls of an average page.  The
others are spaced evenly in the logarithm between them."""
PHI_VALUES = (0.02, 0.2, 0.38, 0.57, 0.76, 0.92, 0.999)
"""Finer where most signals are false: of spam it matters much whether one in ten or one in a hundred is true."""
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
"""What is expected of a page depends on its signal rate.  The weights of types are kept for this many signal rates,
from LOW_KNOT to HIGH_KNOT signals a round, evenly spaced in the logarithm; between two of them they are
interpolated."""
LOW_KNOT, HIGH_KNOT = 0.1, 30.0
KNOT_STEP = float(np.log(HIGH_KNOT / LOW_KNOT)) / (KNOTS - 1)

POOL_ROWS = 30
POOL_SHIFT = 10.0
"""A pool is the pages of one host, or of one kind.  It counts them by alpha/gamma (a row) and phi (a column), for that
is what its pages have in common, however often they change.  One row is as much more than the one before as one alpha.
A page whose signal rate is the pace has alpha = SLOWEST in row POOL_SHIFT."""

# Sums of a page.
SIGNALS, TIME, REQUESTS = range(3)
"""Signals and time between crawls (both fade with the half-life); requests (importance.py)."""

MOST_LOOKS = 255
"""Outcomes of a page are counted up to this many.  A page that someone knew beforehand begins with all of them."""

# Numbers of the learner.
PACE, CLOCK, BEGAN, PAGE_COUNT, OUTCOMES, REFRESH_AT, CRAWL_LEVEL, SIGNAL_RATE = range(8)
"""PACE: crawls of an average page per unit of time, a number of 32 bits, as pages keep it.  CLOCK: the latest time
seen.  BEGAN: when the learner began.
PAGE_COUNT: pages.  OUTCOMES: crawls observed, and REFRESH_AT: how many there must be for the next refresh.
CRAWL_LEVEL: the value at which pages are crawled.  SIGNAL_RATE: signals of an average page per unit of time."""
OUTCOMES_BEFORE, CLOCK_BEFORE, SPELL_CRAWLS, SPELL_TIME = range(8, 12)
"""Outcomes and time at the last refresh; crawls of late and the time they took (pages times time): PACE is their
ratio."""
HOST_COUNT, HOST_DOUBT, KIND_DOUBT = range(12, 15)
"""How many hosts there are.  How much pools of hosts and of kinds are
doubted: what is expected of a page comes from its pool of n pages with weight n/(n + doubt), from all pages with the
rest."""
TILT, EXPLORE, FADE, HALF_LIFE = range(15, 19)
REQUESTS_FROM, REQUESTS_AT, REQUEST_HALF_LIFE, REQUEST_TIME, IMPORTANCE_FLOOR, LEAST_IMPORTANCE = range(19, 25)
"""Requests and importance: see importance.py."""
PACE_KNOWN, SAMPLED, ADRIFT, CHOSEN = range(25, 29)
"""PACE_KNOWN: 0 while the pace is a guess, 1 when it was given or measured.  SAMPLED: how many pages there were when
the sample was chosen.  ADRIFT: 1 until a call says what time it is, if the constructor did not.  CHOSEN: pages in the
sample, 0 where it is all."""
KIND_ROOM, SIDE = range(29, 31)
"""Pools of kinds come first, in this many rows, then those of hosts.  SIDE: which of a pool's two tables is in use."""
MEAN_IMPORTANCE, MEAN_OF = range(31, 33)
"""The mean importance of pages where there are very many, and how many there were when it was taken."""
BROKEN, BROKE_AT = range(33, 35)
"""BROKEN: 1 where signals broke with their past (breaks.py) and pages have not been told.  BROKE_AT: the outcomes there
were then, where all signals did; less where only those of some pages did."""
AFTER_HEARD, AFTER_EXPECTED, FOUND = range(35, 38)
"""Signals of late that came soon after a crawl of their page, how many were expected, and changes that crawls found."""
FORESEEN = 38
"""By how much outcomes were better foreseen from those of the same page before than from all pages' (alike.py)."""
LEANING = 39
"""For how many rounds of watching a page itself the signal rate of all pages counts (leaning.py)."""
WEIGHT, SQUARES = range(40, 42)
"""The weights of signals heard, and their squares, added up: what one signal counts is the quotient."""
COUNT = 42

USUAL_LEANING = 0.2
"""That before anything is known of it."""

# What is watched of the signals of a group: of the pages of no host, and of those of each host (breaks.py).
REGIME, FIRST, SINCE, PAGES = range(4)
"""REGIME: signals of an average page per unit of time when they last broke with their past, 0 where they never did; a
number of 32 bits, as pages keep it.  FIRST: the same before the first break.  SINCE: when the last one began.  PAGES:
pages of the group that had an outcome, whose signals alone are counted."""
RATE, DISPERSION, TICKS, TICK_FROM, TICK_LENGTH, TICK_HEARD = range(4, 10)
"""RATE: signals of an average page per unit of time in the ticks since the break but for the latest; DISPERSION:
variance of their counts over the mean; TICKS: how many they are.  TICK_FROM, TICK_LENGTH, TICK_HEARD: the present
tick and its signals."""
LATEST_TICKS = 3
LATE_HEARD, LATE_EXPOSED = 10, 10 + LATEST_TICKS
"""Signals and page-time of the latest ticks, the oldest first."""
PAST_PAGES = LATE_EXPOSED + LATEST_TICKS
"""PAGES when the past began."""
BURST_FROM, BURST_HEARD, SILENCE, BULK_SHARE = range(PAST_PAGES + 1, PAST_PAGES + 5)
"""BURST_FROM, BURST_HEARD: when the present burst of signals began, and how many they are.  SILENCE: the time
between it and the burst before.  BULK_SHARE: the share of signals of late that came in bursts which hit most pages."""
WATCHED = BULK_SHARE + 1

# How often the signals of a group were right.
SPELL_TRIED, SPELL_HIT, PAST_TRIED, PAST_HIT = range(4)
"""Crawls of pages with signals, and how many of them found a change: in the spell of ticks with more signals than usual
that lasts up to now, and in the past.  Both are halved where there are many."""
HITS = 4


class Memory(NamedTuple):
    """Everything the kernels read and write."""

    likelihood: NDArray[np.int16]  # (pages, TYPES)
    pace: NDArray[np.float32]  # (pages,): the pace at which its likelihoods are meant
    regime: NDArray[np.float32]  # (pages,): the regime of signals at which they are meant (regimes.py)
    sums: NDArray[np.float32]  # (pages, 3)
    born: NDArray[np.float64]  # (pages,): when it came.  32 bits would put some births of Unix times into the future
    crawled: NDArray[np.float64]  # (pages,): the last crawl
    open: NDArray[np.float32]  # (pages,): signals since, each with its weight
    looks: NDArray[np.uint8]  # (pages,): outcomes seen, up to MOST_LOOKS
    host: NDArray[np.int32]  # (pages,): -1 for none
    kind: NDArray[np.int16]  # (pages,): -1 for none
    types: NDArray[np.float64]  # (3, TYPES): alpha, phi, kappa
    weights: NDArray[np.float64]  # (KNOTS, TYPES)
    pools: NDArray[np.float32]  # (kinds + hosts, 2, POOL_ROWS, PHIS): one side in use, one that is being learned
    sizes: NDArray[np.float32]  # (kinds + hosts, 2): pages in each pool; a table of none holds nothing
    numbers: NDArray[np.float64]  # (COUNT,)
    watch: NDArray[np.float64]  # (1 + hosts, WATCHED): what is watched of the signals of each host, first of none
    hits: NDArray[np.uint16]  # (1 + hosts, HITS): how often they were right
    before: NDArray[np.float64]  # (KNOTS, TYPES): the weights before the last break of all signals
    sample: NDArray[np.int32]  # the pages priors are learned from, the first CHOSEN
    tally: NDArray[np.int32]  # (1 + hosts,): pages of no host and of each, counted while a sample is chosen
    room: NDArray[np.float64]  # (4, TYPES): kernels allocate nothing
    moved: NDArray[np.int16]  # (TYPES,): the likelihoods of a page, moved to the present pace to be read


PER_PAGE = ("likelihood", "pace", "regime", "sums", "born", "crawled", "open", "looks", "host", "kind")


def empty_memory() -> Memory:
    """A memory of no pages."""
    return Memory(
        likelihood=np.zeros((0, TYPES), dtype=np.int16),
        pace=np.zeros(0, dtype=np.float32),
        regime=np.zeros(0, dtype=np.float32),
        sums=np.zeros((0, 3), dtype=np.float32),
        born=np.zeros(0),
        crawled=np.zeros(0),
        open=np.zeros(0, dtype=np.float32),
        looks=np.zeros(0, dtype=np.uint8),
        host=np.zeros(0, dtype=np.int32),
        kind=np.zeros(0, dtype=np.int16),
        types=np.zeros((3, TYPES)),
        weights=np.full((KNOTS, TYPES), 1.0 / TYPES),
        pools=np.zeros((0, 2, POOL_ROWS, PHIS), dtype=np.float32),
        sizes=np.zeros((0, 2), dtype=np.float32),
        numbers=np.where(np.arange(COUNT) == LEANING, USUAL_LEANING, 0.0),
        watch=np.zeros((1, WATCHED)),
        hits=np.zeros((1, HITS), dtype=np.uint16),
        before=np.full((KNOTS, TYPES), 1.0 / TYPES),
        sample=np.zeros(0, dtype=np.int32),
        tally=np.zeros(1, dtype=np.int32),
        room=np.zeros((4, TYPES)),
        moved=np.zeros(TYPES, dtype=np.int16),
    )


def set_types(types: NDArray[np.float64], pace: float) -> None:
    """Fill in alpha, phi and kappa of the types; an average page is crawled `pace` times per unit of time."""
    types[0] = np.repeat(pace * np.geomspace(SLOWEST, FASTEST, ALPHAS), PHIS)
    types[1] = np.tile(PHI_VALUES, ALPHAS)
    types[2] = -np.log(types[1])
