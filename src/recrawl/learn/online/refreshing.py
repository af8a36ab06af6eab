"""Priors are learned anew: a job that is done at once, or in slices of so many pages a call.

Theory of operation
-------------------
1. The job goes through phases, and in each over pages: count the pages of each host, choose a sample by that
   (sampling.py; only where there are very many pages, and many more than at the last choice), add up the signal rate of
   all, judge the pools (pool_doubt.py), see how alike pages are (shapes.py, leaning.py), and then the passes of EM
   (population.py).
2. Pace, types, weights and doubts are learned in a *draft*, a memory that shares its pages with the learner's.  What is
   believed of pages meanwhile rests on what was there before.  When the job ends the draft takes its place.
3. Pools have two sides.  A pass reads the one in use and writes the other; then they change places.  They depend on no
   pace, so what is believed meanwhile may use them as they are.
4. All the job knows is in `Job` and in the memory.  Where a slice ends changes nothing but which outcomes it has seen.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.online.importance import keep_mean, mean_importance
from recrawl.learn.online.layout import (
    BROKE_AT,
    BROKEN,
    CHOSEN,
    CLOCK,
    COUNT,
    HOST_COUNT,
    HOST_DOUBT,
    IMPORTANCE_FLOOR,
    KIND_DOUBT,
    KIND_ROOM,
    KNOTS,
    LEANING,
    LEAST_IMPORTANCE,
    OUTCOMES,
    PACE,
    PAGE_COUNT,
    REFRESH_AT,
    REQUESTS_FROM,
    SAMPLED,
    SIDE,
    SIGNAL_RATE,
    TYPES,
    Memory,
)
from recrawl.learn.online.leaning import LEANINGS, take_leaning, weigh_leanings
from recrawl.learn.online.pool_doubt import DOUBTS, best_doubt, judge
from recrawl.learn.online.population import add_page, crawl_rate, end_pass
from recrawl.learn.online.prior import signals_of_late
from recrawl.learn.online.sampling import quota, sample_size
from recrawl.learn.online.shapes import compare, no_fits, take_shape
from recrawl.learn.online.type_likelihood import set_pace

PASSES, FIRST_PASSES = 3, 10
SOONEST, LATEST, SHARE = 0.1, 5.0, 0.2
"""Rounds to the next refresh: a fifth of those so far, or since signals broke with their past, within these."""
MOVED = 1.5
"""Types move along when the crawl rate has changed by this factor."""
GROWN = 1.02
"""A sample is chosen anew when there are this many times the pages."""
LIGHT, HEAVY = 32, 30
"""Pages that are only counted or added up: so many take as long as one whose types are weighed.  One that is compared
takes as long as so many of those."""
COMPARED = 500
"""Pages that are compared, about, at most: what all pages have in common shows in some hundreds."""
_GOLDEN = 0.6180339887498949
"""Which those are: its multiples fill the interval from 0 to 1 evenly, and go with no order of the pages."""

# Phases, in their order.
IDLE, COUNTING, CHOOSING, ADDING_UP, JUDGING, COMPARING, LEARNING = range(7)

# State of the job.
PHASE, PLACE, PASSES_LEFT, SLICE = range(4)
"""PLACE: pages looked at in this phase.  SLICE: pages a call may look at."""
MOST, QUOTA, SPARE, TAKEN = range(4, 8)
"""The sample: its size, the pages each host has in it for certain, the hosts that have one more, pages taken so far."""
HEARD, WATCHED = range(8, 10)
"""Signals and time of all pages, as far as added up."""
STATE_COUNT = 10


class Job(NamedTuple):
    """How far a refresh has come, and its draft."""

    state: NDArray[np.float64]  # (STATE_COUNT,)
    numbers: NDArray[np.float64]  # (COUNT,): the draft's
    types: NDArray[np.float64]  # (3, TYPES): the draft's
    weights: NDArray[np.float64]  # (KNOTS, TYPES): the draft's
    sums: NDArray[np.float64]  # (KNOTS, TYPES): of this pass so far
    scores: NDArray[np.float64]  # (2, DOUBTS): of kinds and of hosts, so far
    fits: NDArray[np.float64]  # how well each combination, and last the weights as they are, fit so far (shapes.py)
    leanings: NDArray[np.float64]  # (LEANINGS,): how well each fits so far
    shape: NDArray[np.float64]  # (TYPES,): the one chosen last


def idle_job(pages_a_call: float = math.inf) -> Job:
    """No refresh is under way."""
    state = np.zeros(STATE_COUNT)
    state[SLICE] = pages_a_call
    drafts = np.zeros(COUNT), np.zeros((3, TYPES)), np.zeros((KNOTS, TYPES)), np.zeros((KNOTS, TYPES))
    judged = np.zeros((2, len(DOUBTS))), no_fits(), np.zeros(len(LEANINGS))
    return Job(state, *drafts, *judged, np.full(TYPES, 1.0 / TYPES))


@jit
def begin(memory: Memory, job: Job) -> None:
    """Start anew, whatever was under way."""
    rate = crawl_rate(memory)
    numbers, most = memory.numbers, sample_size(int(memory.numbers[HOST_COUNT]))
    if numbers[PAGE_COUNT] <= most:
        numbers[CHOSEN] = numbers[SAMPLED] = 0.0
    job.numbers[:] = memory.numbers
    job.types[:] = memory.types
    job.weights[:] = memory.weights
    job.state[PASSES_LEFT] = PASSES
    if rate > 0.0 and abs(math.log(rate / memory.numbers[PACE])) >= math.log(MOVED):
        set_pace(_draft(memory, job), rate)
        job.weights[:] = 1.0 / TYPES
        job.state[PASSES_LEFT] = FIRST_PASSES
    job.state[MOST], job.state[TAKEN] = most, 0.0
    too_few = numbers[PAGE_COUNT] > most and numbers[PAGE_COUNT] > GROWN * numbers[SAMPLED]
    _enter(memory, job, COUNTING if too_few else ADDING_UP)


@jit
def work(memory: Memory, job: Job) -> bool:
    """One slice of what is under way; True where that is the end of it."""
    state = job.state
    if memory.numbers[BROKEN] > 0.0:
        memory.numbers[BROKEN] = 0.0
        # Without hosts the weights themselves were opened.  With them some host breaks at any time, and a refresh that
        # each of them began anew would never end.
        if state[PHASE] == IDLE or memory.numbers[HOST_COUNT] == 0.0:
            begin(memory, job)
    if state[PHASE] == IDLE:
        return False
    for k in (CLOCK, PAGE_COUNT, HOST_COUNT, KIND_ROOM):
        job.numbers[k] = memory.numbers[k]
    draft, left = _draft(memory, job), state[SLICE]
    while state[PHASE] != IDLE and left > 0.0:
        phase = int(state[PHASE])
        start, weight = int(state[PLACE]), _weight(draft, phase)
        chosen = int(memory.numbers[CHOSEN]) if phase >= JUDGING else 0
        pages = chosen if chosen > 0 else int(memory.numbers[PAGE_COUNT])
        end = int(min(start + np.ceil(left / weight), float(pages)))  # a slice may be endless
        _look(draft, job, phase, start, end)
        left -= (end - start) * weight
        state[PLACE] = end
        if end >= pages:
            _leave(memory, draft, job, phase)
    return bool(state[PHASE] == IDLE)


@jit
def at_once(memory: Memory, job: Job) -> None:
    """A whole refresh."""
    a_call = job.state[SLICE]
    job.state[SLICE] = math.inf
    begin(memory, job)
    work(memory, job)
    job.state[SLICE] = a_call


@jit
def _draft(memory: Memory, job: Job) -> Memory:
    """The same pages and pools, seen with what has been learned so far."""
    return Memory(
        memory.likelihood,
        memory.pace,
        memory.regime,
        memory.sums,
        memory.born,
        memory.crawled,
        memory.open,
        memory.looks,
        memory.host,
        memory.kind,
        job.types,
        job.weights,
        memory.pools,
        memory.sizes,
        job.numbers,
        memory.watch,
        memory.hits,
        memory.before,
        memory.sample,
        memory.tally,
        memory.room,
        memory.moved,
    )


@jit
def _enter(memory: Memory, job: Job, phase: int) -> None:
    """Begin a phase with nothing counted."""
    state = job.state
    state[PHASE], state[PLACE] = phase, 0.0
    if phase in (COUNTING, CHOOSING):
        memory.tally[:] = 0
    elif phase == ADDING_UP:
        state[HEARD], state[WATCHED] = 1.0, 1.0 / job.numbers[PACE]
    elif phase == JUDGING:
        job.scores[:] = 0.0
    elif phase == COMPARING:
        job.fits[:] = 0.0
        job.leanings[:] = 0.0
    elif phase == LEARNING:
        job.sums[:] = 0.0
        memory.sizes[:, 1 - int(memory.numbers[SIDE])] = 0.0


@jit
def _look(draft: Memory, job: Job, phase: int, start: int, end: int) -> None:
    """What a phase does with the pages from `start` to `end`: of the sample, or of all."""
    if phase == COUNTING:
        for i in range(start, end):
            draft.tally[draft.host[i] + 1] += 1
    elif phase == CHOOSING:
        for i in range(start, end):
            _choose(draft, job, i)
    elif phase == ADDING_UP:
        for i in range(start, end):
            heard, watched = signals_of_late(draft, i)
            job.state[HEARD] += heard
            job.state[WATCHED] += watched
    elif phase == JUDGING:
        for at in range(start, end):
            judge(draft, _page(draft, at), job.scores)
    elif phase == COMPARING:
        apart = _apart(draft)
        for at in range(start, end):
            if at * _GOLDEN % 1.0 * apart < 1.0:
                compare(draft, _page(draft, at), job.fits)
                weigh_leanings(draft, _page(draft, at), job.leanings)
    else:
        sums = job.sums.copy()  # an array of its own cannot overlap others, and is added to twice as fast
        for at in range(start, end):
            add_page(draft, _page(draft, at), sums)
        job.sums[:] = sums


@jit
def _page(draft: Memory, at: int) -> int:
    return int(draft.sample[at]) if draft.numbers[CHOSEN] > 0.0 else at


@jit
def _weight(draft: Memory, phase: int) -> float:
    """How long a page takes in a phase, beside one whose types are weighed."""
    if phase < JUDGING:
        return 1.0 / LIGHT
    return HEAVY / _apart(draft) if phase == COMPARING else 1.0


@jit
def _apart(draft: Memory) -> int:
    """Of so many pages one is compared."""
    chosen = draft.numbers[CHOSEN]
    apart: int = math.ceil((chosen if chosen > 0.0 else draft.numbers[PAGE_COUNT]) / COMPARED)
    return apart


@jit
def _choose(draft: Memory, job: Job, i: int) -> None:
    """The first pages of each host are in the sample."""
    state, host = job.state, draft.host[i] + 1
    rank = draft.tally[host]
    draft.tally[host] += 1
    if rank > state[QUOTA] or state[TAKEN] >= state[MOST]:
        return
    if rank == state[QUOTA]:
        if state[SPARE] <= 0.0:
            return
        state[SPARE] -= 1.0
    draft.sample[int(state[TAKEN])] = i
    state[TAKEN] += 1.0


@jit
def _leave(memory: Memory, draft: Memory, job: Job, phase: int) -> None:
    """All pages of a phase have been looked at: what follows from it, and on to the next."""
    state, numbers = job.state, memory.numbers
    if phase == COUNTING:
        state[QUOTA], state[SPARE] = quota(memory.tally, int(state[MOST]))
        _enter(memory, job, CHOOSING)
    elif phase == CHOOSING:
        numbers[CHOSEN], numbers[SAMPLED] = state[TAKEN], numbers[PAGE_COUNT]
        draft.numbers[CHOSEN] = state[TAKEN]
        _enter(memory, job, ADDING_UP)
    elif phase == ADDING_UP:
        draft.numbers[SIGNAL_RATE] = state[HEARD] / state[WATCHED]
        pools = numbers[HOST_COUNT] + numbers[KIND_ROOM]
        _enter(memory, job, JUDGING if pools > 0.0 else COMPARING)
    elif phase == JUDGING:
        draft.numbers[KIND_DOUBT] = best_doubt(job.scores[0])
        draft.numbers[HOST_DOUBT] = best_doubt(job.scores[1])
        _enter(memory, job, COMPARING)
    elif phase == COMPARING:
        take_leaning(draft, job.leanings)
        take_shape(draft, job.fits, job.shape)
        _enter(memory, job, LEARNING)
    else:
        end_pass(draft, job.sums, job.shape)
        numbers[SIDE] = draft.numbers[SIDE]
        state[PASSES_LEFT] -= 1.0
        if state[PASSES_LEFT] > 0.0:
            _enter(memory, job, LEARNING)
        else:
            _publish(memory, job)


@jit
def _publish(memory: Memory, job: Job) -> None:
    """The draft takes its place; when there is to be another."""
    numbers = memory.numbers
    for k in (PACE, SIGNAL_RATE, LEANING, HOST_DOUBT, KIND_DOUBT):
        numbers[k] = job.numbers[k]
    memory.types[:] = job.types
    memory.weights[:] = job.weights
    keep_mean(memory)
    if numbers[REQUESTS_FROM] < math.inf:
        numbers[LEAST_IMPORTANCE] = numbers[IMPORTANCE_FLOOR] * mean_importance(memory)
    known = (numbers[OUTCOMES] - numbers[BROKE_AT]) / numbers[PAGE_COUNT]
    wait = min(max(SHARE * known, SOONEST), LATEST)
    numbers[REFRESH_AT] = numbers[OUTCOMES] + max(wait * numbers[PAGE_COUNT], 1.0)
    job.state[PHASE] = IDLE
