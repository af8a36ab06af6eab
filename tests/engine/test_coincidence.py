"""Signals of several sources: what lone ones, coincidences and stragglers add."""

import numpy as np
import pytest

import recrawl
from recrawl.engine import Scan, Scheduler
from recrawl.errors import InputError
from recrawl.sim import Exponential

SOURCES = recrawl.Sources(recall=[[0.6, 0.3, 0.0]], false_per_change=[[0.5, 0.4, 1.0]])
ALPHA, FIRST, SECOND = SOURCES.unsignalled_share[0], SOURCES.weight[0, 0], SOURCES.weight[0, 1]


@pytest.fixture(params=[Scheduler, Scan])
def one_page(request):
    return request.param(recrawl.Pages.from_rates(1.0, 1.0), sources=SOURCES, coincidence=0.1)


def test_lone_signals_weigh_what_their_source_s_do(one_page):
    one_page.signal([0], 1.0, source=0)
    one_page.signal([0], 2.0, source=1)
    assert one_page.staleness([0], 2.0)[0] == pytest.approx(2.0 * ALPHA + FIRST + SECOND, rel=1e-14)


def test_two_sources_at_once_are_certain(one_page):
    one_page.signal([0], 1.0, source=0)
    one_page.signal([0], 1.05, source=1)
    assert one_page.staleness([0], 1.1).tolist() == [np.inf]


def test_signals_that_come_out_of_order_are_as_far_apart_as_their_times(one_page):
    one_page.signal([0], 10.0, source=0)
    one_page.signal([0], 1.0, source=1)
    assert one_page.staleness([0], 10.0)[0] == pytest.approx(10.0 * ALPHA + FIRST + SECOND, rel=1e-14)
    one_page.signal([0], 9.95, source=1)
    assert one_page.staleness([0], 10.0).tolist() == [np.inf]


def test_one_source_twice_is_no_coincidence(one_page):
    one_page.signal([0, 0], 1.0, source=1)
    assert one_page.staleness([0], 1.0)[0] == pytest.approx(ALPHA + 2.0 * SECOND, rel=1e-14)


def test_a_source_that_announces_nothing_is_not_heard(one_page):
    one_page.signal([0], 1.0, source=2)
    one_page.signal([0], 1.0, source=0)
    assert one_page.staleness([0], 1.0)[0] == pytest.approx(ALPHA + FIRST, rel=1e-14)


def test_a_straggler_of_a_change_the_crawl_saw_says_nothing(one_page):
    one_page.signal([0], 1.0, source=0)
    one_page.take(1, 1.02)
    one_page.signal([0], 1.05, source=1)
    assert one_page.staleness([0], 1.02).tolist() == [0.0]
    one_page.signal([0], 1.3, source=1)
    assert one_page.staleness([0], 1.02)[0] == pytest.approx(SECOND, rel=1e-14)


def test_new_pages_under_an_old_id_have_heard_nothing(one_page):
    one_page.signal([0], 1.0, source=0)
    one_page.remove([0])
    one_page.add(recrawl.Pages.from_rates(1.0, 1.0), 1.0)
    one_page.signal([0], 1.05, source=1)
    assert one_page.staleness([0], 1.0)[0] == pytest.approx(SECOND, rel=1e-14)


PAGES = recrawl.Pages.from_rates([1.0, 2.0, 3.0], 1.0)
TWO = recrawl.Sources([[0.5, 0.5], [0.1, 0.1]], 1.0)


@pytest.mark.parametrize(
    ("keywords", "match"),
    [
        ({"sources": TWO}, "source_class must be given, for there are 2 classes and 3 pages"),
        ({"sources": TWO, "source_class": [0, 1, 2]}, r"source_class must be 3 whole numbers from -1 \(none\) to 1"),
        ({"source_class": [0, 0, 0]}, "source_class must be left out without classes"),
        ({"sources": TWO, "source_class": 0, "policy": "greedy"}, "policy must be greedy-ncis with classes"),
        ({"sources": TWO, "source_class": 0, "latency": Exponential(1.0)}, "latency must be left out with classes"),
        ({"sources": TWO, "source_class": 0, "coincidence": -1.0}, "coincidence must be >= 0"),
        ({"latency": "bayes"}, "latency must know cdf and survival_integral"),
    ],
)
def test_what_cannot_be_meant_is_refused(keywords, match):
    with pytest.raises(InputError, match=match):
        Scheduler(PAGES, **keywords)
