"""The fast engine equals the definition: the same ids in the same order, whatever happens in between."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import recrawl
from recrawl.engine import Scan, Scheduler
from recrawl.engine.core.layout import FORESEEN, FORESEEN_AT, LEVEL, REVISED, RING, RINGS, UNBOUNDED
from recrawl.engine.core.lists.finer import halve
from recrawl.learn import latency
from recrawl.model.sources import Sources
from recrawl.sim import Constant, Exponential, Poisson

POLICIES = ["greedy", "greedy-cis", "greedy-ncis", "greedy-cis+", "ncis-approx-1", "ncis-approx-3"]

rates = st.sampled_from([0.0, 0.01, 0.3, 0.3, 1.0, 2.0, 30.0])
shares = st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])


# A latency of each shape: sharp, with a tail, in steps, and measured; and one far longer than any crawl cycle.
LATENCIES = [Constant(0.3), Exponential(0.5), Poisson(6.0, 0.05), latency([0.0, 0.0, 0.0], [0.1, 0.1, 2.0]), Poisson(6)]

# Ordinary, one source unused, no signal false, every change signalled, no signals at all.
CLASSES = Sources(
    recall=[[0.6, 0.3], [0.5, 0.0], [0.5, 0.4], [1.0, 0.7], [0.0, 0.0]],
    false_per_change=[[0.5, 2.0], [0.4, 1.0], [0.0, 0.3], [0.2, 0.2], [1.0, 0.0]],
)


@st.composite
def some_pages(draw, least=1, most=12):
    m = draw(st.integers(least, most))
    if draw(st.booleans()):  # all alike: ties everywhere
        return recrawl.Pages.from_rates(np.full(m, draw(rates)), 1.0, draw(shares), draw(rates))
    columns = [draw(st.lists(kind, min_size=m, max_size=m)) for kind in (rates, rates, shares, rates)]
    return recrawl.Pages.from_rates(*columns)


class Twins(RuleBasedStateMachine):
    """Does the same to both, and compares."""

    halved = 0

    @initialize(
        pages=some_pages(),
        policy=st.sampled_from(POLICIES),
        start=st.sampled_from([0.0, 1.7e9]),
        hosts=st.sampled_from([None, "few", "own"]),
        aged=st.booleans(),
        discard=st.sampled_from([0.0, 0.4]),
        several=st.sampled_from([None, "weights", "classes"]),
        latency=st.sampled_from([None, *LATENCIES]),
        cramped=st.booleans(),
    )
    def begin(self, pages, policy, start, hosts, aged, discard, several, latency, cramped):
        self.now = start
        self.hosted, self.aged, self.several = hosts, aged, several
        self.leased: list[int] = []
        self.rng = np.random.default_rng(len(pages))
        keywords = {"discard": discard, "source_discard": [0.0, 0.2] if several else 0.0, **self.extras(len(pages))}
        if several == "classes":
            policy, keywords["sources"], keywords["coincidence"] = "greedy-ncis", CLASSES, 0.05
        else:
            keywords["latency"] = latency
        self.fast = Scheduler(pages, policy, start, **keywords)
        self.slow = Scan(pages, policy, start, **keywords)
        if cramped:  # room for two pages seen at once: the others spill over
            core = self.fast._core
            self.fast._core = core._replace(seen=np.zeros((2, 2)), seen_ids=np.zeros(2, dtype=np.int64))

    def extras(self, m):
        keywords = {}
        if self.hosted:
            keywords["hosts"] = self.rng.integers(-1, 2, m) if self.hosted == "few" else np.arange(m) % 5
        if self.aged:
            keywords["max_age"] = self.rng.choice([0.7, 3.0, np.inf], m)
        if self.several == "weights":
            keywords["sources"] = np.array([0.2, 1.5])
        if self.several == "classes":
            keywords["source_class"] = self.rng.integers(-1, len(CLASSES), m)
        return keywords

    def both(self, method, *arguments, **keywords):
        return getattr(self.fast, method)(*arguments, **keywords), getattr(self.slow, method)(*arguments, **keywords)

    def some_ids(self, data, unique=False):
        alive = np.flatnonzero(self.slow.alive)
        return (
            data.draw(st.lists(st.sampled_from(list(map(int, alive))), max_size=4, unique=unique)) if len(alive) else []
        )

    @rule(step=st.sampled_from([0.0, 1e-3, 0.05, 0.3, 2.0, 100.0]))
    def pass_time(self, step):
        self.now += step

    @rule(n=st.sampled_from([0, 1, 1, 1, 2, 5, 30]), kind=st.sampled_from(["take", "peek"]))
    def decide(self, n, kind):
        got, expected = self.both(kind, n, self.now)
        assert got.tolist() == expected.tolist()

    @rule(n=st.integers(1, 3))
    def lease(self, n):
        got, expected = self.both("lease", n, self.now)
        assert got.tolist() == expected.tolist()
        self.leased += got.tolist()

    @rule(data=st.data())
    def hold(self, data):
        ids = [i for i in self.some_ids(data, unique=True) if i not in self.leased]
        self.both("hold", ids, self.now)
        self.leased += ids

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), back=st.sampled_from([0.0, 0.01, 1.0]))
    def come_back(self, data, back):
        ids = data.draw(st.lists(st.sampled_from(self.leased), unique=True, max_size=3))
        self.both("crawled", ids, self.now - back)
        self.leased = [i for i in self.leased if i not in ids]

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), wait=st.sampled_from([None, 0.0, 0.2, 5.0]))
    def fail(self, data, wait):
        ids = data.draw(st.lists(st.sampled_from(self.leased), unique=True, max_size=3))
        self.both("release", ids, self.now, not_before=None if wait is None else self.now + wait)
        self.leased = [i for i in self.leased if i not in ids]

    @rule(data=st.data(), source=st.integers(0, 1), weight=st.sampled_from([None, None, 0.0, 0.4, math.inf]))
    def signal(self, data, source, weight):
        self.both("signal", self.some_ids(data), self.now, source=source if self.several else 0, weight=weight)

    @rule(data=st.data(), one=st.booleans())
    def hint(self, data, one):
        """A signal that says more or less than the page's own do."""
        if self.several != "classes":
            ids = self.some_ids(data)
            several = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=len(ids), max_size=len(ids)))
            self.both("signal", ids, self.now, scale=0.3 if one else several)

    @rule(data=st.data(), weight=st.sampled_from([0.01, 0.4, 3.0]))
    def hear_of_neighbours(self, data, weight):
        """What others say of a page's past."""
        ids = np.array(self.some_ids(data), dtype=np.int64)
        self.both("lift_known", ids, np.full(len(ids), weight))

    @rule(share=st.sampled_from([0.3, 1.0]), weight=st.sampled_from([None, None, 0.7]), seed=st.integers(0, 99))
    def burst(self, share, weight, seed):
        """A sitemap: many pages at once, some of them twice."""
        alive = np.flatnonzero(self.slow.alive)
        if len(alive):
            ids = np.random.default_rng(seed).choice(alive, max(int(share * len(alive)), 1))
            self.both("signal", ids, self.now, weight=weight)

    @rule(limit=st.sampled_from([0, 1, 3, 1000]))
    def advance(self, limit):
        """Idle work changes nothing that can be seen; the definition has none to do."""
        done = self.fast.advance(self.now, limit)
        assert 0 <= done <= limit

    @precondition(lambda self: self.halved < 8)
    @rule()
    def halve_ticks(self):
        """As when many more pages have come; any length of a tick is exact."""
        halve(self.fast._core, np.empty(RINGS * RING, dtype=np.int64))
        self.halved += 1

    @rule(part=st.sampled_from([0.0, 1e-3, 0.3, 0.7, 2.0]))
    def foresee_another_level(self, part):
        """Whatever is foreseen, and whichever promises are revised for it, is exact."""
        core = self.fast._core
        core.pool_numbers[0, FORESEEN] = part * core.pool_numbers[0, LEVEL]
        core.rest[REVISED] = UNBOUNDED - 1

    @rule()
    def look_ahead(self):
        """As when many pages have been taken."""
        self.fast._core.rest[FORESEEN_AT] = -1_000

    @rule(data=st.data())
    def crawled_by_someone_else(self, data):
        ids = self.some_ids(data, unique=True)
        self.both("crawled", ids, self.now)
        self.leased = [i for i in self.leased if i not in ids]

    @rule(data=st.data(), pages=some_pages(most=4))
    def add(self, data, pages):
        keywords = self.extras(len(pages))
        got, expected = self.both("add", pages, self.now, **keywords)
        assert got.tolist() == expected.tolist()

    @rule(data=st.data())
    def remove(self, data):
        ids = self.some_ids(data, unique=True)
        self.both("remove", ids)
        self.leased = [i for i in self.leased if i not in ids]

    @rule(data=st.data())
    def update(self, data):
        ids = self.some_ids(data, unique=True)
        if ids:
            self.both("update", ids, data.draw(some_pages(len(ids), len(ids))), self.now)

    @precondition(lambda self: self.hosted)
    @rule(host=st.integers(0, 4), gap=st.sampled_from([0.0, 0.1, 1.0]), most=st.sampled_from([None, 1, 2]))
    def limit_host(self, host, gap, most):
        self.both("set_host", host, gap=gap, max_in_flight=most)

    @precondition(lambda self: self.hosted)
    @rule(host=st.integers(0, 4), wait=st.sampled_from([-1.0, 0.0, 0.5]))
    def host_says_when(self, host, wait):
        self.both("host_ready", host, self.now + wait)

    @invariant()
    def sound(self):
        if not hasattr(self, "fast"):
            return
        self.fast.check()
        assert len(self.fast) == len(self.slow)
        alive = np.flatnonzero(self.slow.alive)
        got, expected = self.both("value", alive, self.now)
        assert got.tolist() == expected.tolist()
        got, expected = self.both("staleness", alive, self.now)
        assert got.tolist() == expected.tolist()


