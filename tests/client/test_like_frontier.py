"""The same calls at the same times, told to a frontier in memory and to a client: the same answers, to the last bit."""

import random

import pytest

from recrawl.client import Client
from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from tests.client.conftest import NOON
from tests.client.served import Awaited, Served

CALLS = 300
URLS = [f"https://h{k % 4}.example/{k}" for k in range(30)]
STATUSES = (200, 200, 200, 304, 404, 500, 429)


class Past:
    """Calls drawn from a seed."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.tokens = []

    def some(self, least=0):
        found = [self.chance.choice(URLS) for _ in range(self.chance.randint(least, 5))]
        return found + ["https://unknown.example/"] * (self.chance.random() < 0.1)

    def call(self, now):
        """A name and arguments."""
        draw, urls = self.chance.random(), self.some(1)
        n = len(urls)
        if draw < 0.15:
            importance = [self.chance.choice([1.0, 2.5, float("nan")]) for _ in urls]
            return "add", (urls,), {"importance": importance, "max_age": self.chance.choice([None, 1e4])}
        if draw < 0.35:
            moments = [self.chance.choice([None, now - self.chance.randint(0, 5000)]) for _ in urls]
            return "signal", (urls, self.chance.choice(["feed", "sitemap"]), moments), {}
        if draw < 0.40:
            return "request", (urls, [self.chance.randint(0, 4) for _ in urls]), {}
        if draw < 0.65:
            return "lease", (self.chance.randint(1, 6),), {"seconds": self.chance.choice([None, 900.0])}
        if draw < 0.90 and self.tokens:
            given = [self.tokens.pop(self.chance.randrange(len(self.tokens))) for _ in range(min(n, len(self.tokens)))]
            rows = [self.outcome() for _ in given]
            columns = {name: [row[name] for row in rows] for name in rows[0]}
            return "complete", (given,), columns
        if draw < 0.93 and self.tokens:
            return "give_back", (self.tokens[:2],), {}
        if draw < 0.95:
            return (
                "set_host",
                (self.chance.choice(["h0.example", "h1.example"]),),
                {"gap": self.chance.choice([None, 5])},
            )
        if draw < 0.96:
            return "forget", (urls[:1],), {}
        return self.chance.choice(["pages", "hosts", "sources", "freshness"]), (), {}

    def outcome(self):
        status = self.chance.choice(STATUSES)
        return {
            "status": status,
            "digest": self.chance.choice(["v1", "v2", None]) if status == 200 else None,
            "validators": {"etag": '"e"'} if self.chance.random() < 0.3 else None,
            "retry_after": 60.0 if status == 429 else None,
        }


def answered(f, name, args, options):
    """What came of a call, with all that it says: NaN is like NaN here."""
    try:
        found = getattr(f, name)(*args, **options)
    except InputError as error:
        return None, repr((str(error), error.argument, error.row))
    more = [getattr(found, part, None) for part in ("each", "first", "validators")]
    return found, repr((found, more))


@pytest.mark.parametrize("kind", [Client, Awaited])
@pytest.mark.parametrize("seed", range(3))
def test_a_client_answers_as_the_frontier_does(kind, seed):
    clocks = ManualClock(NOON), ManualClock(NOON)
    mine = Frontier(rate=1.0, clock=clocks[0])
    with Served(Frontier(rate=1.0, clock=clocks[1])) as served:
        theirs, past = kind(served.url, retries=0), Past(seed)
        for _ in range(CALLS):
            for clock in clocks:
                clock.advance(10.0)
            name, args, options = past.call(clocks[0].wall())
            expected, got = (answered(f, name, args, options) for f in (mine, theirs))
            assert got[1] == expected[1], (name, args, options)
            if name == "lease":
                past.tokens += expected[0].tokens
        expected, got = mine.statistics, theirs.statistics
        assert got == expected
        assert expected["leases"] > 50
        theirs.close()
