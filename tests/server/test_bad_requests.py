"""What makes no sense is answered by a problem document, and nothing of it is done: over real sockets."""

import json
import socket

import pytest

from recrawl.bench.talking import JSON, LINES, get, post
from tests.server.service import Service

PAGE = "https://a.example/"
MB = 1 << 20


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("service") / "data") as service:
        assert asked(service, post("/v1/pages", json.dumps({"urls": [PAGE]}).encode()))[0] == 200
        yield service


def asked(service, request, *, and_no_more=False):
    """Status, headers and body of the answer to what is sent."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60.0) as line:
        line.sendall(request)
        if and_no_more:
            line.shutdown(socket.SHUT_WR)
        with line.makefile("rb") as file:
            status = int(file.readline().split()[1])
            headers = {}
            while (row := file.readline().strip()) != b"":
                name, _, value = row.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
            return status, headers, file.read(int(headers["content-length"]))


def state(service):
    """All that a call could have changed."""
    paths = ("/v1/pages", "/v1/hosts", "/v1/rate", "/v1/statistics", "/v1/sources")
    found = [json.loads(asked(service, get(path))[2]) for path in paths]
    for page in found[0]["pages"]:
        del page["fresh"], page["value"]  # they go with time
    return found


def deep(n, inside):
    return b'{"urls": ' + b"[" * n + inside + b"]" * n + b"}"


def signals(urls):
    return b'{"urls": ' + urls + b"}"


GOOD = b'{"url": "https://b.example/"}\n'
BODIES = {
    "nothing": ("/v1/pages", JSON, b"", 400),
    "no JSON": ("/v1/pages", JSON, b"{", 400),
    "two documents": ("/v1/pages", JSON, b'{"urls": []} {"urls": []}', 400),
    "a list": ("/v1/pages", JSON, b"[]", 400),
    "null": ("/v1/signals", JSON, b"null", 400),
    "not UTF-8": ("/v1/pages", JSON, b'{"urls": ["https://b.example/\xff"]}', 400),
    "UTF-16": ("/v1/pages", JSON, '{"urls": ["https://b.example/"]}'.encode("utf-16"), 400),
    "nested 100": ("/v1/pages", JSON, deep(100, b""), 400),
    "nested a million": ("/v1/pages", JSON, deep(MB, b""), 400),
    "nested in a field nobody knows": ("/v1/pages", JSON, b'{"x": ' + b"[" * MB + b"]" * MB + b', "urls": []}', 400),
    "a number for a URL": ("/v1/signals", JSON, signals(b"[5]"), 400),
    "a text for a list": ("/v1/signals", JSON, signals(b'"https://a.example/"'), 400),
    "a number in quotes": ("/v1/lease", JSON, b'{"n": "5"}', 400),
    "half a page": ("/v1/lease", JSON, b'{"n": 1.5}', 400),
    "true for a number": ("/v1/lease", JSON, b'{"n": true}', 400),
    "no page": ("/v1/lease", JSON, b'{"n": 0}', 400),
    "a field nobody knows": ("/v1/lease", JSON, b'{"n": 1, "weight": 2}', 400),
    "a huge number of pages": ("/v1/lease", JSON, b'{"n": 1' + b"0" * 400 + b"}", 400),
    "a huge token": ("/v1/complete", JSON, b'{"tokens": [1' + b"0" * 30 + b"]}", 400),
    "a token just too large": ("/v1/complete", JSON, b'{"tokens": [9223372036854775808]}', 400),
    "a token nobody has": ("/v1/complete", JSON, b'{"tokens": [12345]}', 400),
    "a huge exponent": ("/v1/lease", JSON, b'{"n": 1, "wait": 1e999}', 400),
    "NaN": ("/v1/pages", JSON, b'{"urls": ["https://b.example/"], "importance": NaN}', 400),
    "Infinity": ("/v1/pages", JSON, b'{"urls": ["https://b.example/"], "every": [Infinity]}', 400),
    "an importance beyond all": ("/v1/pages", JSON, b'{"urls": ["https://b.example/"], "importance": 1e308}', 400),
    "a negative importance": ("/v1/pages", JSON, b'{"urls": ["https://b.example/"], "importance": -1}', 400),
    "fewer numbers than URLs": ("/v1/pages", JSON, b'{"urls": ["https://b.example/"], "importance": [1, 2]}', 400),
    "half a character in a URL": ("/v1/pages", JSON, b'{"urls": ["https://b.example/\\ud800"]}', 400),
    "half a character in a name": ("/v1/signals", JSON, b'{"urls": ["https://a.example/"], "source": "\\udfff"}', 400),
    "half a character in a digest": ("/v1/complete", JSON, b'{"tokens": [1], "digest": "\\ud800"}', 400),
    "a zero byte in a URL": ("/v1/pages", JSON, b'{"urls": ["https://b\\u0000.example/"]}', 400),
    "one bad URL among good ones": ("/v1/pages", JSON, b'{"urls": ["https://b.example/", "javascript:x"]}', 400),
    "a URL without end": ("/v1/pages", JSON, b'{"urls": ["https://b.example/' + b"x" * 20_000 + b'"]}', 400),
    "more URLs than may be": ("/v1/signals", JSON, signals(b"[" + b'"",' * 100_000 + b'""]'), 400),
    "a moment that is none": ("/v1/signals", JSON, b'{"urls": ["https://a.example/"], "happened": "soon"}', 400),
    "lines: one is no JSON": ("/v1/pages", LINES, GOOD + b"{\n" + GOOD, 400),
    "lines: one has no URL": ("/v1/pages", LINES, GOOD + b"{}\n", 400),
    "lines: one is not UTF-8": ("/v1/pages", LINES, GOOD + b'{"url": "\xff"}\n', 400),
    "lines: half a character": ("/v1/pages", LINES, GOOD + b'{"url": "https://b.example/\\ud800"}\n', 400),
    "lines: one is nested": ("/v1/signals", LINES, b'{"url": ' + b"[" * MB + b"\n", 400),
    "lines: a field nobody knows": ("/v1/pages", LINES, b'{"url": "https://b.example/", "x": 1}', 400),
    "lines: an option nobody knows": ("/v1/pages?x=1", LINES, GOOD, 400),
    "lines: a group on some": ("/v1/pages", LINES, GOOD + b'{"url": "https://c.example/", "group": "g"}', 400),
    "lines where there are none": ("/v1/lease", LINES, b'{"n": 1}\n', 415),
    "a form": ("/v1/pages", "application/x-www-form-urlencoded", b"urls=https://b.example/", 415),
    "JSON that is said to be a form": ("/v1/lease", "application/x-www-form-urlencoded", b"{}", 415),
    "JSON that is said to be text": ("/v1/lease", "text/plain", b"{}", 415),
    "a type nobody knows": ("/v1/lease", "image/png", b"\x89PNG", 415),
    "a path nobody knows": ("/v1/nothing", JSON, b"{}", 404),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_bad_body_is_a_problem_and_changes_nothing(service, name):
    path, kind, body, expected = BODIES[name]
    before = state(service)
    is_problem(asked(service, post(path, body, kind)), expected)
    assert state(service) == before


def is_problem(answer, expected):
    status, headers, body = answer
    said = json.loads(body)
    assert (status, headers["content-type"], said["status"]) == (expected, "application/problem+json", expected)
    assert said["outcome"] == "rejected"
    assert said["title"]
    assert said["detail"]


def test_lines_are_so_many_and_no_more(service):
    line = b'{"url": "https://a.example/"}\n'
    before = state(service)
    answer = asked(service, post("/v1/signals?source=feed", 100_001 * line, LINES))
    is_problem(answer, 400)
    assert "at most 100,000 lines" in json.loads(answer[2])["detail"]
    is_problem(asked(service, post("/v1/signals?source=feed", (100_001 * line)[:-1], LINES)), 400)
    assert state(service) == before
    status, _, body = asked(service, post("/v1/signals?source=feed", 100_000 * line, LINES))
    counts = json.loads(body)
    assert (status, counts["heard"] + counts["old"] + counts["repeated"]) == (200, 100_000)


REQUESTS = {
    "a method that is not there": (b"DELETE /v1/pages HTTP/1.1\r\nhost: localhost\r\n\r\n", 405),
    "a method of nobody": (b"BREW /v1/pages HTTP/1.1\r\nhost: localhost\r\n\r\n", 405),
    "a number that is none": (get("/v1/pages?limit=many"), 400),
    "a number out of bounds": (get("/v1/pages?limit=0"), 400),
    "a huge number": (get("/v1/pages?after=1" + 400 * "0"), 400),
    "no URL": (get("/v1/page"), 400),
    "no URL at all": (get("/v1/page?url=%ff%fe"), 400),
    "a key that is too long": (post("/v1/pages", b'{"urls": []}', JSON, "idempotency-key: " + 300 * "k"), 400),
    "a body that is packed": (post("/v1/pages", b"{}", JSON, "content-encoding: gzip"), 415),
    "lines that are packed": (post("/v1/pages", b"{}", LINES, "content-encoding: zstd"), 415),
    "a charset that is not UTF-8": (post("/v1/pages", b'{"urls": []}', JSON + "; charset=latin-1"), 415),
    "a name that the query does not have": (get("/v1/pages?foo=2"), 400),
    "a name without a value": (get("/v1/rate?verbose"), 400),
    "a query of lines with JSON": (post("/v1/signals?source=zzz", b'{"urls": ["https://a.example/"]}', JSON), 400),
    "a host that is not known": (get("/v1/sources?host=nobody.example"), 400),
    "a view that is not there": (get("/v1/dashboard/nothing"), 404),
    "a path that climbs": (get("/static/../../app.py"), 404),
    "a path that climbs in disguise": (get("/static/%2e%2e/%2e%2e/app.py"), 404),
    "a file's name with a zero byte": (get("/static/app.js%00"), 404),
    "a file's name that no disk takes": (get("/static/" + 300 * "a"), 404),
    "a path that no disk takes": (get("/static/" + 3000 * "a/"), 404),
    "a folder": (get("/static/uplot"), 404),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_bad_request_is_a_problem_and_changes_nothing(service, name):
    request, expected = REQUESTS[name]
    before = state(service)
    is_problem(asked(service, request), expected)
    assert state(service) == before


def test_nobody_is_told_where_on_the_disk_files_are(service):
    assert b"recrawl" not in asked(service, get("/static/uplot"))[2]


@pytest.mark.parametrize("kind", [JSON, LINES])
@pytest.mark.parametrize("size", [33 * MB, 300 * MB])
def test_a_body_that_is_said_to_be_too_large_is_refused_before_it_comes(service, kind, size):
    head = f"POST /v1/signals HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {size}\r\n\r\n"
    is_problem(asked(service, head.encode()), 413)


@pytest.mark.parametrize("kind", [JSON, LINES])
def test_a_body_that_becomes_too_large_is_refused_and_not_kept(service, kind):
    head = f"POST /v1/signals HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
    before = service.resident_bytes
    chunks = (b"%x\r\n" % MB + b" " * MB + b"\r\n") * 33
    is_problem(asked(service, head.encode() + chunks), 413)
    assert service.resident_bytes < before + 150 * MB


REFUSED_EARLY = {
    "said to be too large": ("/v1/signals", JSON, b"", 33 * MB, 413),
    "of an unknown type": ("/v1/signals", "text/plain", b"", 8 * MB, 415),
    "of a page of another site": ("/v1/signals", JSON, b"origin: https://b.example\r\n", 8 * MB, 403),
}


@pytest.mark.parametrize("name", REFUSED_EARLY)
def test_who_sends_the_whole_body_of_what_is_refused_before_it_comes_reads_why(service, name):
    path, kind, more, size, expected = REFUSED_EARLY[name]
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {size}\r\n".encode()
    is_problem(asked(service, head + more + b"\r\n" + b" " * size), expected)


def test_who_asks_first_whether_to_send_is_refused_and_the_connection_closed(service):
    head = b"POST /v1/signals HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n"
    with socket.create_connection(("127.0.0.1", service.port), timeout=60.0) as line:
        line.sendall(head + b"expect: 100-continue\r\ncontent-length: 1000\r\n\r\n")
        with line.makefile("rb") as file:
            answer = file.read()  # up to its end
    assert answer.startswith(b"HTTP/1.1 415")
    assert b"connection: close" in answer.lower()


CHUNKED = b"transfer-encoding: chunked\r\n\r\n"
BROKEN = {
    "a chunk without a size": (CHUNKED + b"ZZ\r\n", False),
    "chunks without an end": (CHUNKED + b"10\r\n{", True),
    "less than was said": (b"content-length: 100\r\n\r\n" + b'{"urls": ["https://b.example/"]}', True),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_body_that_breaks_off_is_a_problem_and_changes_nothing(service, name):
    body, and_no_more = BROKEN[name]
    before = state(service)
    head = f"POST /v1/pages HTTP/1.1\r\nhost: localhost\r\ncontent-type: {JSON}\r\n".encode()
    is_problem(asked(service, head + body, and_no_more=and_no_more), 400)
    assert state(service) == before
