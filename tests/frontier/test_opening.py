"""Opening, closing, and what is kept between."""

import threading

import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError, InUseError, RecrawlError
from recrawl.frontier import Frontier

A, B = "https://a.example/", "https://b.example/"


@pytest.fixture
def clock():
    return ManualClock(1_000_000_000.0)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


def test_what_was_known_is_known_again(folder, clock):
    with Frontier.open(folder, clock=clock, rate=5.0, discovery=0.5) as f:
        f.add([A, B], importance=[1.0, 2.0])
        f.complete(f.lease(1).tokens, digest="v1", validators={"etag": "x"})
        before = repr((f.pages(), f.statistics, f.settings, f.rate))
    with Frontier.open(folder, clock=clock) as again:
        assert repr((again.pages(), again.statistics, again.settings, again.rate)) == before


def test_a_folder_has_one_frontier_at_a_time(folder, clock):
    with Frontier.open(folder, clock=clock), pytest.raises(InUseError):
        Frontier.open(folder, clock=clock)
    Frontier.open(folder, clock=clock).close()


def test_settings_that_are_given_replace_those_it_had(folder, clock):
    Frontier.open(folder, clock=clock, rate=5.0, gap=1.0).close()
    with Frontier.open(folder, clock=clock, rate=7.0) as f:
        assert (f.rate, f.settings.rate, f.settings.gap) == (7.0, 7.0, 1.0)
    with Frontier.open(folder, clock=clock) as f:
        assert f.rate == 7.0


def test_no_limit_is_also_a_setting(folder, clock):
    Frontier.open(folder, clock=clock, rate=5.0).close()
    with Frontier.open(folder, clock=clock, rate=None) as f:
        assert f.rate is None


@pytest.mark.parametrize(("before", "after"), [(None, 0.5), (0.5, None)])
def test_whether_first_visits_have_a_share_is_for_good(folder, clock, before, after):
    Frontier.open(folder, clock=clock, discovery=before).close()
    with pytest.raises(InputError, match="discovery must stay"):
        Frontier.open(folder, clock=clock, discovery=after)
    Frontier.open(folder, clock=clock).close()


def test_how_large_it_is_may_change(folder, clock):
    Frontier.open(folder, clock=clock, discovery=0.5).close()
    with Frontier.open(folder, clock=clock, discovery=0.1) as f:
        assert f.settings.discovery == 0.1


@pytest.mark.parametrize("call", ["add", "forget", "signal", "request", "complete", "lease", "page", "freshness"])
def test_a_closed_frontier_does_nothing(clock, call):
    f = Frontier(clock=clock)
    f.close()
    f.close()
    with pytest.raises(RecrawlError, match="the frontier is closed; open it again"):
        getattr(f, call)(*(() if call == "freshness" else (1,)))


def test_a_frontier_that_is_opened_and_closed_again_and_again_does_not_grow(folder, clock):
    sizes = []
    for _ in range(6):
        with Frontier.open(folder, clock=clock, history=0) as f:
            f.add(A)
            f.signal(A)
        sizes.append(sum(path.stat().st_size for path in folder.iterdir()))
    assert sizes[-1] <= 1.1 * sizes[2]


def test_threads_take_turns(clock):
    f = Frontier(clock=clock)
    f.add([f"https://a.example/{k}" for k in range(200)])
    leased, errors = [], []

    def work():
        try:
            for _ in range(20):
                batch = f.lease(2)
                leased.extend(batch.tokens)
                f.complete(batch.tokens, digest="v1")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, sorted(leased)) == ([], list(range(1, 161)))
