"""What the engine refuses, with an error that names the argument; and numbers of other kinds, which it takes."""

import numpy as np
import pytest

import recrawl
from recrawl import InputError, Pages
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler

PAGES = paper_mix(20)


@pytest.mark.parametrize("n", [True, 1.0, 2.5, float("nan"), "3", -1, None])
def test_n_is_a_whole_number(n):
    with pytest.raises(InputError, match="n must be a whole number >= 0"):
        Scheduler(PAGES).take(n, 1.0)


@pytest.mark.parametrize("now", ["1", None, float("nan"), float("inf"), -1.0])
def test_now_is_a_time_not_before_the_last(now):
    with pytest.raises(InputError, match="now must be a finite time"):
        Scheduler(PAGES).take(1, now)


def test_other_kinds_of_numbers_are_no_reason_to_compile_again():
    """Each kind would cost seconds of compilation."""
    from recrawl.engine.core import actions

    s = Scheduler(PAGES)
    s.take(1, 0.5)
    before = len(actions.take.signatures)
    s.take(1, 1), s.take(np.int32(1), np.float32(2.0)), s.take(2, np.int64(3))
    s.update([1], PAGES[:1], 4), s.add(PAGES, 5), s.release(s.lease(1, 6), 7)
    assert (len(actions.take.signatures), len(actions.release.signatures)) == (before, 1)


@pytest.mark.parametrize("source", [2, 5, -1, 1.5, "feed"])
def test_source_is_one_of_those_given(source):
    s = Scheduler(PAGES, sources=[0.2, 0.5])
    with pytest.raises(InputError, match="source must be from 0 to 1"):
        s.signal([1], 1.0, source=source)


@pytest.mark.parametrize("sources", [0.5, np.zeros((20, 0)), np.zeros((3, 2)), [-1.0], ["a"]])
def test_sources_are_weights_by_page_and_source(sources):
    with pytest.raises(InputError, match="sources must be"):
        Scheduler(PAGES, sources=sources)


