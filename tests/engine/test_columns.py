"""A scheduler made from columns decides exactly as the one they were read from, and as the definition does."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler
from recrawl.engine.logical import HELD, OFFERED, PUT_OFF, REMOVED
from recrawl.errors import InputError
from recrawl.sim import Exponential
from tests.engine.test_scheduler_equals_scan import POLICIES, Twins, some_pages


def everything(scheduler):
    return {**scheduler.columns(), **scheduler.common_columns()}


class Rebuilt(Twins):
    """The twins, one of which is made anew from its columns now and then, with good hints and with none."""

    @initialize(
        pages=some_pages(),
        policy=st.sampled_from(POLICIES),
        start=st.sampled_from([0.0, 1.7e9]),
        hosts=st.sampled_from([None, "few", "own"]),
        aged=st.booleans(),
    )
    def begin(self, pages, policy, start, hosts, aged):
        self.now, self.policy = start, policy
        self.hosted, self.aged, self.several = hosts, aged, None
        self.leased = []
        self.rng = np.random.default_rng(len(pages))
        keywords = self.extras(len(pages))
        self.fast, self.slow = Scheduler(pages, policy, start, **keywords), Scan(pages, policy, start, **keywords)

    @rule(hints=st.sampled_from(["as they are", "none", "wrong"]))
    def rebuild(self, hints):
        columns = everything(self.fast)
        if hints != "as they are":
            wrong = 3.0 if hints == "wrong" else 0.0
            columns["aside"] = np.full(len(columns["aside"]), int(wrong > 0.0), dtype=np.uint8)
            columns["level"], columns["host_level"] = np.array([wrong]), np.full(len(columns["host_gap"]), wrong)
        self.fast = Scheduler.from_columns(columns, policy=self.policy)


TestRebuilt = Rebuilt.TestCase
TestRebuilt.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)


def used(m=400):
    """A scheduler with some life behind it: leases, waits, signals while in flight, ids to be used again."""
    s = Scheduler(
        paper_mix(m, seed=3), now=5.0, hosts=np.arange(m) % 9 - 1, max_age=np.where(np.arange(m) % 5, np.inf, 3.0)
    )
    s.set_host(0, gap=0.3, max_in_flight=2)
    s.host_ready(3, 7.5)
    rng = np.random.default_rng(1)
    for k in range(100):
        now = 5.0 + 0.02 * k
        s.signal(rng.integers(0, m, 5), now)
        s.crawled(s.lease(3, now), now)
    held = s.lease(8, 7.0)
    s.signal(held[:5], 7.1)
    s.release(held[:3], 7.2, not_before=[7.3, 8.0, 9.0])
    s.remove([7, 300, 12])
    return s


def lived_on(s, m=400):
    """What it decides afterwards, under everything that may happen."""
    rng, got = np.random.default_rng(2), []
    got += s.add(paper_mix(2, seed=4), 7.4, hosts=[1, 2]).tolist()
    for k in range(200):
        now = 7.5 + 0.02 * k
        live = np.flatnonzero(s.known(np.arange(m)))
        s.signal(rng.choice(live, 5), now)
        ids = s.lease(4, now)
        got += ids.tolist()
        s.crawled(ids[:2], now)
        s.release(ids[2:], now, not_before=now + 0.1)
        if k % 20 == 0:
            s.remove(rng.choice(live, 1))
            got += s.add(paper_mix(3, seed=k), now).tolist()
            live = np.flatnonzero(s.known(np.arange(m)))
            s.update(live[:50], paper_mix(50, seed=k), now)
    return got


def test_decides_on_as_the_one_it_was_read_from():
    twin = used()
    rebuilt = Scheduler.from_columns(everything(twin))
    rebuilt.check()
    assert (len(rebuilt), rebuilt.ids_given, rebuilt.level) == (len(twin), twin.ids_given, twin.level)
    assert lived_on(rebuilt) == lived_on(twin)
    rebuilt.check()


def test_the_columns_of_the_rebuilt_one_are_the_same():
    twin = used()
    got, expected = everything(Scheduler.from_columns(everything(twin))), everything(twin)
    assert list(got) == list(expected)
    for name in expected:
        np.testing.assert_array_equal(got[name], expected[name], err_msg=name)


def test_states_are_what_callers_know():
    s = used()
    state = s.columns()["state"]
    assert np.flatnonzero(state == REMOVED).tolist() == [7, 12, 300]
    assert ((state == HELD).sum(), (state == PUT_OFF).sum()) == (5, 3)
    assert (state == OFFERED).sum() == len(s) - 8


def test_the_last_id_removed_is_used_first():
    s = Scheduler.from_columns(everything(used()))
    got = s.add(paper_mix(4, seed=1), 8.0).tolist()
    assert got == [12, 300, 7, 400]


def test_slices_are_the_whole():
    s = used()
    whole = s.columns()
    parts = [s.columns(start, start + 150) for start in range(0, s.ids_given, 150)]
    for name, expected in whole.items():
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), expected, err_msg=name)
    assert len(s.columns(1000, 2000)["alpha"]) == 0


def test_slices_are_copies():
    s = used()
    before = s.columns(0, 50)
    kept = {name: column.copy() for name, column in before.items()}
    lived_on(s)
    for name, column in before.items():
        np.testing.assert_array_equal(column, kept[name])


def test_a_scheduler_of_no_pages():
    s = Scheduler.from_columns(everything(Scheduler(paper_mix(1)[:0])))
    assert (len(s), s.take(1, 1.0).tolist()) == (0, [])
    assert s.add(paper_mix(2), 1.0).tolist() == [0, 1]


@pytest.mark.parametrize(
    "keywords", [{"discard": 0.1}, {"source_discard": 0.1}, {"sources": [0.2, 1.0]}, {"latency": Exponential(0.5)}]
)
def test_what_the_columns_do_not_hold_is_refused(keywords):
    s = Scheduler(paper_mix(10), **keywords)
    for read in (s.columns, s.common_columns):
        with pytest.raises(InputError) as error:
            read()
        assert error.value.argument == next(iter(keywords))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("alpha", -1.0),
        ("mu", np.inf),
        ("crawled", np.nan),
        ("state", 4),
        ("host", 99),
        ("max_age", 0.0),
        ("free", 3),
        ("host_gap", -1.0),
        ("level", np.nan),
    ],
)
def test_columns_that_cannot_be_are_refused(name, wrong):
    columns = everything(used())
    columns[name] = columns[name].copy()
    columns[name][0] = wrong
    with pytest.raises(InputError) as error:
        Scheduler.from_columns(columns)
    assert error.value.argument == name


def test_a_column_that_is_missing_is_named():
    columns = everything(used())
    del columns["jumps"]
    with pytest.raises(InputError, match="jumps"):
        Scheduler.from_columns(columns)
