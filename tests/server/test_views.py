import json
import math

import numpy as np
import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.model import Pages
from recrawl.server.views import VIEWS, tick, watch
from recrawl.server.views.reference import equal_intervals
from tests.server.lively import NASTY, NOW

A, B = "https://a.example/", "https://b.example/"
PARAMS = {"page": {"url": A}, "search": {"q": "example"}}


def ask(f, name, **params):
    return VIEWS[name](f, params)


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def f(clock):
    frontier = Frontier(clock=clock)
    watch(frontier)
    frontier.add([A, B])
    return frontier


def fetch(f, clock, digest, after=3600.0):
    clock.advance(after)
    return f.complete(f.lease(10).tokens, digest=digest)


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_of_an_empty_frontier_is_plain_json(name):
    json.dumps(ask(Frontier(clock=ManualClock(NOW)), name, **PARAMS.get(name, {})), allow_nan=False)


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_of_a_frontier_with_a_past_is_plain_json(name, past):
    json.dumps(ask(past[0], name, **PARAMS.get(name, {})), allow_nan=False)


def test_the_overview_has_the_freshness_that_the_frontier_tells(past):
    f = past[0]
    got, expected = ask(f, "overview")["fresh"], f.freshness()
    assert got["now"] == pytest.approx(expected.weighted)
    assert got["all_alike"] == pytest.approx(expected.mean)


def test_the_overview_counts_waste_of_the_last_hour(f, clock):
    for digest in ("1", "1", "2"):
        fetch(f, clock, digest, after=600.0)
        tick(f)
    hour = ask(f, "overview")["last_hour"]
    assert (hour["changed"], hour["unchanged"], hour["waste"]) == (2, 2, 0.5)


def test_the_series_ends_now_and_has_rates_between_points(f, clock):
    for _ in range(5):
        clock.advance(20.0)
        batch = f.lease(1)
        f.complete(batch.tokens, digest="1")
        tick(f)
    got = ask(f, "series", span="hour")
    assert got["time"][-1] == clock.wall()
    assert got["crawls"][-1] == pytest.approx(1 / 20.0)


def test_signals_are_worth_something_and_equal_intervals_less(past):
    got = ask(past[0], "curve")
    middle = len(got["rates"]) // 2
    assert got["with_signals"][middle] >= got["without_signals"][middle] >= got["equal_intervals"][middle]
    assert got["rates"][middle] == pytest.approx(got["here"]["rate"])


def test_equal_intervals_are_the_mean_over_a_cycle():
    pages = Pages.from_rates(change_rate=[0.5, 2.0], importance=[1.0, 3.0])
    times = np.linspace(0.0, 4.0, 200_001)
    by_hand = [np.exp(-rate * times).mean() for rate in (0.5, 2.0)]
    assert equal_intervals(pages, 0.25) == pytest.approx((by_hand[0] + 3 * by_hand[1]) / 4, abs=1e-4)  # of the grid


def test_hosts_that_fail_come_first_where_trouble_is_asked_for(past):
    f, _, web = past
    got = ask(f, "hosts", order="trouble")
    assert {row["name"] for row in got["hosts"]} == {web.urls[host * 20].split("/")[2] for host in web.down}
    assert got["hosts"][0]["failures"] > 0


def test_hosts_have_the_freshness_of_their_pages(past):
    f = past[0]
    row = ask(f, "hosts", order="pages")["hosts"][0]
    mine = [page.fresh for page in f.pages()[0] if page.host == row["name"] and page.state != "gone"]
    assert row["fresh"] == pytest.approx(np.mean(mine), abs=1e-9)


def test_sources_are_those_of_the_frontier(past):
    got = {row["name"]: row["precision"] for row in ask(past[0], "sources")["sources"]}
    assert got == {source.name: source.precision for source in past[0].sources() if source.judged}


def test_predictions_are_kept_with_what_became_of_them(past):
    got = ask(past[0], "calibration")
    compared = past[0].statistics["changed"] + past[0].statistics["unchanged"]
    assert got["predictions"] == sum(each["count"] for each in got["bins"]) == compared
    assert got["observed"] == pytest.approx(past[0].statistics["changed"] / compared)


def test_a_page_tells_its_fetches_and_signals(f, clock):
    fetch(f, clock, "1")
    f.signal(A, source="feed", happened=clock.wall() + 5.0)
    fetch(f, clock, "2")
    got = ask(f, "page", url=A)
    assert [event["what"] for event in got["events"]] == ["unknown", "signal", "changed"]
    assert got["events"][1]["source"] == "feed"


