"""What can be done together: signals of one source in one call, and one lease for all who want pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from recrawl.clock import seconds
from recrawl.errors import InputError
from recrawl.frontier import Batch, Frontier, Heard
from recrawl.urls import Refused

if TYPE_CHECKING:
    from asyncio import Future

MOST = 100_000
"""Signals, or pages, that are handled in one call."""

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
class Leasing:
    """Somebody who wants pages, and waits for them until a moment of the machine's clock."""

    n: int
    lasts: float | None
    until: float
    key: str | None
    future: "Future[Any]"


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
    answered: list[Answered] = []
    for job in jobs:
        if job.key is None and job.happened is None:
            together.setdefault((job.source, job.skip_bad), []).append(job)
        else:
            answered.append(_one(frontier, job))
    for (source, skip_bad), some in together.items():
        answered += _merged(frontier, some, source, skip_bad)
    return answered


def _one(frontier: Frontier, job: Signal) -> Answered:
    call = lambda: frontier.signal(job.urls, job.source, job.happened, skip_bad=job.skip_bad, key=job.key)  # noqa: E731
    return do(Call(call, job.future))


def _merged(frontier: Frontier, jobs: list[Signal], source: str, skip_bad: bool) -> list[Answered]:
    ends = [0, *accumulate(len(job.urls) for job in jobs)]
    if len(jobs) == 1 or ends[-1] > MOST:
        return [_one(frontier, job) for job in jobs]
    try:
        heard = frontier.signal([url for job in jobs for url in job.urls], source, skip_bad=skip_bad)
    except InputError:  # somebody's: nothing was done, and the others are not to suffer
        return [_one(frontier, job) for job in jobs]
    except Exception as error:
        return [(job.future, None, error) for job in jobs]
    parts = _parts(heard, ends)
    return [(job.future, part, None) for job, part in zip(jobs, parts, strict=True)]


def _parts(heard: Heard, ends: list[int]) -> list[Heard]:
    """What became of each request's share.

    >>> whole = Heard(2, 0, 1, unknown=("https://a.example/",), codes=(0, 3, 0, 2))
    >>> [(part.heard, part.repeated, part.unknown) for part in _parts(whole, [0, 2, 4])]
    [(1, 0, ('https://a.example/',)), (1, 1, ())]
    """
    if heard.heard == ends[-1]:  # as is usual
        return [Heard(end - begin, 0, 0, codes=(0,) * (end - begin)) for begin, end in pairwise(ends)]
    unknown, refused = iter(heard.unknown), iter(heard.refused)
    parts = []
    for begin, end in pairwise(ends):
        codes = heard.codes[begin:end]
        counts = [codes.count(code) for code in range(len(Heard.WORDS))]
        mine = [next(refused) for _ in range(counts[4])]
        parts.append(
            Heard(
                counts[0],
                counts[1],
                counts[2],
                unknown=tuple(next(unknown) for _ in range(counts[3])),
                refused=tuple(Refused(bad.item - begin, bad.url, bad.reason) for bad in mine),
                codes=codes,
            )
        )
    return parts


# -- leases ------------------------------------------------------------------------------------------------------------


def deal(frontier: Frontier, jobs: Sequence[Leasing]) -> tuple[list[Answered], float]:
    """Pages for all who want some, first come first served; and seconds until it makes sense to ask again."""
    answers: dict[int, Answered] = {}
    waits: list[float] = []
    together: dict[float | None, list[Leasing]] = {}
    for job in jobs:
        if job.key is None:
            together.setdefault(job.lasts, []).append(job)
        else:
            answer = do(Call(lambda job=job: frontier.lease(job.n, seconds=job.lasts, key=job.key), job.future))  # type: ignore[misc]
            waits.append(0.0 if answer[1] is None else answer[1].wait)
            answers[id(job)] = answer
    for lasts, some in together.items():
        batch, error = _leased(frontier, sum(job.n for job in some), lasts)
        waits.append(batch.wait)
        for job, part in zip(some, _shares(batch, [job.n for job in some]), strict=True):
            answers[id(job)] = (job.future, part, error)
    return [answers[id(job)] for job in jobs], min(waits, default=0.0)


def _leased(frontier: Frontier, n: int, lasts: float | None) -> tuple[Batch, Exception | None]:
    try:
        return frontier.lease(min(n, MOST), seconds=lasts), None
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
