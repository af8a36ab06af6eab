"""Clients that are idle, slow or gone: the others notice nothing, and what they held comes back."""

import asyncio
import json
import socket
import time
from contextlib import ExitStack
from statistics import median

import pytest

from recrawl.bench.talking import encoded, get, post
from tests.server.service import Service

IDLE, HALF = 2000, 200
PATIENCE_S = 60.0
MB = 1 << 20
LIMITS = "bodies, serving; bodies.LONGEST_S, serving.HEADER_TIMEOUT_MS = 3.0, 3000"
"""Time-outs that a test can wait for."""
LEASE = post("/v1/lease", encoded(n=5, wait=50.0))


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("service") / "data", patched=LIMITS) as service:
        yield service


def opened(service, sent=b""):
    """A connection over which something was sent."""
    line = socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE_S)
    line.sendall(sent)
    return line


def usual(timings):
    """Seconds that half of the requests took no longer than."""
    return median(timing.ended - timing.begun for timing in timings)


async def work(service, rounds=40):
    """What a well-behaved client does; how long it took."""
    connections = service.connections(1)
    async with asyncio.timeout(PATIENCE_S), connections as (line,):
        urls = [f"https://host{k}.example/" for k in range(50)]
        (await line.ask("add", post("/v1/pages", encoded(urls=urls)))).json()
        for _ in range(rounds):
            (await line.ask("ping", get("/healthz"))).json()
            pages = (await line.ask("lease", post("/v1/lease", encoded(n=5)))).json()["pages"]
            tokens = [page["token"] for page in pages]
            (await line.ask("complete", post("/v1/complete", encoded(tokens=tokens, digest="same")))).json()
    return connections.timings


async def answer(service, path):
    async with asyncio.timeout(PATIENCE_S), service.connections(1) as (line,):
        return (await line.ask(path, get(path))).json()


async def so(condition):
    """Wait until something is so."""
    while not condition():
        await asyncio.sleep(0.01)


def closed_by_it(lines):
    """Wait until the service has closed all of these; what it said before."""
    said = []
    for line in lines:
        pieces = []
        try:
            while piece := line.recv(65536):
                pieces.append(piece)
        except ConnectionResetError:
            pass
        said.append(b"".join(pieces))
    return said


