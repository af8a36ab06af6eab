"""What can be done together: signals of one source in one call, and one lease for all who want pages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from recrawl.clock import seconds
from recrawl.errors import InputError
from recrawl.frontier import Batch, Frontier
from recrawl.frontier.completing import Outcomes

if TYPE_CHECKING:
    from asyncio import Future

MOST = 100_000
"""Signals, or pages, that are handled in one call."""
HANDFUL = 500
"""Outcomes that are handled in one call, where it is several requests'."""

Answered: TypeAlias = "tuple[Future[Any], Any, Exception | None]"
"""Who waits for the answer, the answer, and what went wrong."""


@dataclass(slots=True, eq=False)
class Call:
    """Anything that uses the frontier."""

    work: Callable[[], Any]
    future: "Future[Any]"
    came: float = field(default_factory=seconds)


@dataclass(slots=True, eq=False)
class Signal:
    """Signals of one request."""

    urls: list[str]
    source: str
    happened: Any
    skip_bad: bool
    key: str | None
    future: "Future[Any]"
    came: float = field(default_factory=seconds)


@dataclass(slots=True, eq=False)
class Finish:
    """What came of the fetches of one request."""

    outcomes: Outcomes
    future: "Future[Any]"
    came: float = field(default_factory=seconds)


@dataclass(slots=True, eq=False)
class Leasing:
    """Somebody who wants pages, and waits for them until a moment of the machine's clock."""

    n: int
    lasts: float | None
    until: float
    key: str | None
    future: "Future[Any]"
    refused: Callable[[], Exception | None] | None = None
    """Says why whoever waits may not have pages any more, such as that the token was revoked meanwhile."""


def do(job: Call) -> Answered:
    """Do one job; what it raises is its answer."""
    try:
        return job.future, job.work(), None
    except Exception as error:
        return job.future, None, error


# -- signals -----------------------------------------------------------------------------------------------------------


def hear(frontier: Frontier, jobs: Sequence[Signal]) -> list[Answered]:
    """Tell the frontier of all signals, those of a source together."""
    together: dict[tuple[str, bool], list[Signal]] = {}
    alone: list[Signal] = []
    keys: set[str] = set()
    for job in jobs:
        if job.happened is not None or job.key in keys:
            alone.append(job)
            continue
        if job.key is not None:
            keys.add(job.key)
        together.setdefault((job.source, job.skip_bad), []).append(job)
    answered: list[Answered] = []
    for (source, skip_bad), some in together.items():
        answered += _merged(frontier, some, source, skip_bad)
    return answered + [_one(frontier, job) for job in alone]


def _one(frontier: Frontier, job: Signal) -> Answered:
    call = lambda: frontier.signal(job.urls, job.source, job.happened, skip_bad=job.skip_bad, key=job.key)  # noqa: E731
    return do(Call(call, job.future))


def _merged(frontier: Frontier, jobs: list[Signal], source: str, skip_bad: bool) -> list[Answered]:
    if len(jobs) == 1 or sum(len(job.urls) for job in jobs) > MOST:
        return [_one(frontier, job) for job in jobs]
    try:
        parts = frontier.signal_many([(job.urls, job.key) for job in jobs], source, skip_bad=skip_bad)
    except InputError:  # somebody's: nothing was done, and the others are not to suffer
        return [_one(frontier, job) for job in jobs]
    except Exception as error:
        return [(job.future, None, error) for job in jobs]
    return [(job.future, part, None) for job, part in zip(jobs, parts, strict=True)]


# -- outcomes ----------------------------------------------------------------------------------------------------------


def finish(frontier: Frontier, jobs: Sequence[Finish]) -> list[Answered]:
    """Tell the frontier what came of fetches, in one call where that can be."""
    if len(jobs) > 1:
        try:
            done = frontier.complete_many([job.outcomes for job in jobs])
        except InputError:  # somebody's: nothing was done, and the others are not to suffer
            done = None
        except Exception as error:
            return [(job.future, None, error) for job in jobs]
        if done is not None:
            return [(job.future, each, None) for job, each in zip(jobs, done, strict=True)]
    return [_finished(frontier, job) for job in jobs]


def _finished(frontier: Frontier, job: Finish) -> Answered:
    given = job.outcomes
    call = lambda: frontier.complete(given.tokens, **given.said, at=given.at, key=given.key)  # noqa: E731
    return do(Call(call, job.future))


def handfuls(jobs: Sequence[Finish]) -> Iterator[list[Finish]]:
    """Jobs in groups that take some milliseconds each."""
    group: list[Finish] = []
    for job in jobs:
        if group and sum(len(each.outcomes.tokens) for each in group) + len(job.outcomes.tokens) > HANDFUL:
            yield group
            group = []
        group.append(job)
    if group:
        yield group


# -- leases ------------------------------------------------------------------------------------------------------------


def deal(frontier: Frontier, jobs: Sequence[Leasing]) -> tuple[list[Answered], float]:
    """Pages for all who want some, first come first served; and seconds until it makes sense to ask again.

    Those who follow each other and want the same, without a key, get their pages from one lease.
    """
    answered: list[Answered] = []
    waits: list[float] = []
    for (lasts, key, _), run in groupby(jobs, lambda job: (job.lasts, job.key, id(job) if job.key else 0)):
        some = list(run)
        batch, error = _leased(frontier, sum(job.n for job in some), lasts, key)
        waits.append(batch.wait)
        shares = _shares(batch, [job.n for job in some])
        answered += [(job.future, share, error) for job, share in zip(some, shares, strict=True)]
    return answered, min(waits, default=0.0)


def _leased(frontier: Frontier, n: int, lasts: float | None, key: str | None) -> tuple[Batch, Exception | None]:
    try:
        return frontier.lease(min(n, MOST), seconds=lasts, key=key), None
    except Exception as error:
        return Batch(), error


def _shares(batch: Batch, wanted: list[int]) -> list[Batch]:
    """The pages of a batch in the order in which they were wanted.

    >>> whole = Batch(urls=("a", "b", "c"), tokens=(1, 2, 3), first=(True,) * 3, wait=0.5)
    >>> [part.tokens for part in _shares(whole, [2, 2, 2])]
    [(1, 2), (3,), ()]
    """
    if len(wanted) == 1:
        return [batch]
    return [
        Batch(
            urls=batch.urls[begin:end],
            tokens=batch.tokens[begin:end],
            first=batch.first[begin:end],
            expires=batch.expires if begin < len(batch) else 0.0,
            wait=batch.wait,
            kept=batch.kept[begin:end],
        )
        for begin, end in pairwise([0, *accumulate(wanted)])
    ]
