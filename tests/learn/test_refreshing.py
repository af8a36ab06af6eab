"""Priors learned in slices: as good, no call that takes long, and no state outside of what is saved."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn import Learner
from recrawl.learn.online.layout import SIDE
from recrawl.learn.online.refreshing import PASSES_LEFT, PHASE, PLACE
from tests.learn.crawling import mixed_pages, outcomes

SEED = 20260105
HUGE = 1 << 40


def made(m=300, **keywords):
    return Learner(m, np.arange(m) % 7, np.arange(m) % 3, now=0.0, **keywords)


def crawl(learner, steps, batch=15, first=0, spacing=None):
    """Some pages at a time, each step with its own random numbers; what `observe` said."""
    m = len(learner)
    pages = mixed_pages(np.random.default_rng(SEED), m)
    spacing = batch / m if spacing is None else spacing
    said = []
    for k in range(first, first + steps):
        rng = np.random.default_rng([SEED, k])
        elapsed = rng.uniform(0.2, 1.8, size=m)
        signals, changed = outcomes(rng, pages, elapsed)
        ids = rng.permutation(m)[:batch]
        now = learner.now + spacing
        said.append(learner.observe(ids, elapsed[ids], signals[ids], changed[ids], now, level=0.3))
    return said


def state(learner):
    return {name: column.tolist() for name, column in learner.columns().items() if name != "job_state"}


def test_one_slice_that_is_large_enough_is_all_at_once():
    sliced, whole = made(refresh_slice=HUGE), made()
    assert crawl(sliced, 150) == crawl(whole, 150)
    assert state(sliced) == state(whole)


def test_a_call_looks_at_no_more_pages_than_a_slice():
    learner = made(refresh_slice=20)
    before = (0, 0, 0)
    for k in range(400):
        crawl(learner, 1, first=k)
        now = tuple(learner._job.state[[PHASE, PASSES_LEFT, PLACE]])
        if now[:2] == before[:2]:
            assert 0 <= now[2] - before[2] <= 20 * 32
            assert now[0] < 4 or now[2] - before[2] <= 20
        before = now


def test_it_says_so_when_the_last_slice_is_done():
    learner = made(refresh_slice=20)
    under_way, ends = [], []
    for k in range(900):
        ends += crawl(learner, 1, first=k)
        under_way.append(learner.refreshing)
    assert sum(ends) >= 2
    for k in range(1, 900):
        assert ends[k] == (under_way[k - 1] and not under_way[k])
    # 300 pages: 300/32 to add up, 300 to judge, 300 to compare, each for 12, 3 passes of 300, or 10 at first: in slices
    # of 20, which end with a whole page
    assert 210 <= sum(under_way[: ends.index(True, 1)]) <= 360


def test_in_slices_pages_are_learned_as_well():
    sliced, whole = made(refresh_slice=20), made()
    for learner in (sliced, whole):
        crawl(learner, 1500)
    truth = mixed_pages(np.random.default_rng(SEED), 300).change_rate
    off = {
        name: np.abs(np.log(learner.uncertainty().change_rate / truth)).mean()
        for name, learner in (("sliced", sliced), ("whole", whole))
    }
    assert off["sliced"] == pytest.approx(off["whole"], rel=0.02)


def test_beliefs_rest_on_what_was_there_before_until_the_end():
    learner = made(refresh_slice=5)
    crawl(learner, 60)
    learner.refresh(learner.now)
    for k in range(60, 100):
        crawl(learner, 1, first=k, spacing=1.0)  # crawled much less often: types are about to move
        if learner.refreshing:
            break
    before, unit = learner._memory.weights.tolist(), learner.unit
    while not learner.work(learner.now):
        assert (learner._memory.weights.tolist(), learner.unit) == (before, unit)
    assert learner.unit > 1.5 * unit


@pytest.mark.parametrize("stop", range(1, 80, 7))
def test_saved_in_the_middle_it_goes_on_as_its_twin(stop, tmp_path):
    twin = made(refresh_slice=33)
    crawl(twin, stop)
    twin.save(tmp_path / "state")
    loaded = Learner.load(tmp_path / "state")
    for learner in (twin, loaded):
        learner.add(4, learner.now, hosts=[7, 8, 0, 1], kinds=[3, 0, 1, 2])
        crawl(learner, 60, first=stop)
    assert {k: v.tolist() for k, v in loaded.columns().items()} == {k: v.tolist() for k, v in twin.columns().items()}


def test_saved_while_its_sample_is_chosen_it_goes_on_as_its_twin():
    twin = made(12_000, refresh_slice=100)
    crawl(twin, 2, batch=700)
    assert twin._job.state[PHASE] == 1
    for _ in range(30):
        copy = Learner.from_columns(twin.columns())
        assert copy.work(copy.now) == twin.work(twin.now)
        got, expected = copy.columns(), twin.columns()
        assert all(np.array_equal(got[name], expected[name]) for name in expected)


def test_pages_hosts_and_kinds_may_come_while_it_is_under_way():
    learner = made(refresh_slice=10)
    for k in range(200):
        crawl(learner, 1, first=k)
        learner.add(2, learner.now, hosts=[7 + k, k % 7], kinds=[k % 20, 0])
    while not learner.work(learner.now):
        pass
    sizes = learner._memory.sizes[:, int(learner._memory.numbers[SIDE])]
    assert sizes.sum() == pytest.approx(2 * len(learner), rel=0.2)
    assert np.isfinite(learner.pages().change_rate).all()


def test_without_a_refresh_under_way_there_is_nothing_to_do():
    learner = made(refresh_slice=10)
    assert (learner.refreshing, learner.work(1.0), learner.now) == (False, False, 1.0)


def test_asked_for_it_is_done_at_once_and_slices_stay_as_they_were():
    learner = made(refresh_slice=10)
    crawl(learner, 3)
    learner.refresh(learner.now)
    assert not learner.refreshing
    crawl(learner, 60, first=3)
    assert learner.refreshing


@pytest.mark.parametrize("given", [0, -1, 1.5, "all"])
def test_a_slice_is_at_least_one_page(given):
    with pytest.raises(InputError, match="refresh_slice must be a whole number >= 1"):
        made(refresh_slice=given)