HALVES = {
    "nothing": b"",
    "half of the headers": b"POST /v1/lease HTTP/1.1\r\nhost: local",
    "no body": b"POST /v1/pages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n",
    "half of the body": post("/v1/pages", encoded(urls=["https://half.example/"]))[:-5],
    "half of the lines": post("/v1/pages", b'{"url": "https://half.example/"}\n', "application/x-ndjson")[:-5],
    "half of a chunk": b"POST /v1/pages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n10\r\n{",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


PING = b'POST /indexnow HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"host": '
"""Half of what a stranger has to say."""


def test_many_that_are_idle_or_half_done_disturb_nobody_and_are_closed_in_the_end(service):
    before = asyncio.run(work(service))
    files, memory = service.open_files, service.resident_bytes
    with ExitStack() as stack:
        idle = [stack.enter_context(opened(service)) for _ in range(IDLE)]
        half = {
            name: [stack.enter_context(opened(service, sent)) for _ in range(HALF // len(HALVES))]
            for name, sent in HALVES.items()
        }
        timings = asyncio.run(work(service))
        held = service.resident_bytes
        closed_by_it(idle)
        said = {name: closed_by_it(lines) for name, lines in half.items()}
    assert usual(timings) < 3.0 * usual(before) + 0.02  # other work on the machine has its ups and downs
    assert held < memory + 100 * MB
    assert asyncio.run(work(service))
    assert service.open_files <= files + 5
    for name in ("no body", "half of the body", "half of the lines", "half of a chunk"):
        assert {each.split()[1] for each in said[name]} == {b"408"}, name
        problem = json.loads(said[name][0].partition(b"\r\n\r\n")[2])
        assert (problem["status"], problem["outcome"]) == (408, "failed")
    assert asyncio.run(answer(service, "/v1/page?url=https://half.example/")) == {"page": None}


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ", b""),
        (post("/v1/pages", b" " * 1000)[:-1000], b"HTTP/1.1 408"),
    ],
    ids=["headers", "body"],
)
def test_what_trickles_is_cut_off(service, sent, expected):
    """Each byte comes in time, and the whole never does."""
    said = b"nothing"
    with opened(service, sent) as line:
        line.settimeout(0.05)
        for _ in range(int(PATIENCE_S / 0.05)):
            try:
                line.sendall(b" ")
                said = line.recv(4096)
            except TimeoutError:
                continue
            except ConnectionError:
                said = b""
            break
    assert said[:12] == expected


def test_pages_are_not_dealt_to_who_has_gone_while_waiting(service):
    async def run():
        async with asyncio.timeout(PATIENCE_S), service.connections(1) as (line,):
            rest = (await line.ask("lease", post("/v1/lease", encoded(n=1000)))).json()["pages"]
            files = service.open_files
            lines = [opened(service, LEASE) for _ in range(20)]
            await so(lambda: service.open_files == files + len(lines))
            for each in lines:
                each.close()
            await so(lambda: service.open_files == files)
            urls = [f"https://gone.example/{k}" for k in range(8)]
            (await line.ask("add", post("/v1/pages", encoded(urls=urls)))).json()
            got = (await line.ask("lease", post("/v1/lease", encoded(n=1000, wait=5.0)))).json()["pages"]
            tokens = [page["token"] for page in (*rest, *got)]
            (await line.ask("back", post("/v1/give-back", encoded(tokens=tokens)))).json()
        return urls, got

    urls, got = asyncio.run(run())
    assert sorted(page["url"] for page in got) == urls


def test_where_files_are_few_connections_wait_for_their_turn_and_the_frontier_has_what_it_needs(tmp_path):
    few = "serving; import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (60, 120)); "
    few += "serving.HEADER_TIMEOUT_MS = 1000"
    with Service(tmp_path / "data", patched=few) as service, ExitStack() as stack:
        files = service.open_files
        lines = [stack.enter_context(opened(service, get("/healthz"))) for _ in range(150)]
        first = [line.recv(4096) for line in lines[:60]]
        held = service.open_files - files
        rest = [line.recv(4096) for line in lines[60:]]  # as the first are closed, since they say nothing more
        asyncio.run(work(service))
    assert {answer.split()[1] for answer in (*first, *rest)} == {b"200"}
    assert 50 <= held <= 65


@pytest.mark.parametrize("name", HALVES)
def test_what_is_half_sent_does_not_delay_the_end(tmp_path, name):
    with Service(tmp_path / "data", "--indexnow", "--contact", "me@example.org") as service, ExitStack() as stack:
        asyncio.run(work(service, rounds=1))
        lines = [stack.enter_context(opened(service, HALVES[name])) for _ in range(5)]
        lines.append(stack.enter_context(opened(service, PING)))
        asyncio.run(answer(service, "/healthz"))  # they have been noticed
        begun = time.monotonic()
        service.program.terminate()
        assert service.program.wait(PATIENCE_S) == 0
        assert time.monotonic() - begun < 8.0


def test_strangers_have_less_time_for_a_body(tmp_path):
    short = "hearing; hearing.BODY_S = 1.0"
    with Service(tmp_path / "data", "--indexnow", "--contact", "me@example.org", patched=short) as service:
        with opened(service, PING) as line, opened(service, HALVES["half of the body"]) as other:
            (said,) = closed_by_it([line])
            other.settimeout(0.1)
            with pytest.raises(TimeoutError):  # who may be trusted has a minute
                other.recv(1)
        assert asyncio.run(answer(service, "/healthz")) == {"status": "ok"}
    problem = json.loads(said.partition(b"\r\n\r\n")[2])
    assert (said.split()[1], problem["status"], problem["outcome"]) == (b"408", 408, "failed")
