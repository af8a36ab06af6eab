"""Simulations against theory, and against each other."""

import numpy as np
import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.policies.uniform import RoundRobin
from recrawl.sim import Constant, Estimate, Hosts, Poisson, Scheduled, World, drive
from recrawl.sim.permits import permits

NOISY = recrawl.Pages.from_rates(change_rate=0.8, importance=1.0, recall=0.6, false_signal_rate=0.3)


def test_one_page_crawled_evenly_is_as_fresh_as_theory_says():
    # Freshness of a page crawled every d is (1 - e^(-Delta d))/(Delta d).
    page = recrawl.Pages.from_rates(change_rate=1.0, importance=1.0)
    got = Estimate.of([recrawl.simulate(page, rate=0.5, horizon=5000.0, seed=s).freshness for s in range(20)])
    expected = -np.expm1(-2.0) / 2.0
    assert abs(got.mean - expected) < 6.0 * got.standard_error  # t with 19 degrees of freedom: 1e-5 by chance
    assert got.standard_error < 0.002


def test_one_page_crawled_at_its_threshold_is_as_fresh_as_theory_says():
    # Crawled whenever its staleness reaches x: freshness w(x)/psi(x) and rate 1/psi(x).
    x = 0.9
    alpha, kappa = NOISY.unsignalled_rate[0], NOISY.signal_weight[0]
    fresh, rates = [], []
    for seed in range(20):
        world = World.draw(NOISY, 4000.0, seed)
        times, last, jumps = [], 0.0, 0.0
        for signal in [*world.signal_times, world.horizon]:
            while (due := last + (x - jumps) / alpha) <= signal:
                times.append(due)
                last, jumps = due, 0.0
            jumps += kappa
            if signal < world.horizon and alpha * (signal - last) + jumps >= x:
                times.append(signal)
                last, jumps = signal, 0.0
        run = recrawl.sim.Run("threshold", world, np.ones(1), np.array(times), np.zeros(len(times), dtype=np.int64))
        fresh.append(run.freshness)
        rates.append(float(run.rates[0]))
    psi = recrawl.cycle_length(NOISY, x)[0]
    # 6 standard errors at 19 degrees of freedom: 1e-5 by chance, for each of the two
    for got, expected in ((fresh, recrawl.cycle_freshness(NOISY, x)[0] / psi), (rates, 1.0 / psi)):
        estimate = Estimate.of(got)
        assert abs(estimate.mean - expected) < 6.0 * estimate.standard_error


@pytest.mark.parametrize(("policy", "use_signals"), [("greedy", False), ("lds", False), ("greedy-ncis", True)])
def test_policies_come_close_to_their_optimum(policy, use_signals):
    pages = paper_mix(300, seed=5)
    got = Estimate.of([recrawl.simulate(pages, policy, 30.0, 400.0, seed, warmup=80.0).freshness for seed in range(6)])
    best = recrawl.optimum(pages, 30.0, use_signals=use_signals).freshness
    # Within 1% of the optimum, plus chance: 12 standard errors at 5 degrees of freedom are 1e-4 by chance.
    assert best * 0.99 - 12.0 * got.standard_error < got.mean < best + 12.0 * got.standard_error
    assert got.standard_error < 0.004


REFERENCE = {(100, "greedy-ncis"): 0.913, (100, "greedy"): 0.833, (200, "greedy-ncis"): 0.789, (200, "greedy"): 0.711}


@pytest.mark.parametrize("m", [100, 200])
def test_the_paper_setting_reproduces_an_independent_trial(m):
    # Freshness over [200, 1000] at R = 100, pages and worlds of seeds 0 to 2. Instances have a standard deviation of
    # .015 (20 seeds), so the mean of 3 has one of .009, the trial's of .001: .045 is 5 of them, 6e-7 by chance.
    for policy in ("greedy-ncis", "greedy"):
        runs = [recrawl.simulate(paper_mix(m, s), policy, 100.0, 1000.0, s, warmup=200.0) for s in range(3)]
        assert np.mean([run.freshness for run in runs]) == pytest.approx(REFERENCE[m, policy], abs=0.045)


def test_accuracy_is_freshness_with_the_chance_of_requests():
    run = recrawl.simulate(paper_mix(200), rate=20.0, horizon=500.0)
    n = len(run.world.requests)
    # 5.5 standard errors of a share of n requests (which lie closer together than independent ones: take 3 times that).
    assert abs(run.accuracy - run.freshness) < 3.0 * 5.5 * 0.5 / np.sqrt(n)


@pytest.mark.parametrize("policy", ["greedy-ncis", "greedy", "ncis-approx-1", "greedy-cis"])
@pytest.mark.parametrize("discard", [0.0, 0.5])
def test_the_loop_and_the_replay_crawl_the_same(policy, discard):
    pages = paper_mix(60, seed=2)
    world = World.draw(pages, 60.0, seed=2)
    rule = Scheduled(Scheduler(pages, policy))
    looped = drive(rule, world, permits(10.0, 60.0), discard)
    run = recrawl.simulate(pages, policy, 10.0, world=world, discard=discard)
    assert looped.tolist() == run.crawl_pages.tolist()


