"""How far a run is: whoever runs says so now and then, and whoever waits may listen."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float], None]

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)

STEPS = 100
"""A run says so about this often."""
LEAST_MOMENTS = 4_096
"""Fewer crawls than this are over before anybody looks."""


def tell(share: float) -> None:
    """This share of what was asked for is done, from 0 to 1."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(share)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Everything told inside the block goes to the listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def part(number: int, parts: int) -> Iterator[None]:
    """What is told inside the block is told of one of several parts, counted from 0.

    >>> heard = []
    >>> with heard_by(heard.append), part(1, 4):
    ...     tell(0.5)
    >>> heard
    [0.375, 0.5]
    """
    outer = _LISTENER.get()
    if outer is None:
        yield
        return
    with heard_by(lambda share: outer((number + share) / parts)):
        yield
    outer((number + 1) / parts)


def stretches(moments: int) -> Iterator[slice]:
    """The moments of a run in stretches, between which it says how far it is.

    >>> [(each.start, each.stop) for each in stretches(10_000)]
    [(0, 4096), (4096, 8192), (8192, 10000)]
    """
    step = max(LEAST_MOMENTS, moments // STEPS)
    for start in range(0, moments, step):
        stop = min(start + step, moments)
        yield slice(start, stop)
        tell(stop / moments)