TestTwins = Twins.TestCase
TestTwins.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)


def mix(m, seed):
    from recrawl.bench.mix import paper_mix

    return paper_mix(m, seed)


@pytest.mark.parametrize("latency", LATENCIES, ids=str)
@pytest.mark.parametrize("policy", ["greedy-ncis", "greedy-cis", "ncis-approx-1"])
def test_long_runs_with_late_signals(policy, latency):
    m, seed = 300, 11
    pages = mix(m, seed)
    fast, slow = Scheduler(pages, policy, latency=latency), Scan(pages, policy, latency=latency)
    rng = np.random.default_rng(seed)
    now = 0.0
    for step in range(300):
        now += 0.02 if step < 150 else 0.005  # bandwidth goes up fourfold on the way
        ids = rng.integers(0, m, rng.poisson(3.0))
        fast.signal(ids, now), slow.signal(ids, now)
        assert fast.take(1, now).tolist() == slow.take(1, now).tolist(), step
    fast.check()


def test_long_runs_with_classes_of_sources():
    m, seed = 300, 12
    rng = np.random.default_rng(seed)
    pages, classes = mix(m, seed), rng.integers(-1, len(CLASSES), m)
    keywords = {"sources": CLASSES, "source_class": classes, "coincidence": 0.01}
    fast, slow = Scheduler(pages, **keywords), Scan(pages, **keywords)
    for step in range(1, 400):
        now = step * 0.02
        ids = rng.integers(0, m, rng.poisson(3.0))
        source = int(rng.integers(0, 2))
        for twin in (fast, slow):
            twin.signal(ids, now, source=source)
            twin.signal(ids[:1], now + 0.005, source=1 - source)
        assert fast.take(1, now + 0.01).tolist() == slow.take(1, now + 0.01).tolist(), step
    fast.check()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("hosts", [0, 40])
