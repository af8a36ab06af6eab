"""One frontier with a past for all tests that only look."""

import pytest

from recrawl.server.views import watch
from tests.server.lively import lively


@pytest.fixture(scope="session")
def past():
    """A frontier, its clock and its web, after half a day; the optima have been computed."""
    f, clock, web = lively(hosts=12, each=20, days=0.5, rate=0.1)
    watch(f).refresh(f, lasts=-1.0)
    return f, clock, web
