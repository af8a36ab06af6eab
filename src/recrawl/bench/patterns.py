"""Traffic as crawlers really meet it: each pattern does something to a scheduler, a busy one or a new one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from recrawl.bench.engine import in_steady_state
from recrawl.bench.load import Ids, Load, twin_of
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.model import Pages

HOSTS = 10_000
KINDS = {
    1: [1.0],
    2: [0.001, 10.0],
    4: [24.0, 1.0, 1 / 7, 1 / 30],
    84: np.geomspace(1 / 30, 10, 84).tolist(),
}
"""Change rates of pages that fall into few kinds: all new, by changefreq, by the types of a learner."""

SINGLE, BATCH = "single", "batch"


@dataclass
class Scene:
    """Pages in their steady state at rate pages/10, with and without hosts; every pattern begins from a copy."""

    m: int
    kept: dict[str, tuple[Scheduler, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mix = paper_mix(self.m)
        self.rate = self.m / 10
        self.hosts = np.random.default_rng(1).integers(0, HOSTS, self.m)

    def steady(self, kind: str = "plain") -> Load:
        """A copy of one of the steady states: plain, hosts (without limits), gaps (twice their share of the rate)."""
        if kind not in self.kept:
            self.kept[kind] = self._warm(kind)
        scheduler, now = self.kept[kind]
        return Load(twin_of(scheduler), self.mix, self.rate, now)

    def _warm(self, kind: str) -> tuple[Scheduler, float]:
        scheduler = in_steady_state(self.mix, 0.0, None if kind == "plain" else self.hosts)
        if kind == "gaps":
            for host in range(HOSTS):
                scheduler.set_host(host, gap=0.5 * HOSTS / self.rate)
        load = Load(scheduler, self.mix, self.rate)
        load.even(20_000)
        return scheduler, load.now


@dataclass(frozen=True)
class Pattern:
    """A name, what it is compared with, how many times that it may cost, and what it does."""

    name: str
    beside: str
    most: float
    run: Callable[[Scene], Load]


def even(scene: Scene, n: int = 20_000) -> Load:
    """Six signals before each decision."""
    load = scene.steady()
    load.even(n)
    return load


def even_batch(scene: Scene, kind: str = "plain") -> Load:
    """Leases of a hundred at an even pace, their signals before."""
    load = scene.steady(kind)
    _leases(load, 200)
    return load


def _leases(load: Load, calls: int, gap: Callable[[], float] = lambda: 1.0, at_once: int = 1) -> None:
    for _ in range(calls // at_once):
        pages = 100.0 * at_once * gap()
        load.pass_time(pages)
        load.hear(load.random_ids(int(6 * pages)))
        for _ in range(at_once):
            load.crawled(load.lease(100))


def _bursts(size: int) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        load = scene.steady()
        load.bursts(size, max(10_000, 3 * size))
        return load

    return run


def _sitemap(share: float, times: int) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        load = scene.steady()
        for _ in range(times):
            load.hear(load.rng.choice(scene.m, int(share * scene.m), replace=False))
            load.even(300)
        return load

    return run


def _whole_hosts(scene: Scene) -> Load:
    load = scene.steady("gaps")
    for _ in range(30):
        load.hear(np.flatnonzero(scene.hosts == load.rng.integers(HOSTS)))
        load.even(300)
    return load


def _leased(how: str, kind: str) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        load = scene.steady(kind)
        if how == "random":
            _leases(load, 200, load.rng.exponential)
        elif how == "four":
            _leases(load, 200, at_once=4)
        else:
            load.hear(load.random_ids(10_000))
            load.restart()
            _leases(load, 100)
        return load

    return run


def _kinds(count: int, share: float, batches: bool) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        rates = np.array(KINDS[count])[np.random.default_rng(1).integers(0, count, scene.m)]
        pages = Pages.from_rates(rates, 1.0, recall=0.5, false_signal_rate=0.3)
        load = Load(Scheduler(pages), pages, share * scene.m)
        load.pass_time()
        load.take()  # after construction: `recrawl bench traffic` has a line of its own for it
        load.restart()
        for _ in range(60 if batches else 0):
            load.pass_time(100)
            load.hear(load.random_ids(600))
            load.take(100)
        if not batches:
            load.even(6_000)
        return load

    return run


def _greatest_age(share: float) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        age = 10.0 / share  # at this rate every page is crawled once in 10
        scheduler = Scheduler(scene.mix, max_age=age)
        ages = np.random.default_rng(0).uniform(0.0, min(age, 10.0), scene.m)
        scheduler.crawled(np.arange(scene.m), -ages)
        load = Load(scheduler, scene.mix, scene.rate)
        load.take()
        load.restart()
        load.even(10_000)
        return load

    return run


def _pulses(scene: Scene) -> Load:
    load = scene.steady()
    for k in range(40):
        load.rate = scene.rate * (4.0 if k % 2 == 0 else 0.25)
        load.bursts(20, 400)
    return load


def _new_rate(factor: float) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        load = scene.steady()
        load.rate *= factor
        load.even(12_000)
        return load

    return run


def _night(prepared: bool) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        load = scene.steady()
        for _ in range(80):
            load.now += 0.1
            while prepared and load.scheduler.advance(load.now, 10_000) == 10_000:
                pass
        load.take()
        if not prepared:
            load.restart()  # the first after a long pause has a line of its own
        load.even(10_000)
        return load

    return run


def _signals(before_each: int) -> Callable[[Scene], Load]:
    def run(scene: Scene) -> Load:
        load = scene.steady()
        load.even(10_000, before_each)
        return load

    return run


def _update(load: Load, ids: Ids, pages: Pages) -> float:
    return load.timed(lambda: load.scheduler.update(ids, pages, load.now))


def _update_each(scene: Scene) -> Load:
    load = scene.steady()
    for _ in range(10_000):
        load.pass_time()
        load.hear(load.random_ids(6))
        ids = load.take()
        _update(load, ids, scene.mix[ids])
    return load


def _update_all(scene: Scene) -> Load:
    """All pages by 5% once in five rounds, in slices of 20,000, with a stretch of the 100,000 decisions between."""
    load = scene.steady()
    spent, changed = 0.0, 0
    for first in range(0, min(scene.m, 100_000), 20_000):
        ids = np.arange(first, min(first + 20_000, scene.m))
        alpha, kappa, gamma, mu = (column[ids] for column in scene.mix.columns)
        spent += _update(load, ids, Pages(alpha * load.rng.uniform(0.95, 1.05, len(ids)), kappa, gamma, mu))
        changed += len(ids)
        load.even(2_000)
    load.seconds -= spent
    load.besides = spent / (5 * changed)
    return load


def _update_lower(share: float) -> Callable[[Scene], Load]:
    """All pages at once, every value lower by the same share: a learner finds that everything changes more slowly."""

    def run(scene: Scene) -> Load:
        load = scene.steady()
        alpha, kappa, gamma, mu = scene.mix.columns
        load.scheduler.update(np.arange(scene.m), Pages(alpha, kappa, gamma, mu * share), load.now)
        load.restart()
        load.even(2_000)
        return load

    return run


def _release(load: Load, ids: Ids, not_before: float) -> None:
    load.timed(lambda: load.scheduler.release(ids, load.now, not_before))


def _in_flight(scene: Scene) -> Load:
    load = scene.steady()
    held: list[int] = []
    for _ in range(10_000):
        load.pass_time()
        load.hear(load.random_ids(6))
        held += load.lease(1).tolist()
        if len(held) > 1000:
            ids: Ids = np.array([held.pop(int(load.rng.integers(len(held))))])
            if load.rng.random() < 0.2:
                later = load.now + load.rng.exponential(0.1)
                _release(load, ids, later)
            else:
                load.crawled(ids)
    return load


def all_patterns() -> Iterator[Pattern]:
    """Every line of `recrawl bench traffic`, in order."""
    for size in (10, 37, 100, 250, 1_000, 3_000):
        yield Pattern(f"signals of {size:,} decisions at once", SINGLE, 2.5, _bursts(size))
    for share in (0.01, 0.02, 0.05):
        name = f"a sitemap of {share:.0%} every 300 decisions"
        yield Pattern(name, SINGLE, 2.5, _sitemap(share, 20))
    yield Pattern("a sitemap of 20% once", SINGLE, 2.5, _sitemap(0.2, 1))
    yield Pattern("whole hosts at once, hosts with gaps", SINGLE, 2.5, _whole_hosts)
    for kind, words in (("plain", "no hosts"), ("hosts", "10,000 hosts")):
        yield Pattern(f"lease(100) at random times, {words}", BATCH, 3.0, _leased("random", kind))
        yield Pattern(f"lease(100) four at a moment, {words}", BATCH, 3.0, _leased("four", kind))
        yield Pattern(f"lease(100) after 10,000 signals, {words}", BATCH, 3.0, _leased("after", kind))
    for count in KINDS:
        for share in (0.01, 0.1, 1.0):
            name = f"new pages of {count} kind{'s' * (count > 1)}, rate {share:g} m"
            yield Pattern(name, SINGLE, 3.0, _kinds(count, share, False))
            yield Pattern(f"{name}, take(100)", BATCH, 3.0, _kinds(count, share, True))
    for share in (0.5, 1.0, 2.0):
        yield Pattern(f"max_age that needs {share:.0%} of the rate", SINGLE, 3.0, _greatest_age(share))
    yield Pattern("pulses of bandwidth, 16:1", SINGLE, 3.0, _pulses)
    yield Pattern("ten times the rate", SINGLE, 3.0, _new_rate(10.0))
    yield Pattern("a tenth of the rate", SINGLE, 3.0, _new_rate(0.1))
    yield Pattern("after a night, first decision apart", SINGLE, 3.0, _night(False))
    yield Pattern("after a night with advance()", SINGLE, 3.0, _night(True))
    yield Pattern("no signals any more", SINGLE, 3.0, _signals(0))
    yield Pattern("ten times the signals", SINGLE, 3.0, _signals(60))
    yield Pattern("update of each page crawled", SINGLE, 2.0, _update_each)
    yield Pattern("update of all pages, in slices", SINGLE, 2.0, _update_all)
    for share in (0.95, 0.5):
        yield Pattern(f"after an update: all values {1.0 - share:.0%} lower", SINGLE, 3.0, _update_lower(share))
    yield Pattern("1,000 in flight, a fifth fail", SINGLE, 2.0, _in_flight)