def test_long_runs(policy, hosts):
    m, seed = 400, 7
    rng = np.random.default_rng(seed)
    pages = mix(m, seed)
    keywords = {"hosts": rng.integers(0, hosts, m)} if hosts else {}
    fast, slow = Scheduler(pages, policy, **keywords), Scan(pages, policy, **keywords)
    for host in range(hosts):
        gap = float(rng.choice([0.0, 0.05, 2.0]))
        fast.set_host(host, gap=gap), slow.set_host(host, gap=gap)
    now = 0.0
    for step in range(600):
        now += 0.02 if step < 300 else 0.005  # bandwidth goes up fourfold on the way
        ids = rng.integers(0, m, rng.poisson(3.0))
        fast.signal(ids, now), slow.signal(ids, now)
        n = 1 if step % 7 else 4
        assert fast.take(n, now).tolist() == slow.take(n, now).tolist(), step
        if step % 100 == 0:
            fast.check()


def test_a_large_run_at_sampled_ticks():
    m = 20_000
    rng = np.random.default_rng(1)
    fast = Scheduler(mix(m, 1))
    everyone = np.arange(m)
    for step in range(1, 30_000):
        now = step / (m / 10)
        fast.signal(rng.integers(0, m, 6), now)
        if step % 499 == 0:
            values = fast.value(everyone, now)
            expected = np.lexsort((everyone, -values))[:3]
            assert fast.peek(3, now).tolist() == expected.tolist()
        fast.take(1, now)
    fast.check()
