"""Pages that come and go: what is measured, who is told what, and the compiled rivals beside their definitions."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories import History
from recrawl.histories.signals import Quality, draw
from recrawl.policies.nutch import Constants as NutchConstants
from recrawl.policies.nutch import Nutch
from recrawl.policies.signalled_first import SignalledFirst
from recrawl.policies.stormcrawler import Constants as StormConstants
from recrawl.policies.stormcrawler import StormCrawler
from recrawl.policies.uniform import RoundRobin
from recrawl.sim import Learning, Run, World, drive, simulate
from recrawl.sim.coming_and_going import Learns, Told, crawl, run
from recrawl.sim.due_loop import nutch_rule, signalled_first, stormcrawler_rule, uniform
from recrawl.sim.events import Events
from recrawl.sim.histories import true_pages, world_of
from recrawl.sim.moving_loop import learn_while_pages_move
from recrawl.sim.permits import permits
from recrawl.sim.presence import Presence


def moving(seed: int, pages: int = 12, end: float = 100.0) -> History:
    """Some pages throughout, some that come, some that go, some that do both."""
    rng = np.random.default_rng(seed)
    created = np.where(rng.random(pages) < 0.5, 0.0, rng.uniform(0.0, end, pages))
    removed = np.where(rng.random(pages) < 0.5, np.inf, created + rng.uniform(0.0, end, pages))
    removed[removed > end] = np.inf
    times = np.sort(rng.uniform(0.0, end, 120))
    whose = rng.integers(0, pages, 120)
    there = (times > created[whose]) & (times < removed[whose])
    return History("moving", tuple(map(str, range(pages))), created, removed, whose[there], times[there], end)


def world(seed: int, delay: float = 0.7) -> World:
    history = moving(seed)
    signals = draw(history, Quality(0.6, 0.5, late=0.1), np.random.default_rng(seed))
    return world_of(history, signals, np.where(history.created > 0.0, history.created + delay, 0.0))


def slow_freshness(done: Run, step: float = 0.01) -> float:
    """Look at every copy at every hundredth of the time."""
    there = done.world.presence
    assert there is not None
    fresh = total = 0.0
    for moment in np.arange(done.warmup + step / 2, done.horizon, step):
        for page in range(len(done.world)):
            if there.born[page] <= moment < there.removed[page]:
                total += done.importance[page]
                crawls = done.crawl_times[(done.crawl_pages == page) & (done.crawl_times <= moment)]
                last = crawls.max() if len(crawls) else (0.0 if there.announced[page] <= 0.0 else None)
                if last is not None:
                    changes = done.world.changes.of(page)
                    fresh += done.importance[page] * (not ((changes > last) & (changes <= moment)).any())
    return fresh / total


@pytest.mark.parametrize("seed", [1, 2])
def test_freshness_is_what_looking_at_every_copy_finds(seed: int) -> None:
    importance = np.random.default_rng(seed).uniform(1.0, 3.0, 12)
    done = run(uniform, world(seed), importance, rate=0.6, warmup=20.0)
    # each of some 150 edges of fresh stretches is off by half a step at most: .75 of some 700 page-days
    assert done.freshness == pytest.approx(slow_freshness(done), abs=1e-3)


def test_a_page_counts_while_it_is_there_and_is_stale_until_it_is_fetched() -> None:
    presence = Presence(np.array([2.0]), np.array([8.0]), np.array([3.0]))
    changes = Events(np.array([0, 1]), np.array([6.0]))
    nothing = np.empty(0)
    one = World(10.0, changes, nothing, np.empty(0, dtype=np.int64), presence=presence)
    done = Run("by hand", one, np.ones(1), np.array([4.0, 9.0]), np.array([0, 0]))
    assert done.freshness == pytest.approx(2.0 / 6.0)  # fresh from 4 to 6, there from 2 to 8


def test_where_no_page_moves_it_is_the_old_measure() -> None:
    history = moving(3).alive_throughout()
    plain, there = world_of(history), world_of(history, announced=np.zeros(len(history)))
    first = simulate(true_pages(history, np.ones(len(history))), "uniform", rate=1.0, world=plain, warmup=10.0)
    second = run(uniform, there, np.ones(len(history)), rate=1.0, warmup=10.0)
    assert second.freshness == pytest.approx(first.freshness, rel=1e-12)


RULES = {
    "uniform": (uniform, RoundRobin),
    "signalled-first": (signalled_first, SignalledFirst),
    "nutch": (nutch_rule, Nutch),
    "stormcrawler": (stormcrawler_rule, StormCrawler),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("rate", [0.5, 7.0])
def test_compiled_rules_do_what_the_rules_do(name: str, rate: float) -> None:
    history = moving(4, pages=30).alive_throughout()
    signals = draw(history, Quality(0.3, 0.9), np.random.default_rng(4))
    fast, slow = RULES[name]
    whole, moments = world_of(history, signals), permits(rate, history.end)
    assert np.array_equal(fast(whole, moments), drive(slow(len(history)), whole, moments))


def test_compiled_rules_take_constants() -> None:
    history = moving(5, pages=30).alive_throughout()
    whole, moments = world_of(history), permits(2.0, history.end)
    storm = StormConstants(first_min=300.0, most_min=90_000.0, grow=1.0)
    slow = drive(StormCrawler(len(history), constants=storm), whole, moments)
    assert np.array_equal(stormcrawler_rule(whole, moments, storm), slow)
    adapted = NutchConstants(first_s=9e5, sync=0.0, grow=0.1)
    slow = drive(Nutch(len(history), constants=adapted), whole, moments)
    assert np.array_equal(nutch_rule(whole, moments, adapted), slow)


class Turn:
    """`uniform` by the definition: a list, new pages to the front."""

    def __init__(self, known: list[int]) -> None:
        self.turn = known

    def announced(self, pages: list[int], now: float) -> None:
        self.new = [*getattr(self, "new", []), *pages]
        self.new.sort()

    def signalled(self, page: int, time: float) -> None: ...

    def next(self, now: float) -> int:
        if getattr(self, "new", []):
            return self.new.pop(0)
        return self.turn.pop(0) if self.turn else -1

    def crawled(self, page: int, now: float, changed: bool | None) -> None:
        self.turn.append(page)

    def gone(self, page: int, now: float) -> None: ...


@pytest.mark.parametrize("seed", range(5))
def test_new_pages_come_first_and_gone_pages_are_crawled_once_more(seed: int) -> None:
    whole = world(seed)
    moments = permits(1.0, whole.horizon)
    assert whole.presence is not None
    known = np.flatnonzero(whole.presence.announced <= 0.0).tolist()
    got = uniform(whole, moments)
    assert np.array_equal(got, crawl(Turn(known), whole, moments))
    for page in range(len(whole)):
        assert np.count_nonzero((got == page) & (moments >= whole.presence.removed[page])) <= 1


@pytest.mark.parametrize("policy", ["greedy", "greedy-ncis"])
def test_ours_crawl_only_what_they_know(policy: str) -> None:
    for seed in range(5):
        whole = world(seed)
        history = moving(seed)
        importance = np.ones(len(history))
        crawlers = (
            Learns(whole, importance, policy, Learning()),
            Told(whole, true_pages(history, importance, Quality(0.6, 0.5)), policy),
        )
        for crawler in crawlers:
            done = run(crawler, whole, importance, rate=1.0)
            assert whole.presence is not None
            assert (done.crawl_times >= whole.presence.announced[done.crawl_pages]).all()
            late = done.crawl_times >= whole.presence.removed[done.crawl_pages]
            assert np.bincount(done.crawl_pages[late], minlength=1).max() <= 1
            assert 0.0 < done.freshness < 1.0


def test_where_no_page_moves_ours_do_what_they_do_in_a_simulation() -> None:
    history = moving(6, pages=40).alive_throughout()
    signals = draw(history, Quality(0.6, 0.5), np.random.default_rng(6))
    pages = true_pages(history, np.ones(len(history)), Quality(0.6, 0.5))
    plain = world_of(history, signals)
    there = world_of(history, signals, np.zeros(len(history)))
    expected = simulate(pages, "greedy-ncis", rate=2.0, world=plain)
    got = run(Told(there, pages, "greedy-ncis"), there, pages.importance, rate=2.0)
    assert np.array_equal(got.crawl_pages, expected.crawl_pages)
    expected = simulate(pages, "greedy-ncis:learn", rate=2.0, world=plain)
    got = run(Learns(there, pages.importance, "greedy-ncis", Learning()), there, pages.importance, rate=2.0)
    assert np.array_equal(got.crawl_pages, expected.crawl_pages)


@pytest.mark.parametrize("policy", ["greedy", "greedy-ncis"])
@pytest.mark.parametrize("rate", [0.4, 3.0])
def test_compiled_learning_does_what_it_does_step_by_step(policy: str, rate: float) -> None:
    for seed in range(8):
        whole = world(seed, delay=1.5)
        importance = np.random.default_rng(seed).uniform(1.0, 3.0, len(whole))
        moments = permits(rate, whole.horizon)
        expected = crawl(Learns(whole, importance, policy, Learning()), whole, moments)
        fast = Learns(whole, importance, policy, Learning())
        got = learn_while_pages_move(fast, whole, moments, silent=policy == "greedy")
        assert np.array_equal(got, expected), seed


def test_simulate_refuses_a_world_whose_pages_move() -> None:
    with pytest.raises(InputError, match="pages that are there throughout"):
        simulate(true_pages(moving(1), np.ones(12)), "uniform", world=world(1))


def test_a_page_cannot_be_announced_before_it_is_there() -> None:
    with pytest.raises(InputError, match="announced and removed must not be before born"):
        Presence(np.array([1.0]), np.array([2.0]), np.array([0.5]))
