"""A frontier that crashes beside one that never does, and both beside plain dictionaries.

Two frontiers get the same calls at the same times.  One is thrown away now and then, without `close`, and opened again
from its store, also in the middle of a snapshot.  Whatever they answer must be the same to the last bit: who is leased,
what became of answers and signals, and everything they say of pages, hosts, sources and freshness.  What a frontier
must remember, whoever it leases, is written literally in ledger.py.
"""

import queue
import tempfile
from collections import Counter
from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, journaled, snapshot
from recrawl.frontier.facts import Fact
from recrawl.store import MemoryStore, SqliteStore
from tests.frontier.ledger import Ledger

URLS = [f"https://{host}.example/{path}" for host in "abc" for path in ("", "x", "y")]
SPELLED = [*URLS, "HTTPS://A.example:443/./x#top", "https://b.EXAMPLE", "https://c.example/z/../y"]
SOURCES = ["sitemap", "feed", "indexnow"]
urls = st.lists(st.sampled_from(SPELLED), min_size=1, max_size=4)
START = 1_000_000_000.0
"""All times are multiples of an eighth: sums of them are exact, so that clocks that began at different times agree."""
WAITS = [0.125, 1.0, 8.0, 60.0, 400.0, 100_000.0]


class InMemory:
    """A store whose content outlives whoever writes to it."""

    def __init__(self):
        self._store = MemoryStore()

    def start(self):
        self._store = self._store.reopened()
        return self._store

    def stop(self):
        """As the death of a process does."""

    def clean(self):
        pass


class OnDisk:
    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()

    def start(self):
        self._store = SqliteStore(self._folder.name)
        return self._store

    def stop(self):
        self._store.close()  # lets go of the folder, and a snapshot under way will not be kept

    def clean(self):
        self._folder.cleanup()


def abandon(frontier):
    """Let the thread of a snapshot under way die, as it would with its process."""
    under_way = frontier._snapshotting
    if under_way is not None:
        while under_way._thread.is_alive():
            with suppress(queue.Full):
                under_way._parts.put_nowait(None)
            under_way._thread.join(0.01)


def all_that_is_known(frontier):
    return repr((
        frontier.pages(), frontier.freshness(), frontier.statistics, frontier.hosts(), frontier.sources(),
        [frontier.sources(host.name) for host in frontier.hosts()],
    ))  # fmt: skip