def test_a_rule_is_told_what_its_crawls_saw():
    class Listening(recrawl.sim.Scheduled):
        def __init__(self, pages, rate):
            super().__init__(Scheduler(pages))
            self.told = []
            made.append(self)

        def crawled(self, page, now, elapsed, signals, changed):
            self.told.append((page, now, elapsed, signals, changed))

    made = []
    run = recrawl.simulate(paper_mix(40, seed=3), Listening, 10.0, 50.0, seed=3)
    expected = zip(run.crawl_pages, run.crawl_times, *run.outcomes, strict=True)
    assert made[0].told == list(expected)
    assert run.policy == "Listening"


def test_ticks_are_evenly_spaced():
    assert permits(4.0, 1.0).tolist() == [0.25, 0.5, 0.75, 1.0]
    assert len(permits(100.0, 1000.0)) == 100_000
    assert len(permits(0.1, 1000.0)) == 100
    assert permits(0.5, 1.9).tolist() == []


@pytest.mark.parametrize(
    ("bandwidth", "expected"),
    [
        ([], [1.0, 2.0, 3.0, 4.0]),
        ([(0.0, 0.5)], [2.0, 4.0]),
        ([(1.5, 2.0)], [1.0, 1.75, 2.25, 2.75, 3.25, 3.75]),
        ([(1.0, 0.0), (2.5, 2.0)], [1.0, 3.0, 3.5, 4.0]),
        ([(10.0, 5.0)], [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_a_bandwidth_schedule_moves_the_ticks(bandwidth, expected):
    assert permits(1.0, 4.0, bandwidth) == pytest.approx(expected, rel=1e-12)


def test_a_crawl_is_not_put_off_because_its_bandwidth_adds_up_to_a_hair_less():
    schedule = [*((k * 0.1, 0.7) for k in range(1, 100)), (10.0, 0.0)]  # a hundred times .07: 6.99..9
    got = permits(0.7, 40.0, schedule)
    assert len(got) == 7
    assert got[-1] == pytest.approx(10.0)


def test_more_bandwidth_is_fresher_while_it_lasts():
    run = recrawl.simulate(paper_mix(100), "greedy", 10.0, 300.0, bandwidth=[(100.0, 30.0), (200.0, 10.0)])
    before, during, after = run.timeline(100.0).freshness
    assert during > before + 0.1
    assert during > after + 0.1
    assert len(run.crawl_times) == 5000


def test_wrong_beliefs_cost_freshness_and_leave_the_world_alone():
    pages = paper_mix(100, seed=1)
    wrong = recrawl.Pages.from_rates(pages.change_rate[::-1], pages.importance, pages.recall, pages.false_signal_rate)
    right, misled = (recrawl.simulate(pages, rate=10.0, horizon=200.0, believed=b) for b in (None, wrong))
    assert misled.freshness < right.freshness - 0.02
    assert misled.world.changes.times.tobytes() == right.world.changes.times.tobytes()


def test_believing_the_truth_changes_nothing():
    pages = paper_mix(50)
    runs = [recrawl.simulate(pages, rate=10.0, horizon=50.0, believed=b) for b in (None, pages)]
    assert runs[0].crawl_pages.tolist() == runs[1].crawl_pages.tolist()


def test_late_signals_are_worth_less():
    pages = recrawl.Pages.from_rates(np.full(50, 0.2), 1.0, 0.9, 0.02)
    prompt, late = (recrawl.simulate(pages, rate=20.0, horizon=500.0, latency=each) for each in (None, Constant(2.0)))
    assert late.freshness < prompt.freshness - 0.05


def test_a_discard_window_drops_what_comes_soon_after_a_crawl():
    pages = recrawl.Pages.from_rates([0.5, 0.4, 0.6], 1.0, 0.9, 0.1)
    latency = Poisson.ticks(6.0, 3.0)
    kept, dropped = (
        recrawl.simulate(pages, rate=3.0, horizon=200.0, latency=latency, discard=discard) for discard in (0.0, 2.0)
    )
    assert kept.crawl_pages.tolist() != dropped.crawl_pages.tolist()


def test_hosts_keep_their_gap_and_leave_bandwidth_idle():
    pages = paper_mix(30)
    hosts = Hosts(np.arange(30) % 3, gap=[0.5, 1.0, 2.0])
    run = recrawl.simulate(pages, rate=10.0, horizon=100.0, hosts=hosts)
    for host, gap in enumerate((0.5, 1.0, 2.0)):
        times = run.crawl_times[run.crawl_pages % 3 == host]
        assert np.diff(times).min() >= gap - 1e-9
    assert run.idle == 1000 - len(run.crawl_times) > 600  # at most 3.5 crawls per unit of time


def test_a_warm_up_is_not_measured():
    pages = paper_mix(100)
    whole, later = (recrawl.simulate(pages, rate=5.0, horizon=300.0, warmup=w) for w in (0.0, 200.0))
    assert later.freshness == pytest.approx(whole.timeline(100.0).freshness[2], rel=1e-12)
    assert later.accuracy == pytest.approx(whole.timeline(100.0).accuracy[2], rel=1e-12)
    assert later.crawls.sum() == pytest.approx(500, abs=1)
    assert later.rates.sum() == pytest.approx(5.0, rel=0.01)


def test_a_summary_names_the_figures():
    run = recrawl.simulate(paper_mix(20), "uniform", 5.0, 10.0)
    assert list(run.summary()) == ["policy", "freshness", "accuracy", "crawls", "redundant", "idle"]
    assert run.summary()["crawls"] == 50


def test_no_pages_is_a_world_too():
    run = recrawl.simulate(recrawl.Pages.from_rates([], []), rate=1.0, horizon=3.0)
    assert (run.freshness, run.idle, len(run.crawls)) == (1.0, 3, 0)


PAGES = paper_mix(3)
BAD = [
    ({"policy": "gredy"}, "policy must be one of greedy, .*lds, uniform.*; got 'gredy'"),
    ({"policy": 3}, r"policy must be a name, a value policy or a function .* from \(pages, rate\), got 3"),
    ({"rate": 0.0}, "rate must be finite and > 0, got 0.0"),
    ({"rate": np.inf}, "rate must be finite and > 0, got inf"),
    ({"horizon": 0.0}, "horizon must be finite and > 0, got 0.0"),
    ({"horizon": 10.0, "warmup": 10.0}, r"warmup must be in \[0, 10\), before the horizon, got 10.0"),
    ({"warmup": -1.0}, "warmup must be in"),
    ({"bandwidth": [(5.0, 1.0), (2.0, 1.0)]}, "bandwidth must have times >= 0 that rise, got 2.0 after 5.0"),
    ({"bandwidth": [(5.0, -1.0)]}, "bandwidth must be of finite rates >= 0, got -1.0"),
    ({"bandwidth": [5.0]}, r"bandwidth must be \(time, rate\) pairs, got \[5.0\]"),
    ({"believed": paper_mix(2)}, "believed must be Pages, one for each of 3"),
    ({"believed": "lern"}, "believed must be Pages, 'learn' or Learning, got 'lern'"),
    ({"policy": "gredy:learn"}, "policy must be one of greedy"),
    ({"discard": -1.0}, "discard must be >= 0, got -1.0"),
    ({"hosts": Hosts([0, 1], 1.0)}, "hosts must be 3 whole numbers"),
    ({"hosts": Hosts([0, 1, 1], [1.0, 2.0, 3.0])}, "gap must be one number or one for each of 2 hosts, got 3"),
    ({"policy": "lds", "hosts": Hosts([0, 1, 1], 1.0)}, "hosts must be left out for lds"),
    ({"policy": "uniform", "discard": -1.0}, "discard must be >= 0, got -1.0"),
    ({"world": World.draw(paper_mix(2), 5.0), "horizon": None}, "world must have the 3 pages, got 2"),
    ({"world": World.draw(paper_mix(3), 5.0)}, "horizon must be left out with a world, which has its own"),
    ({"world": World.draw(paper_mix(3), 5.0), "horizon": None, "latency": Constant(1.0)}, "latency must be left out"),
    ({"rate": 1e8}, "horizon must leave at most 3e.08 crawls, got 2e.09 by 20; time counts from 0"),
    ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
    ({"seed": 0.5}, "seed must be a whole number >= 0, got 0.5"),
    ({"latency": 0.5}, r"latency must be a distribution, got 0.5; e.g. sim.Constant\(0.5\)"),
    ({"trace": 3}, "trace must be a file or a sim.Trace, got 3"),
    ({"hosts": [0, 1, 1]}, r"hosts must be sim.Hosts\(of_page, gap\), got \[0, 1, 1\]"),
    ({"policy": lambda pages, _: RoundRobin(len(pages) + 1)}, r"a rule must name a page in \[0, 3\) or -1, got 3"),
]


@pytest.mark.parametrize(("keywords", "match"), BAD, ids=[match for _, match in BAD])
def test_bad_input_is_refused(keywords, match):
    with pytest.raises(InputError, match=match):
        recrawl.simulate(PAGES, **{"rate": 1.0, "horizon": 20.0, **keywords})


def test_names_are_those_that_run():
    for name in recrawl.sim.names():
        recrawl.simulate(PAGES, name.replace("-J", "-2"), 2.0, 5.0)


def test_a_run_says_what_it_is():
    run = recrawl.simulate(paper_mix(40), "uniform", 5.0, 20.0)
    expected = f"Run(policy='uniform', pages=40, crawls=100, horizon=20, freshness={run.freshness:.4f})"
    assert repr(run) == expected


def test_the_rate_is_that_of_the_paper_where_none_is_given():
    assert len(recrawl.simulate(paper_mix(40), "uniform", horizon=3.0).crawl_times) == 300
    assert "100 where it is not given" in recrawl.simulate.__doc__
