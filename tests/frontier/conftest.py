"""A frontier in memory with one page, and with a copy of it; files that want others make their own."""

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from tests.frontier.one_page import NOW, A


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def f(clock):
    frontier = Frontier(clock=clock)
    frontier.add(A)
    return frontier


@pytest.fixture
def copied(f, clock):
    """A frontier with a copy of the page, of digest v1, made 100 seconds ago."""
    f.complete(f.lease(1).tokens, digest="v1")
    clock.advance(100.0)
    return f
