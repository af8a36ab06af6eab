"""Policies that learn: the compiled circle, the plain one, and how close to the oracle they come."""

import numpy as np
import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.pairing import Pairing
from recrawl.paper.trials import learning_worlds
from recrawl.policies import get
from recrawl.sim import Hosts, Learned, Learning, World, drive
from recrawl.sim.events import Events
from recrawl.sim.permits import permits

M = 80
HOSTS = Hosts(np.arange(M) % 8, gap=0.4)
CASES = {
    "plain": (Learning(), 0.0, None),
    "labels": (Learning(hosts=np.arange(M) % 5, kinds=np.arange(M) % 2), 0.0, None),
    "half-life, discard": (Learning(half_life=20.0), 0.3, None),
    "hosts": (Learning(), 0.0, HOSTS),
}
IN_FOLDERS = {
    "folders": (Learning(folders=np.arange(M) // 9), 0.0, None),
    "folders, hosts, discard": (Learning(folders=np.arange(M) // 4 - 1), 0.3, HOSTS),
}
CASES_OF = [
    *((policy, case) for policy in ("greedy-ncis", "ncis-approx-2", "greedy") for case in CASES.values()),
    *((policy, case) for policy in ("greedy-ncis", "ncis-approx-2") for case in IN_FOLDERS.values()),
]


@pytest.mark.parametrize(("policy", "case"), CASES_OF)
def test_the_compiled_circle_is_the_plain_one(case, policy):
    learning, discard, hosts = case
    pages = paper_mix(M, seed=4)
    world = World.draw(pages, 40.0, seed=4)
    learner = learning.learner(pages.importance, hosts)
    scheduler = Scheduler(learner.pages(), policy, discard=discard, hosts=None if hosts is None else hosts.of_page)
    if hosts is not None:
        hosts.limit(scheduler)
    pairing = Pairing(scheduler, learner, neighbours=learning.neighbours(M))
    expected = drive(Learned(pairing), world, permits(30.0, 40.0), discard)
    run = recrawl.simulate(pages, policy, 30.0, world=world, believed=learning, discard=discard, hosts=hosts)
    assert run.crawl_pages.tolist() == expected[expected >= 0].tolist()
    assert run.policy == f"{policy}:learn"


def test_policies_that_hear_nothing_take_no_folders():
    with pytest.raises(InputError, match="folders must be left out for a policy that hears of no changes between two"):
        recrawl.simulate(paper_mix(M), "greedy", 30.0, 10.0, believed=Learning(folders=np.zeros(M, dtype=int)))


def test_the_same_run_twice_is_the_same():
    one, two = (recrawl.simulate(paper_mix(50), "greedy-ncis:learn", 10.0, 50.0) for _ in range(2))
    assert one.crawl_pages.tolist() == two.crawl_pages.tolist()


def test_the_name_and_the_belief_say_the_same():
    pages = paper_mix(50)
    named = recrawl.simulate(pages, "greedy-ncis:learn", 10.0, 50.0)
    told = recrawl.simulate(pages, "greedy-ncis", 10.0, 50.0, believed="learn")
    assert named.crawl_pages.tolist() == told.crawl_pages.tolist()
    assert named.policy == told.policy == "greedy-ncis:learn"


def test_nothing_but_importance_is_known():
    # Other parameters of the same events make the same crawls.
    pages = paper_mix(50, seed=1)
    world = World.draw(pages, 50.0, seed=1)
    wrong = recrawl.Pages.from_rates(np.linspace(0.1, 9.0, 50), pages.importance)
    runs = [recrawl.simulate(given, "greedy-ncis:learn", 10.0, world=world) for given in (pages, wrong)]
    assert runs[0].crawl_pages.tolist() == runs[1].crawl_pages.tolist()


@pytest.mark.parametrize("policy", ["greedy:learn", "greedy-cis:learn", "greedy-cis+:learn"])
def test_policies_that_believe_something_else_learn_too(policy):
    pages = paper_mix(60, seed=2)
    fresh = recrawl.simulate(pages, policy, 10.0, 60.0, seed=2).freshness
    assert fresh > recrawl.simulate(pages, "uniform", 10.0, 60.0, seed=2).freshness


def test_rules_cannot_learn():
    with pytest.raises(
        InputError, match="policy must weigh pages anew at each crawl to learn, as greedy-ncis does, got lds"
    ):
        recrawl.simulate(paper_mix(5), "lds:learn", 1.0, 5.0)


def test_no_pages_can_be_learned_about():
    assert recrawl.simulate(recrawl.Pages.from_rates([], []), "greedy-ncis:learn", 1.0, 3.0).idle == 3


def test_learning_is_in_between_ignorance_and_knowledge():
    # m = 300, t in [250, 500]: knowing .69, learning .68, not learning .64 (one instance: seed 77).
    pages = paper_mix(300, seed=77)
    world = World.draw(pages, 500.0, seed=77)
    middle = recrawl.Pages.from_rates(np.full(300, 0.5), pages.importance, 0.5, 0.35)
    knows, learns, guesses = (
        recrawl.simulate(pages, rate=100.0, world=world, warmup=250.0, believed=believed).freshness
        for believed in (None, "learn", middle)
    )
    assert guesses + 0.02 < learns
    assert learns > 0.98 * knows


def test_a_joined_world_is_one_after_the_other():
    pages = paper_mix(20)
    first, second = World.draw(pages, 10.0, seed=1), World.draw(pages, 10.0, seed=2)
    both = learning_worlds.joined(first, second)
    assert both.horizon == 20.0
    for page in range(20):
        expected = [*first.changes.of(page), *(second.changes.of(page) + 10.0)]
        assert both.changes.of(page).tolist() == expected
    assert np.all(np.diff(both.signal_times) >= 0.0)
    assert len(both.signal_times) == len(first.signal_times) + len(second.signal_times)


def test_the_oracle_of_a_drifting_world_changes_its_mind_at_half_time():
    drawn = learning_worlds.draw("drift", 50, 3, horizon=40.0)
    changed = drawn.later.change_rate > 1.5 * drawn.pages.change_rate
    assert changed.sum() == 50 // 3
    told = learning_worlds.oracle(drawn)
    ignorant = recrawl.simulate(drawn.pages, rate=100.0, world=drawn.world)
    before = told.crawl_times <= 20.0
    assert told.crawl_pages[before].tolist() == ignorant.crawl_pages[before].tolist()
    assert told.crawl_pages[~before].tolist() != ignorant.crawl_pages[~before].tolist()


def test_values_that_are_believed_as_they_are_run_compiled():
    # The choice of the fast loop rests on this.
    assert get("ncis-approx-2").believe is get("greedy-ncis").believe is not get("greedy").believe


def test_what_others_believe_is_not_what_a_learner_does():
    pages, wrong = paper_mix(50), paper_mix(50, seed=9)
    with pytest.raises(InputError, match="believed must be left out for greedy-ncis:learn"):
        recrawl.simulate(pages, "greedy-ncis:learn", 10.0, 50.0, believed=wrong)
    alone = recrawl.sim.compare(pages, ["greedy-ncis:learn"], 10.0, 50.0, repetitions=1)
    beside = recrawl.sim.compare(pages, ["greedy-ncis", "greedy-ncis:learn"], 10.0, 50.0, repetitions=1, believed=wrong)
    assert beside.of("greedy-ncis:learn").mean == alone.of("greedy-ncis:learn").mean


def test_a_whole_frontier_learns_as_well_as_scheduler_and_learner_alone():
    pages = recrawl.Pages.from_rates(
        change_rate=np.geomspace(0.2, 5.0, 40), importance=1.0, recall=0.5, false_signal_rate=np.linspace(0.0, 2.0, 40)
    )
    runs = [
        recrawl.simulate(pages, rate=20.0, horizon=60.0, seed=3, believed=Learning(frontier=frontier))
        for frontier in (False, True)
    ]
    assert len(runs[1].crawl_pages) == len(runs[0].crawl_pages)
    # the two differ in when they hear signals and in the level: paired over ten seeds by .001 +- .002
    assert runs[1].freshness == pytest.approx(runs[0].freshness, abs=0.01)


def test_a_frontier_keeps_the_gaps_of_hosts():
    pages = recrawl.Pages.from_rates(change_rate=np.full(6, 1.0), importance=1.0)
    hosts = Hosts([0, 0, 0, 1, 1, 1], gap=0.5)
    run = recrawl.simulate(pages, rate=20.0, horizon=20.0, seed=1, believed=Learning(frontier=True), hosts=hosts)
    for host in (0, 1):
        times = run.crawl_times[run.crawl_pages // 3 == host]
        assert np.diff(times).min() >= 0.5 - 1e-6


def test_folders_are_directories_to_a_frontier():
    fresh = np.mean([in_whole_folders(seed) for seed in (5, 6, 7)], axis=0)
    alone, with_folders = fresh[1]
    assert with_folders > alone + 0.02
    # A frontier and a pairing take other decisions here and there: .01 in one world, as standard deviation.
    np.testing.assert_allclose(fresh[1], fresh[0], atol=0.02)


def in_whole_folders(seed):
    """Freshness where pages of a folder change together: without and with folders, of a pairing and of a frontier."""
    rng, horizon = np.random.default_rng(seed), 60.0
    times = np.concatenate([np.tile(np.sort(rng.uniform(0.0, horizon, 30)), 10) for _ in range(6)])
    changes = Events(np.arange(0, 1801, 30), times)
    world = World(horizon, changes, np.empty(0), np.empty(0, dtype=np.int64))
    pages = recrawl.Pages.from_rates(change_rate=np.full(60, 0.5), importance=1.0)
    return [
        [
            recrawl.simulate(
                pages, rate=60.0, world=world, believed=Learning(folders=folders, frontier=frontier), warmup=15.0
            ).freshness
            for folders in (None, np.arange(60) // 10)
        ]
        for frontier in (False, True)
    ]


@pytest.mark.parametrize(
    "learning",
    [
        Learning(frontier=True, tilt=2.0),
        Learning(frontier=True, prior=1.0),
        Learning(frontier=True, hosts=np.zeros(2, dtype=int)),
    ],
)
def test_a_frontier_takes_no_other_settings(learning):
    pages = recrawl.Pages.from_rates(change_rate=[1.0, 2.0], importance=1.0)
    with pytest.raises(InputError, match="folders, half_life and explore only"):
        recrawl.simulate(pages, rate=1.0, horizon=5.0, believed=learning)