def test_sources_are_as_many_as_before_even_where_there_was_no_page_yet():
    s = Scheduler(PAGES[:0], sources=[0.2, 0.5], source_discard=[0.0, 0.1])
    with pytest.raises(InputError, match="as many as before, 2, got 3"):
        s.add(PAGES, 0.0, sources=[0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("host", "limits", "expected"),
    [
        (1.5, {}, "host must be a whole number >= 0, got 1.5"),
        ("a", {}, "host must be a whole number >= 0, got 'a'"),
        (-1, {}, "host must be a whole number >= 0, got -1"),
        (0, {"gap": "x"}, "gap must be a number >= 0, got 'x'"),
        (0, {"gap": float("nan")}, "gap must be a number >= 0, got nan"),
        (0, {"max_in_flight": 0}, "max_in_flight must be a whole number >= 1, got 0"),
        (0, {"max_in_flight": 1.5}, "max_in_flight must be a whole number >= 1, got 1.5"),
    ],
)
def test_limits_of_hosts(host, limits, expected):
    with pytest.raises(InputError) as error:
        Scheduler(PAGES).set_host(host, **limits)
    assert str(error.value) == expected


def test_a_limit_beyond_all_pages_is_none():
    s = Scheduler(PAGES, hosts=0)
    s.set_host(0, max_in_flight=1 << 40)
    assert len(s.lease(30, 1.0)) == 20


def test_the_time_of_a_host_is_named_as_its_argument():
    with pytest.raises(InputError, match="when must be a finite time, got nan"):
        Scheduler(PAGES).host_ready(0, float("nan"))


def test_no_pages_have_no_hosts():
    assert len(Scheduler(PAGES[:0], hosts=[])) == 0


@pytest.mark.parametrize("kind", [Scheduler, Scan])
def test_pages_worth_more_than_numbers_hold_are_refused(kind):
    """Infinite values have no order; they were taken twice at once, and then for ever."""
    pages = Pages.from_rates([1.0, 1e-200], [1.0, 1e200])
    with pytest.raises(InputError, match=r"importance / change_rate must be at most 1e\+100, got inf in row 1"):
        kind(pages)


def test_a_signal_stamped_ahead_of_the_next_decision_does_not_move_time():
    settings = {"max_age": np.full(20, 5.0)}
    fast, slow = Scheduler(PAGES, **settings), Scan(PAGES, **settings)
    for s in (fast, slow):
        s.take(3, 1.0)
        s.signal([4, 4, 7], 50.0)
    fast.check()
    assert fast.take(20, 2.0).tolist() == slow.take(20, 2.0).tolist()


def test_one_page_of_numbers_updates_many():
    fast, slow = Scheduler(PAGES), Scan(PAGES)
    for s in (fast, slow):
        s.update([1, 2, 3], PAGES[5:6], 0.5)
    assert fast.take(20, 1.0).tolist() == slow.take(20, 1.0).tolist()


@pytest.mark.parametrize("ids", [[0.5], ["a"], [[0], [0, 1]], [[0, 1]], [True]])
def test_ids_are_whole_numbers(ids):
    with pytest.raises(InputError, match="ids must be whole numbers, got"):
        Scheduler(paper_mix(5)).signal(ids, 1.0)


@pytest.mark.parametrize("ids", [[5], [-1], np.array([2**64 - 1], dtype=np.uint64)])
def test_ids_are_those_of_pages(ids):
    with pytest.raises(InputError, match="ids must be those of pages, got"):
        Scheduler(paper_mix(5)).signal(ids, 1.0)


def test_host_numbers_are_given_without_gaps_since_each_takes_memory():
    pages = Pages.from_rates([1.0, 2.0], 1.0)
    with pytest.raises(InputError, match=r"hosts must be numbered without gaps, 0, 1, 2, \.\.\., got 1073741824"):
        Scheduler(pages, hosts=[0, 1 << 30])
    with pytest.raises(InputError, match=r"host must be numbered without gaps, 0, 1, 2, \.\.\., got 1099511627776"):
        Scheduler(pages, hosts=[0, 1]).set_host(1 << 40)


HUGE = 10**400


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda s: s.take(1, HUGE), "now"),
        (lambda s: s.take(1, 1.0 + 0.0j), "now"),
        (lambda s: s.take(1, np.complex128(1.0)), "now"),
        (lambda s: s.take(1, np.timedelta64(3)), "now"),
        (lambda s: s.crawled([1], at="x"), "at"),
        (lambda s: s.crawled([1], at="1.5"), "at"),
        (lambda s: s.crawled([1], at=1j), "at"),
        (lambda s: s.crawled([1], at=np.datetime64("2020-01-01")), "at"),
        (lambda s: s.crawled([1], at=HUGE), "at"),
        (lambda s: s.crawled([1, 2], at=[[1.0], [2.0, 3.0]]), "at"),
        (lambda s: s.crawled([1], at=1e12), "at"),
        (lambda s: s.value([1], now="a"), "now"),
        (lambda s: s.value([1], now=float("nan")), "now"),
        (lambda s: s.staleness([1], now=float("inf")), "now"),
        (lambda s: s.set_host(0, gap=HUGE), "gap"),
        (lambda s: s.host_ready(0, np.timedelta64(1)), "when"),
        (lambda s: s.set_host(2**62), "host"),
        (lambda s: Scheduler(PAGES, max_age="a"), "max_age"),
        (lambda s: Scheduler(PAGES, hosts=[[0], [1, 2]]), "hosts"),
        (lambda s: Scheduler(PAGES, hosts=2**62), "hosts"),
        (lambda s: Scheduler(PAGES[:2], hosts=[0, 10**7]), "hosts"),
    ],
)
def test_what_is_no_number_or_no_time_is_refused_by_name(call, argument):
    with pytest.raises(InputError, match=f"^{argument} must be") as caught:
        call(Scheduler(PAGES))
    assert caught.value.argument == argument


