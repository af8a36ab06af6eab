"""What is sent again, and what is not; real sockets, and a door in front of the service that misbehaves."""

import socket
import threading

import pytest

from recrawl.client import AsyncClient, Client, exchange, sending, telling
from recrawl.errors import InputError, NotAllowedError, RecrawlError, StoreFullError, UnavailableError
from recrawl.frontier import Added, Frontier
from recrawl.server import tokens
from tests.client.conftest import NOON
from tests.client.faulty import HANG, LOSE, REFUSE, Faulty, document
from tests.client.served import Awaited, Served

A, B = "https://a.example/", "https://b.example/"
BUSY = document(503, "the service is stopping", "failed")


@pytest.fixture(params=[Client, Awaited])
def kind(request):
    return request.param


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(exchange, "FIRST_PAUSE", 0.001)


@pytest.fixture
def frontier(clock):
    return Frontier(clock=clock)


@pytest.fixture
def service(frontier):
    with Served(frontier) as served:
        yield served


@pytest.fixture
def through(service, kind):
    """A client behind a door with these faults, and the door."""
    opened = []

    def made(*faults, **options):
        door = Faulty(service.url, *faults).__enter__()
        client = kind(door.url, **options)
        opened.extend([door.__exit__, client.close])
        return client, door

    yield made
    for close in reversed(opened):
        close()


# -- sent again, and done once -----------------------------------------------------------------------------------------


def test_an_answer_that_is_lost_is_asked_for_again_and_the_call_done_once(through, frontier):
    client, door = through()
    calls = [
        lambda: client.add([A, B]),
        lambda: client.signal([A, B]).heard,
        lambda: client.request([A], 3).counted,
        lambda: sorted(client.lease(1).tokens),
        lambda: client.complete([1], digest="v1").unknown,
        lambda: client.forget([B]),
    ]
    got = []
    for call in calls:
        door.faults[:] = [LOSE, LOSE]
        got.append(call())
    assert got == [Added(2, 0), 2, 1, [1], 1, 1]
    counts = frontier.statistics
    assert (counts["added"], counts["signals"], counts["leases"], counts["unknown"]) == (2, 2, 1, 1)
    assert all(door.keys)
    assert len(set(door.keys)) == len(calls)


def test_a_caller_s_key_is_sent_as_it_is(through):
    client, door = through(LOSE)
    client.add(A, key="mine")
    assert door.keys == ["mine", "mine"]


def test_what_comes_to_the_same_twice_needs_no_key(through):
    client, door = through()
    client.add(A)
    door.faults[:] = [LOSE]
    client.set_rate(5.0)
    door.faults[:] = [LOSE]
    assert client.rate == 5.0
    door.faults[:] = [LOSE]
    client.set_host("a.example", gap=1.0)
    assert door.keys[1:] == [None] * 6


@pytest.mark.parametrize("fault", [REFUSE, LOSE, BUSY, (502, b"<html>bad gateway</html>")])
def test_failures_are_repeated_up_to_the_limit(through, fault):
    client, door = through(*[fault] * 3, retries=3)
    assert client.add(A) == Added(1, 0)
    door.faults[:] = [fault] * 9
    with pytest.raises(UnavailableError, match="does not answer"):
        client.add(B)
    door.faults.clear()
    assert client.add(A) == Added(0, 1)


def test_a_connection_that_the_service_closed_meanwhile_costs_no_try(through, kind):
    if kind is not Client:
        pytest.skip("aiohttp keeps its own connections")
    client, door = through(None, REFUSE, retries=0)
    client.add(A)
    assert client.add(B) == Added(1, 0)
    assert len(door.heads) == 3


def pauses(chance, retries):
    """Seconds between the requests of a call that never gets an answer."""

    def call():
        yield exchange.Request("GET", "/v1/rate")

    talk, came = exchange.carried_out(call(), "http://x", retries, lambda: chance), None
    try:
        while True:
            wanted = talk.send(came)
            came = exchange.Lost("gone")
            if isinstance(wanted, exchange.Pause):
                yield wanted.seconds
                came = None
    except UnavailableError:
        return


def test_pauses_grow_and_differ(monkeypatch):
    monkeypatch.setattr(exchange, "FIRST_PAUSE", 0.25)
    assert list(pauses(1.0, 7)) == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0]
    assert list(pauses(0.0, 3)) == [0.125, 0.25, 0.5]


# -- not sent again ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (document(400, "no", argument="urls", row=3), InputError),
        (document(401, "give a token"), NotAllowedError),
        (document(403, "pages of other sites may not ask"), NotAllowedError),
        (document(404, "not found"), InputError),
        (document(413, "too large"), InputError),
        (document(507, "the disk is full", "failed"), StoreFullError),
        ((404, b"<html>"), InputError),
        ((200, b"<html>"), UnavailableError),
        ((200, b"[]"), UnavailableError),
        ((200, b'{"hello": 1}'), UnavailableError),
    ],
)
def test_what_is_rejected_is_not_sent_again(through, fault, error):
    client, door = through(fault)
    with pytest.raises(error):
        client.add(A)
    assert len(door.heads) == 1


@pytest.mark.parametrize(
    ("at", "expected"), [("$.urls[3]", ("urls", 3)), ("$.source", ("source", None)), ("$", (None, None))]
)
def test_what_does_not_get_as_far_as_the_frontier_has_argument_and_row(through, at, expected):
    client, _ = through(document(400, f"Expected `str` of length <= 16384 - at `{at}`"))
    with pytest.raises(InputError) as caught:
        client.add(A)
    assert (caught.value.argument, caught.value.row) == expected


def test_a_full_disk_names_the_service(through):
    client, door = through(document(507, "data cannot take more", "failed"))
    with pytest.raises(StoreFullError, match=f"{door.url} cannot take more: the disk is full"):
        client.add(A)