def test_the_history_of_a_page_goes_with_it_when_it_moves(f, clock):
    fetch(f, clock, "1")
    clock.advance(3600.0)
    batch = f.lease(10)
    at = batch.urls.index(A)
    f.complete(batch.tokens[at], status=301, moved_to="https://c.example/new")
    got = ask(f, "page", url="https://c.example/new")
    assert got["events"][0]["what"] == "unknown"
    assert not ask(f, "page", url=A)["found"]


def test_a_number_used_again_has_no_history(f, clock):
    fetch(f, clock, "1")
    f.forget(A)
    f.add("https://d.example/")
    assert ask(f, "page", url="https://d.example/")["events"] == []


def test_the_copy_ages_as_the_frontier_has_it(f, clock):
    fetch(f, clock, "1")
    f.signal(A, source="feed")
    clock.advance(7200.0)
    got = ask(f, "page", url=A)
    assert got["aging"]["fresh"][-1] == pytest.approx(got["fresh"])
    assert got["aging"]["times"][-1] == clock.wall()


def test_a_page_that_is_leased_says_so(f):
    f.lease(10)
    assert ask(f, "page", url=A)["why"]["verdict"] == "fetching"


def test_a_page_of_a_paused_host_says_so(f, clock):
    fetch(f, clock, "1")
    f.set_host("a.example", pause=600.0)
    why = ask(f, "page", url=A)["why"]
    assert why["verdict"] == "waiting"
    assert "a.example is paused, for another 10 minutes" in why["sentences"][0]


def test_a_page_that_failed_says_when_it_is_tried_again(f):
    batch = f.lease(10)
    f.complete(batch.tokens, status=403)
    assert "Fetching it failed last time" in ask(f, "page", url=A)["why"]["sentences"][0]


def test_a_page_below_the_level_is_due_when_its_value_reaches_it(past):
    f, clock, web = past
    told = [ask(f, "page", url=url) for url in web.urls]
    later = next(each for each in told if each["why"]["due"] and each["why"]["due"] > clock.wall() + 60.0)
    page = f.look(lambda state, _: state.urls.find([later["url"]]))
    value = f.look(lambda state, _: state.pairing.scheduler.value(page, later["why"]["due"]))
    assert value[0] == pytest.approx(later["level"], rel=1e-6)


def test_pages_are_found_by_a_part_of_their_url(past):
    got = ask(past[0], "search", q="NEWS0.example/wea")
    assert got["pages"]
    assert all("news0.example/wea" in row["url"] for row in got["pages"])


def test_the_very_page_comes_first(past):
    url = past[2].urls[77]
    assert ask(past[0], "search", q=url)["pages"][0]["url"] == url


def test_nothing_is_found_across_two_urls(f):
    assert ask(f, "search", q="/https")["pages"] == []


def test_a_search_goes_on_where_it_ended(past):
    f, _, web = past
    first = ask(f, "search", q="example", limit="100")
    found = [row["url"] for row in first["pages"]]
    while first["next"]:
        first = ask(f, "search", q="example", limit="100", after=str(first["next"]))
        found += [row["url"] for row in first["pages"]]
    assert len(found) == len(set(found)) == len(web.urls) + 1


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("series", {"span": "eternity"}),
        ("hosts", {"order": "x"}),
        ("hosts", {"limit": "-1"}),
        ("hosts", {"limit": "1e9"}),
        ("search", {}),
        ("search", {"q": " "}),
        ("search", {"q": "x" * 5000}),
        ("page", {}),
    ],
)
def test_bad_parameters_are_refused(f, name, params):
    with pytest.raises(InputError):
        VIEWS[name](f, params)


@pytest.mark.parametrize("url", ["no url", "http://[", NASTY, "\ud800", "https://x.example/" + "y" * 8000])
def test_any_text_can_be_asked_for(f, url):
    assert not ask(f, "page", url=url)["found"]
    assert ask(f, "search", q=url[:4000])["pages"] == []


def test_what_goes_wrong_while_watching_does_not_stop_the_frontier(f, monkeypatch):
    monkeypatch.setattr(watch(f).events, "predicted", None)
    monkeypatch.setattr(watch(f).events, "happened", None)
    assert f.signal(A).heard == 1
    assert "AttributeError" in ask(f, "overview")["trouble"]


@pytest.mark.parametrize("rate", [0.0, 5e-324, None])
def test_a_rate_to_which_there_is_nothing_to_compare_is_said_to_be_none(f, rate):
    f.set_rate(rate)
    watch(f).refresh(f)
    assert ask(f, "curve") == {"ready": False, "computing": False, "reason": "no rate"}


def test_rings_forget_the_oldest(f):
    events = watch(f).events
    events.happened.__init__(8, **{name: column.dtype.type for name, column in events.happened.columns.items()})
    for k in range(10):
        f.signal([A, B], source=f"s{k}")
    assert [event.source for event in events.of(0)] == [6, 7, 8, 9]
    assert math.isnan(events.of(0)[0].detail)
