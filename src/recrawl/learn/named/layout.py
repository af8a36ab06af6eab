"""How the memory of named sources is laid out: 5 bytes a page and source, 208 a host and source.

The precision of a source on a host is taken to be one of GRADES values.  A host keeps how likely each makes what crawls
found after the source's signals.  What is expected before that is the mean of the source's other hosts, with a little
of all sources and a little of no opinion.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.learn.online.layout import PHI_VALUES

GRADES = 24
KAPPAS = np.geomspace(0.02, 4.6, GRADES)
"""What a signal of each grade adds to the staleness."""
PRECISIONS = -np.expm1(-KAPPAS)
"""From .02 to .99."""
_PRECISIONS_BEFORE = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98])
"""The grades of the first version."""

UNIT = -float(np.log(PHI_VALUES[0]))
"""What a signal of weight one adds to the staleness, where there are several sources.  It is what one of the learner's
types takes a signal to add, so that what a page's signals add lies on a type: of what lies between two of them, a part
would be taken for changes that nobody signals.  And it is the same on all hosts, so that their change rates compare."""

ENOUGH = 500.0
"""Signals of a host that were judged, for its sources to be known."""

MOST_SOURCES, AT_A_TIME = 32, 1
"""How many there may be, and how many are made room for in one call: clearing new memory takes 1 to 2 ms a megabyte."""
TOGETHER = ""
"""The name under which signals of several sources for one change are kept: their precision is learned as that of a
source.  No source has this name."""
WINDOW = 60.0
"""Signals of different sources tell of one change where the moments they tell of are this many seconds apart at most;
one that names no moment tells of that of its arrival."""
MARK, DATED, WITH_OTHERS = 0xFFFFFFF8, 4, 2
"""What was told last of a page is a moment in milliseconds, to eight of them; then a bit that the source named it, one
that it was told together with another source, and one that is always set."""
FINE = 16.0
"""Signals since the last crawl are counted in sixteenths, for one that may be old news counts in part."""
MOST_COUNT = 255
"""Intervals with as many sixteenths or more teach nothing of the sources: nobody knows how many there were."""

LATENESSES = 32
STEP = float(np.log(30.0 * 86400.0)) / (LATENESSES - 2)
"""How late signals come is counted in bins: below a second, and then by equal factors up to a month."""
MOST_LATE = 10_000.0
"""After this many all bins are halved, so that the latest count most."""

ALL_SOURCES = 2.0
NO_OPINION = 1.0
"""What all sources say counts as much as this number of hosts, and having no opinion, all grades alike, as that."""


class Memory(NamedTuple):
    """Everything the kernels read and write.  Columns of sources that are not there yet are spare."""

    counts: NDArray[np.uint8]  # (pages, sources): signals since the last crawl, in sixteenths
    told: NDArray[np.uint32]  # (pages, sources): which moment was told of last, 0 for none
    likelihood: NDArray[np.float32]  # (hosts, sources, GRADES): logarithm, less that of the likeliest
    belief: NDArray[np.float32]  # (hosts, sources, GRADES): the probabilities of grades as of the last crawl judged
    kappa: NDArray[np.float32]  # (hosts, sources): what a signal adds, 0 while nothing was judged
    heard: NDArray[np.float32]  # (hosts, sources): signals
    shared: NDArray[np.float32]  # (hosts, sources): those of them that came together with another source's
    judged: NDArray[np.float32]  # (hosts, sources): signals of intervals that have ended
    changes: NDArray[np.float32]  # (hosts,): changes in these intervals, as far as one knows
    sums: NDArray[np.float64]  # (sources, GRADES): the beliefs of all hosts together
    expected: NDArray[np.float64]  # (sources,): what a signal adds on a host not judged yet
    totals: NDArray[np.float64]  # (sources,): signals
    late: NDArray[np.float64]  # (sources, LATENESSES)


BY_PAGE = ("counts", "told")
BY_HOST = ("likelihood", "belief", "kappa", "heard", "shared", "judged", "changes")
BY_SOURCE = ("sums", "expected", "totals", "late")


def empty_memory() -> Memory:
    """No page, no host, room for one source."""
    return Memory(
        counts=np.zeros((0, 1), dtype=np.uint8),
        told=np.zeros((0, 1), dtype=np.uint32),
        likelihood=np.zeros((0, 1, GRADES), dtype=np.float32),
        belief=np.zeros((0, 1, GRADES), dtype=np.float32),
        kappa=np.zeros((0, 1), dtype=np.float32),
        heard=np.zeros((0, 1), dtype=np.float32),
        shared=np.zeros((0, 1), dtype=np.float32),
        judged=np.zeros((0, 1), dtype=np.float32),
        changes=np.zeros(0, dtype=np.float32),
        sums=np.zeros((1, GRADES)),
        expected=np.full(1, float(-np.log1p(-PRECISIONS.mean()))),
        totals=np.zeros(1),
        late=np.zeros((1, LATENESSES)),
    )


def with_rows(memory: Memory, names: tuple[str, ...], rows: int) -> Memory:
    """The memory with that many pages or hosts at least."""
    if rows <= len(getattr(memory, names[0])):
        return memory
    return memory._replace(**{name: roomy.longer(getattr(memory, name), rows) for name in names})


def with_sources(memory: Memory, sources: int) -> Memory:
    """The memory with room for that many sources at least, and for one more where there are several."""
    room = memory.counts.shape[1]
    if sources <= room:
        return memory
    room = min(max(sources, room + min(room, AT_A_TIME)), MOST_SOURCES + 1)  # TOGETHER is one more
    fields: dict[str, NDArray[Any]] = {}
    for name in (*BY_PAGE, *BY_HOST):
        old = getattr(memory, name)
        if old.ndim > 1:
            fields[name] = roomy.wider(old, room)
    for name in BY_SOURCE:
        fields[name] = roomy.longer(getattr(memory, name), room)
    fields["expected"][len(memory.expected) :] = empty_memory().expected[0]
    return memory._replace(**fields)


def regraded(others: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What was kept of hosts and sources, in the present grades if an earlier version kept it in its own."""
    likelihood = others["likelihood"]
    if likelihood.shape[2] == GRADES:
        return others
    before = -np.log1p(-_PRECISIONS_BEFORE)
    rows = likelihood.reshape(-1, len(before))
    moved = [np.interp(np.log(KAPPAS), np.log(before), row) for row in rows]
    kept = {name: column for name, column in others.items() if name not in ("belief", "sums")}  # they follow from it
    return {**kept, "likelihood": np.reshape(moved, (*likelihood.shape[:2], GRADES)).astype(np.float32)}