# -- time, tokens, and nobody there ------------------------------------------------------------------------------------


def test_silence_is_a_clear_error(through):
    client, _ = through(HANG, retries=0, timeout=0.2)
    with pytest.raises(UnavailableError, match=r"nothing was heard for 0\.2 s"):
        client.add(A)


def test_waiting_for_pages_comes_on_top_of_the_limit(through):
    client, _ = through(retries=0, timeout=0.2)
    assert len(client.lease(1, wait=0.5)) == 0


def test_waiting_ends_with_the_first_page(service, frontier, kind):
    client, other = kind(service.url), Client(service.url)
    got = []
    thread = threading.Thread(target=lambda: got.append(client.lease(5, wait=60.0).urls))
    thread.start()
    other.add(A)
    thread.join()
    assert got == [(A,)]
    client.close()
    other.close()


def test_waits_longer_than_the_service_allows_are_several_requests(through, monkeypatch):
    monkeypatch.setattr(telling, "MOST_WAIT", 0.1)
    client, door = through()
    assert len(client.lease(1, wait=0.25)) == 0
    assert len(door.heads) == 3


def test_nobody_there_is_a_clear_error(kind):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    client = kind(url, retries=1)
    with pytest.raises(UnavailableError, match=f"{url} does not answer: .*"):
        client.rate  # noqa: B018
    client.close()


def test_tokens_open_doors(frontier, kind, tmp_path):
    secret = {scope: tokens.made(tmp_path, scope, scope) for scope in tokens.SCOPES}
    with Served(frontier, tokens.Tokens(tmp_path)) as served:
        worker, nobody, stranger = kind(served.url, token=secret["work"]), kind(served.url), kind(served.url, token="x")
        assert worker.add(A) == Added(1, 0)
        with pytest.raises(NotAllowedError, match="this needs a token of scope admin, and the one given is for work"):
            worker.set_rate(1.0)
        for client in (nobody, stranger):
            with pytest.raises(NotAllowedError, match="give a token that was made here"):
                client.add(A)
        admin = kind(served.url, token=secret["admin"])
        admin.set_rate(1.0)
        for client in (worker, nobody, stranger, admin):
            client.close()


def test_nothing_works_after_close(service, kind):
    client = kind(service.url)
    client.add(A)
    close = client.close if kind is Client else lambda: client.done(client.client.close())
    close()
    with pytest.raises(RecrawlError, match="the client is closed"):
        client.add(A)
    client.close()


@pytest.mark.parametrize(
    ("url", "options", "argument"),
    [
        ("127.0.0.1:8700", {}, "url"),
        ("ftp://127.0.0.1", {}, "url"),
        ("http://", {}, "url"),
        ("http://127.0.0.1:x", {}, "url"),
        ("http://me:secret@127.0.0.1", {}, "url"),
        ("http://127.0.0.1/?a=1", {}, "url"),
        (5, {}, "url"),
        ("http://127.0.0.1", {"token": "a\nb"}, "token"),
        ("http://127.0.0.1", {"token": ""}, "token"),
        ("http://127.0.0.1", {"timeout": 0}, "timeout"),
        ("http://127.0.0.1", {"retries": -1}, "retries"),
    ],
)
def test_clients_are_refused_what_makes_no_sense(kind, url, options, argument):
    with pytest.raises(InputError) as caught:
        (Client if kind is Client else AsyncClient)(url, **options)
    assert caught.value.argument == argument
    assert "secret" not in str(caught.value)


# -- more than fits into a request -------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(sending, "MOST_ITEMS", 4)
    monkeypatch.setattr(sending, "MOST_BYTES", 250)


def test_large_inputs_go_in_several_requests_and_come_back_as_one_answer(through, small, clock):
    urls = [f"https://h.example/{k}" for k in range(10)]
    client, door = through(LOSE)
    done = client.add([*urls, "nonsense", urls[0]], importance=[float(k + 1) for k in range(12)], skip_bad=True)
    assert (done.new, done.known, [bad.item for bad in done.refused]) == (10, 1, [10])
    assert client.page(urls[9]).importance == 10.0
    assert len(door.heads) > 4
    clock.advance(60.0)
    heard = client.signal([*urls, "https://x.example/"], "feed", [NOON + k for k in range(11)])
    assert heard.each == ("heard",) * 10 + ("unknown",)
    batch = client.lease(20)
    tokens_by_url = dict(zip(batch.urls, batch.tokens, strict=True))
    given = [tokens_by_url[url] for url in urls]
    assert client.complete(given, status=[200] * 9 + [404], digest="v1").each == ("unknown",) * 9 + ("gone",)
    assert client.page(urls[9]).state == "gone"
    assert client.forget(urls) == 10


def test_no_request_holds_the_service_up_for_long(through):
    client, door = through()
    assert client.add([f"https://h.example/{k}" for k in range(20_001)]).new == 20_001
    assert len(door.keys) == 3


def test_a_key_holds_for_all_requests_of_a_call(through, small):
    urls = [f"https://h.example/{k}" for k in range(10)]
    client, door = through()
    assert client.add(urls, key="k" * 200) == client.add(urls, key="k" * 200) == Added(10, 0)
    n = len(door.keys) // 2
    assert door.keys[:n] == door.keys[n:]
    assert len(set(door.keys)) == n > 2


def test_rows_of_errors_are_the_caller_s(through, small):
    urls = [f"https://h.example/{k}" for k in range(10)]
    client, _ = through()
    with pytest.raises(InputError, match=r"urls in row 9: .* are done") as caught:
        client.add([*urls[:9], "nonsense"])
    assert (caught.value.argument, caught.value.row) == ("urls", 9)