class Crashing(RuleBasedStateMachine):
    """`self.frontier` crashes, `self.steady` does not."""

    place = InMemory

    @initialize(
        rate=st.sampled_from([None, 0.5, 4.0]),
        gap=st.sampled_from([0.0, 1.0]),
        most=st.sampled_from([None, 1, 2]),
        discovery=st.sampled_from([None, 0.0, 0.5, 1.0]),
        spread=st.sampled_from([1, 2500]),
    )
    def begin(self, rate, gap, most, discovery, spread):
        self.clock = ManualClock(START)
        self.home = self.place()
        asked = {"rate": rate, "gap": gap, "max_in_flight": most, "discovery": discovery, "spread": spread}
        self.frontier = Frontier(clock=self.clock, store=self.home.start(), **asked)
        self.steady = Frontier(clock=self.clock, **asked)
        self.ledger = Ledger()
        self.ledger.now = START
        self.leased_at = []
        self.answers = {}

    def both(self, call, *args, **kwargs):
        """The answer of one, which is that of the other."""
        got = getattr(self.frontier, call)(*args, **kwargs)
        assert got == getattr(self.steady, call)(*args, **kwargs)  # fields that repr does not show included
        return got

    def key(self, wanted):
        return f"key {len(self.answers)}" if wanted else None

    # -- calls ---------------------------------------------------------------------------------------------------------

    @rule(
        urls=urls,
        importance=st.sampled_from([None, 0.0, 1.0, 3.0]),
        every=st.sampled_from([None, 50.0, 4000.0]),
        max_age=st.sampled_from([None, None, None, 500.0]),
        key=st.booleans(),
    )
    def add(self, urls, importance, every, max_age, key):
        asked = {"importance": importance, "every": every, "max_age": max_age, "key": self.key(key)}
        got = self.both("add", urls, **asked)
        assert (got.new, got.known, got.refused) == (*self.ledger.add(urls), ())
        if key:
            self.answers[asked["key"]] = "add", (urls,), asked, got

    @rule(urls=urls)
    def forget(self, urls):
        assert self.both("forget", urls) == self.ledger.forget(urls)

    @rule(
        urls=urls,
        source=st.sampled_from(SOURCES),
        ago=st.sampled_from([None, 0.0, 4.0, 80.0, 4000.0]),
        key=st.booleans(),
    )
    def signal(self, urls, source, ago, key):
        happened = None if ago is None else self.clock.wall() - ago
        name = self.key(key)
        got = self.both("signal", urls, source, happened, key=name)
        for url, word in zip(urls, got.each, strict=True):
            assert word in self.ledger.signal(url, source, happened)
        counted = Counter(got.each)
        assert (got.heard, got.old, got.repeated) == (counted["heard"], counted["old"], counted["repeated"])
        assert len(got.unknown) == counted["unknown"]
        if key:
            self.answers[name] = "signal", (urls, source, happened), {"key": name}, got

    @rule(urls=urls, count=st.integers(0, 5), key=st.booleans())
    def request(self, urls, count, key):
        name = self.key(key)
        got = self.both("request", urls, count, key=name)
        known = [url for url in urls if self.frontier.page(url) is not None]
        assert (got.counted, len(got.unknown)) == (len(known), len(urls) - len(known))
        if key:
            self.answers[name] = "request", (urls, count), {"key": name}, got

    @rule(n=st.sampled_from([1, 2, 5, 100]), seconds=st.sampled_from([None, 5.0, 1000.0]), key=st.booleans())
    def lease(self, n, seconds, key):
        name = self.key(key)
        got = self.both("lease", n, seconds=seconds, key=name)
        assert len(got) <= n
        assert got.wait > 0.0 or len(got) == n  # there may be more at once
        assert list(got.first) == [self.ledger.pages[url]["fetches"] == 0 for url in got.urls]
        if len(got):
            assert got.expires == self.ledger.now + (seconds or 300.0)
        self.ledger.lease(got.urls, got.tokens, seconds or 300.0)
        self.leased_at += [self.ledger.now] * len(got)
        if key and len(got):
            self.answers[name] = "lease", (n,), {"seconds": seconds, "key": name}, got

    @precondition(lambda self: self.ledger.next_token > 1)
    @rule(
        picks=st.lists(st.integers(0, 10**6), min_size=1, max_size=5),
        what=st.sampled_from(
            [
                (200, "v1", None),
                (200, "v2", None),
                (200, None, None),
                (200, "v3", True),
                (200, None, False),
                (304, None, None),
                (404, None, None),
                (500, None, None),
            ]
        ),
        error=st.sampled_from([None, None, None, "timeout"]),
        retry_after=st.sampled_from([None, None, 30.0]),
        key=st.booleans(),
    )
    def complete(self, picks, what, error, retry_after, key):
        status, digest, changed = what
        newest = max(self.ledger.next_token - 12, 1)
        tokens = [newest + pick % (self.ledger.next_token - newest) for pick in picks]
        name = self.key(key)
        asked = {"status": status, "digest": digest, "changed": changed, "error": error, "retry_after": retry_after}
        got = self.both("complete", tokens, **asked, key=name)
        words, late = self.ledger.complete(tokens, status, digest, changed, error, None)
        assert (list(got.each), got.late) == (words, late)
        assert list(got.repeated) == [t for t, word in zip(tokens, words, strict=True) if word == "repeated"]
        if key:
            self.answers[name] = "complete", (tokens,), {**asked, "key": name}, got

    @precondition(lambda self: self.ledger.next_token > 1)
    @rule(pick=st.integers(0, 10**6), to=st.sampled_from([*SPELLED, "https://d.example/", "https://a.example/new"]))
    def moved(self, pick, to):
        token = 1 + pick % (self.ledger.next_token - 1)
        got = self.both("complete", [token], status=301, moved_to=to)
        words, late = self.ledger.complete([token], 301, None, None, None, to)
        assert (list(got.each), got.late) == (words, late)

    @precondition(lambda self: self.answers)
    @rule(pick=st.integers(0, 10**6))
    def repeat(self, pick):
        """A call is made again with the same key, as by one who did not hear the answer."""
        call, args, kwargs, before = list(self.answers.values())[pick % len(self.answers)]
        got = getattr(self.frontier, call)(*args, **kwargs)
        assert got == getattr(self.steady, call)(*args, **kwargs)
        if call == "lease":
            still = [
                t
                for t in before.tokens
                if t in self.ledger.leases and self.ledger.leases[t]["expires"] > self.ledger.now
            ]
            assert list(got.tokens) == still
            assert list(got.urls) == [self.ledger.leases[t]["page"]["url"] for t in still]
        else:
            same = {"add": ("new", "known"), "signal": ("heard", "old", "repeated"), "request": ("counted",)}
            outcomes = ("changed", "unchanged", "unknown", "failed", "gone", "moved", "late")
            for name in same.get(call, outcomes):
                assert getattr(got, name) == getattr(before, name)

    @rule(rate=st.sampled_from([None, 0.5, 4.0]))
    def set_rate(self, rate):
        self.both("set_rate", rate)
        self.leased_at.clear()

    @rule(
        host=st.sampled_from(["a.example", "b.example"]),
        gap=st.sampled_from([None, 0.0, 5.0]),
        most=st.sampled_from([None, 1, 3]),
        pause=st.sampled_from([None, None, 50.0]),
    )
    def set_host(self, host, gap, most, pause):
        self.both("set_host", host, gap=gap, max_in_flight=most, pause=pause)

    @rule(seconds=st.sampled_from(WAITS))
    def wait(self, seconds):
        self.clock.advance(seconds)
        self.ledger.now += seconds

    # -- misfortunes ---------------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([0.0, 0.0, 250.0, 100_000.0]))
    def crash(self, seconds):
        """Nothing is told to the frontier; the next one, some time later, finds what the store holds.

        Leases last longer by the time that nobody was there.  It begins with the last fact, so one is written first,
        and the one that does not crash is told of that time.
        """
        self.both("set_rate", self.steady.rate)
        self.home.stop()
        abandon(self.frontier)
        self.prolong(seconds)
        self.wait(seconds)
        self.frontier = Frontier(clock=self.clock, store=self.home.start())
        self.steady._do([Fact("open", {"now": self.clock.wall(), "closed_for": seconds})])

    def prolong(self, seconds):
        for lease in self.ledger.leases.values():
            if lease["expires"] > self.ledger.now:
                lease["expires"] += seconds

    @rule()
    def snapshot(self):
        """The one that crashes writes everything down; that changes nothing."""
        self.frontier.snapshot()

    # -- what must hold ------------------------------------------------------------------------------------------------

    @invariant()
    def they_know_the_same(self):
        if hasattr(self, "frontier"):
            assert all_that_is_known(self.frontier) == all_that_is_known(self.steady)

    @invariant()
    def pages_are_as_in_the_ledger(self):
        if not hasattr(self, "frontier"):
            return
        ledger = self.ledger
        got = {page.url: page for page in self.frontier.pages()[0]}
        assert sorted(got) == sorted(ledger.pages)
        for url, page in ledger.pages.items():
            for name in ("state", "fetches", "changes", "failures", "fetched", "changed"):
                assert getattr(got[url], name) == page[name], (url, name)
            assert (got[url].digest is None) == (page["digest"] is None)
            if ledger.live(page) is not None:
                assert got[url].leased

    @invariant()
    def the_rate_is_kept(self):
        if not hasattr(self, "frontier") or self.frontier.rate is None:
            return
        rate, times = self.frontier.rate, self.leased_at
        for k, start in enumerate(times):
            for j in range(k, len(times)):
                assert j - k + 1 <= rate * max(times[j] - start, 1.0) + 1.0 + 1e-6

    def teardown(self):
        if hasattr(self, "frontier"):
            self.home.stop()
            abandon(self.frontier)
            self.home.clean()


class CrashingOnDisk(Crashing):
    """Snapshots begin after every few calls and are written two pages at a time."""

    place = OnDisk


FEW = settings(max_examples=80, stateful_step_count=40, deadline=None)
FEWER = settings(FEW, max_examples=30)


def test_on_disk(monkeypatch):
    monkeypatch.setattr(journaled, "LONG_JOURNAL", 1)
    monkeypatch.setattr(snapshot, "SLICE", 2)
    run_state_machine_as_test(CrashingOnDisk, settings=FEWER)


def test_in_memory():
    run_state_machine_as_test(Crashing, settings=FEW)