def test_a_refused_call_does_not_move_the_clock():
    s = Scheduler(PAGES)
    ids = s.lease(3, 1.0)
    with pytest.raises(InputError):
        s.release(ids, 100.0, not_before=float("nan"))
    with pytest.raises(InputError):
        s.update([0, 1, 2], PAGES[:2], 100.0)
    with pytest.raises(InputError):
        s.add(PAGES, 100.0, max_age=-1.0)
    assert len(s.take(1, 2.0)) == 1


def test_read_only_arrays_are_no_reason_to_compile_again():
    from recrawl.engine.core import actions

    s = Scheduler(PAGES)
    ids, at = np.array([1, 2]), np.array([0.5, 0.5])
    s.signal(ids, 1.0), s.crawled(ids, at)
    before = len(actions.signal.signatures), len(actions.crawled.signatures)
    ids.flags.writeable = at.flags.writeable = False
    s.signal(ids, 1.0), s.crawled(ids, at)
    assert (len(actions.signal.signatures), len(actions.crawled.signatures)) == before


def test_work_ahead_has_no_greatest_limit():
    assert Scheduler(PAGES).advance(1.0, 2**70) <= len(PAGES)


@pytest.mark.parametrize("policy", ["greedy-cis+", "greedy-cis+(0.5,0.4)", "greedy-ncis", "ncis-approx-2"])
def test_a_scheduler_can_be_pickled(policy):
    import pickle

    s = Scheduler(PAGES, policy)
    s.take(3, 1.0)
    assert pickle.loads(pickle.dumps(s)).take(5, 2.0).tolist() == s.take(5, 2.0).tolist()


def test_a_scheduler_says_what_it_is():
    s = Scheduler(PAGES)
    s.take(3, 1.5)
    assert repr(s) == "<Scheduler greedy-ncis: 20 pages, 3 decisions, now 1.5>"


def test_a_removed_page_is_named():
    s = Scheduler(PAGES)
    s.remove([4])
    with pytest.raises(InputError, match="got 4, which was removed"):
        s.signal([4], 1.0)
    with pytest.raises(InputError, match="got 20; there are 0 to 19"):
        s.signal([20], 1.0)


def test_a_page_in_flight_cannot_be_held_again():
    s = Scheduler(PAGES)
    (page,) = s.lease(1, 1.0).tolist()
    with pytest.raises(InputError, match=f"ids must not be leased, got {page}, which is"):
        s.hold([page], 1.0)
    with pytest.raises(InputError, match="got 3 more than once"):
        s.hold([3, 3], 1.0)


def test_held_pages_are_leased_ones():
    one, other = Scheduler(PAGES, hosts=np.arange(20) % 3), Scheduler(PAGES, hosts=np.arange(20) % 3)
    for s in (one, other):
        s.set_host(1, gap=0.2, max_in_flight=2)
    for now in (1.0, 1.5, 2.5):
        ids = one.lease(4, now)
        other.hold(ids, now)
        one.signal(ids, now), other.signal(ids, now)
        one.crawled(ids[:2], now + 0.1), other.crawled(ids[:2], now + 0.1)
        one.release(ids[2:], now + 0.1, now + 0.3), other.release(ids[2:], now + 0.1, now + 0.3)
        other.check()
        assert other.peek(20, now + 0.2).tolist() == one.peek(20, now + 0.2).tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda: Scheduler({}),
        lambda: Scheduler(PAGES).add([1.0], 1.0),
        lambda: Scheduler(PAGES).update([0], None, 1.0),
        lambda: recrawl.optimum({}, 1.0),
        lambda: recrawl.simulate([1.0, 2.0]),
    ],
)
def test_pages_are_pages(call):
    with pytest.raises(InputError, match=r"^pages must be Pages, got .*; see Pages.from_rates") as caught:
        call()
    assert caught.value.argument == "pages"


@pytest.mark.parametrize("rate", ["5", None, -1.0, float("nan"), float("inf")])
def test_a_pacer_wants_a_rate(rate):
    with pytest.raises(InputError, match=r"^rate must be finite and >= 0"):
        recrawl.Pacer(rate)
