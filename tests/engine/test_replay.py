"""A replay is the calls it stands for, to the last bit of state."""

import numpy as np
import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model.sources import Sources
from recrawl.sim import Exponential, Poisson


def schedulers(seed, **keywords):
    pages = paper_mix(80, seed)
    return [Scheduler(pages, **keywords) for _ in range(2)]


def events(m, seed):
    """Moments of crawls, and signals before, between, at and after them."""
    rng = np.random.default_rng(seed)
    moments = np.cumsum(rng.exponential(0.1, 400))
    times = np.sort(np.concatenate((rng.uniform(0.0, moments[-1] + 1.0, 900), moments[::7])))
    return moments, times, rng.integers(0, m, len(times))


def one_by_one(scheduler, moments, times, ids):
    taken, k = [], 0
    for now in moments:
        while k < len(times) and times[k] <= now:
            scheduler.signal([ids[k]], times[k])
            k += 1
        taken.append(next(iter(scheduler.take(1, now).tolist()), -1))
    return taken


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"policy": "greedy"},
        {"discard": 0.3},
        {"source_discard": 0.2},
        {"max_age": 5.0},
        {"sources": [0.7, 2.0], "source_discard": [0.1, 0.0]},
        {"hosts": np.arange(80) % 9 - 1},
        {"latency": Exponential(0.5)},
        {"latency": Poisson(6.0, 0.05), "discard": 0.1, "hosts": np.arange(80) % 9 - 1},
    ],
)
def test_replay_is_signal_and_take(keywords):
    together, apart = schedulers(3, **keywords)
    if "hosts" in keywords:
        for host in range(8):
            together.set_host(host, gap=4.0), apart.set_host(host, gap=4.0)
    moments, times, ids = events(80, 3)
    got = together.replay(moments, times, ids)
    expected = one_by_one(apart, moments, times, ids)
    assert got.tolist() == expected
    for name in ("numbers", "links", "pool_numbers", "pool_links", "rest", "max_age"):  # all that is saved
        assert np.array_equal(getattr(together._core, name), getattr(apart._core, name)), name
    together.check()


def test_a_moment_when_every_host_rests_is_minus_one():
    scheduler = Scheduler(recrawl.Pages.from_rates([1.0, 2.0], 1.0), hosts=[0, 0])
    scheduler.set_host(0, gap=1.0)
    assert scheduler.replay([1.0, 1.5, 2.0], [], []).tolist() == [1, -1, 0]


def test_a_replay_goes_on_from_where_the_last_ended():
    whole, parts = schedulers(5)
    moments, times, ids = events(80, 5)
    middle = moments[200]
    early = times <= middle
    first = parts.replay(moments[:201], times[early], ids[early])
    rest = parts.replay(moments[201:], times[~early], ids[~early])
    assert [*first, *rest] == whole.replay(moments, times, ids).tolist()


@pytest.mark.parametrize(
    ("times", "signal_times", "ids", "match"),
    [
        ([2.0, 1.0], [], [], "times must be finite times that do not go back"),
        ([1.0], [2.0, 1.0], [0, 0], "signal_times must be finite times that do not go back"),
        ([np.nan], [], [], "times must be finite"),
        ([1.0], [0.5], [], "signal_ids must be as many as signal_times, got 0 and 1"),
        ([1.0], [0.5], [80], "ids must be those of pages, got 80"),
        ([-1.0], [], [], "times must not begin before 0.0"),
    ],
)
def test_bad_input_is_refused(times, signal_times, ids, match):
    with pytest.raises(InputError, match=match):
        schedulers(1)[0].replay(times, signal_times, ids)


@pytest.mark.parametrize(
    "keywords",
    [
        {"sources": [0.7, 2.0], "source_discard": [0.1, 0.0]},
        {"sources": Sources([[0.6, 0.3], [0.2, 0.9]], [[0.4, 0.5], [1.0, 0.1]]), "source_class": np.arange(80) % 3 - 1},
    ],
    ids=["weights", "classes"],
)
def test_replay_hears_who_sent_a_signal(keywords):
    if "source_class" in keywords:
        keywords = keywords | {"coincidence": 0.05, "source_discard": [0.0, 0.02]}
    together, apart = schedulers(5, **keywords)
    moments, times, ids = events(80, 6)
    senders = np.random.default_rng(0).integers(0, 2, len(ids))
    expected, k = [], 0
    for now in moments:
        while k < len(times) and times[k] <= now:
            apart.signal([ids[k]], times[k], source=int(senders[k]))
            k += 1
        expected += apart.take(1, now).tolist()
    assert together.replay(moments, times, ids, senders).tolist() == expected
    everyone = np.arange(80)
    assert together.staleness(everyone, moments[-1]).tolist() == apart.staleness(everyone, moments[-1]).tolist()
    with pytest.raises(InputError, match="source must be from 0 to 1, got 2"):
        together.replay(moments[-1:], times, ids, np.full(len(ids), 2))
