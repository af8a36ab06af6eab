"""A crawl compared: what that says of the sources that had signalled.

With staleness s of a page, P[unchanged] is e^-s.  To s the time since the crawl before adds alpha times that time, and
each signal -log(1 - precision) of its source.  So each grade of precision of one source, the others as believed, gives
a probability to what was found.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import bare, inlined
from recrawl.learn.named.hearing import kappa_of
from recrawl.learn.named.layout import (
    ALL_SOURCES,
    FINE,
    GRADES,
    KAPPAS,
    MOST_COUNT,
    NO_OPINION,
    PRECISIONS,
    Memory,
)

Ids = NDArray[np.int64]
Values = NDArray[np.float64]

KEPT = 0.999
"""What a crawl leaves of what those before it said: at first, beliefs of the other sources were wrong; and sources
change."""


@inlined
def _expect(memory: Memory, sources: int, source: int, host: int, out: Values) -> None:
    """The probabilities of grades on a host before its own crawls; host -1: on one that is new."""
    total = 0.0
    for g in range(GRADES):
        everyone = 0.0
        for s in range(sources):
            everyone += memory.sums[s, g]
        out[g] = everyone
        total += everyone
    count = 0.0
    for g in range(GRADES):
        own = memory.belief[host, source, g] if host >= 0 else 0.0
        common = ALL_SOURCES * out[g] / total if total > 0.0 else 0.0
        out[g] = max(memory.sums[source, g] - own, 0.0) + common + NO_OPINION / GRADES
        count += out[g]
    for g in range(GRADES):
        out[g] /= count


@inlined
def _judge(
    memory: Memory, sources: int, source: int, host: int, rest: float, n: float, changed: bool, believed: Values
) -> None:
    best = -math.inf
    for g in range(GRADES):
        s = rest + KAPPAS[g] * n
        gain = math.log(-math.expm1(-s) + 1e-12) if changed else -s
        memory.likelihood[host, source, g] = KEPT * memory.likelihood[host, source, g] + gain
        best = max(best, memory.likelihood[host, source, g])
    _expect(memory, sources, source, host, believed)
    total = 0.0
    for g in range(GRADES):
        memory.likelihood[host, source, g] -= best
        believed[g] *= math.exp(memory.likelihood[host, source, g])
        total += believed[g]
    mean = 0.0
    for g in range(GRADES):
        new = believed[g] / total
        memory.sums[source, g] += new - memory.belief[host, source, g]
        memory.belief[host, source, g] = new
        mean += new * PRECISIONS[g]
    memory.kappa[host, source] = -math.log1p(-mean)
    memory.judged[host, source] += n
    _expect(memory, sources, source, -1, believed)
    mean = 0.0
    for g in range(GRADES):
        mean += believed[g] * PRECISIONS[g]
    memory.expected[source] = -math.log1p(-mean)


@bare
def judge(
    memory: Memory,
    sources: int,
    hosts: Ids,
    alphas: Values,
    elapsed: Values,
    counts: NDArray[np.uint8],
    changed: NDArray[np.bool_],
    room: Values,
) -> None:
    """Crawls of pages of these hosts, `elapsed` after the crawl before, with `counts` of signals by source.

    `room` is for GRADES numbers: kernels allocate nothing.
    """
    for k in range(len(hosts)):
        host = hosts[k]
        if host < 0:
            continue
        most, s = 0, alphas[k] * elapsed[k]
        mean = s  # of the changes there were
        for source in range(sources):
            most = max(most, counts[k, source])
            n = counts[k, source] / FINE
            kappa = kappa_of(memory, host, source)
            s += kappa * n
            mean -= math.expm1(-kappa) * n
        if most >= MOST_COUNT:
            continue
        if changed[k]:
            memory.changes[host] += mean / -math.expm1(-s) if s > 0.0 else 1.0
        for source in range(sources):
            n = counts[k, source] / FINE
            if n > 0.0:
                rest = max(s - kappa_of(memory, host, source) * n, 0.0)
                _judge(memory, sources, source, host, rest, n, changed[k], room)
