"""The frontier in its four forms: in memory, on disk, and behind a service with either client."""

import pytest

from recrawl.client import Client
from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from tests.client.served import Awaited, Served

NOON = 1_772_366_400.0  # 2026-03-01 12:00 UTC
FORMS = ("memory", "disk", "client", "async-client")


@pytest.fixture
def clock():
    return ManualClock(NOON)


@pytest.fixture(params=FORMS)
def form(request):
    return request.param


@pytest.fixture
def make(form, clock, tmp_path):
    """Makes a frontier of this form, with these settings; all are closed in the end."""
    opened = []

    def made(**settings):
        if form == "memory":
            found = Frontier(clock=clock, **settings)
        elif form == "disk":
            found = Frontier.open(tmp_path / f"data{len(opened)}", clock=clock, **settings)
        else:
            served = Served(Frontier(clock=clock, **settings)).__enter__()
            opened.append(served.__exit__)
            found = (Client if form == "client" else Awaited)(served.url, retries=0)
        opened.append(found.close)
        return found

    yield made
    for close in reversed(opened):
        close()


@pytest.fixture
def f(make):
    return make()
