"""Each fault really happens on the wire."""

import gzip
import re
import socket
import zlib
from contextlib import closing
from email.utils import parsedate_to_datetime
from pathlib import Path

import brotli
import pytest

from recrawl.livingweb import HostPlan, LivingWeb, Poisson
from recrawl.livingweb.faults import FAULTS
from recrawl.livingweb.wire.misbehaving import BOMB_BYTES, LEADS
from tests.livingweb.talking import Crawler, once

PAGE = "/docs/0/1.html"


@pytest.fixture(scope="module")
def web():
    plans = [HostPlan(fault, Poisson(3, 0.01), faults=(fault,), crawl_delay=30.0) for fault in FAULTS]
    plans.append(HostPlan("bad-map", Poisson(3, 0.01), faults=("gone",), fault_sources=True))
    with LivingWeb([*plans, HostPlan("healthy", Poisson(3, 0.01))], scale=1.0) as web:
        yield web


def raw(web, fault, most=1 << 22, path=PAGE):
    """All bytes that come, up to `most`, and whether the connection was reset."""
    with socket.create_connection(("127.0.0.1", web.port), timeout=20) as wire:
        head = f"GET {path} HTTP/1.1\r\nHost: {fault}.test\r\nUser-Agent: {fault}/1\r\nConnection: close\r\n\r\n"
        wire.sendall(head.encode())
        got = b""
        while len(got) < most:
            try:
                some = wire.recv(65536)
            except ConnectionResetError:
                return got, True
            if not some:
                return got, False
            got += some
        return got, False


def split(got):
    head, _, body = got.partition(b"\r\n\r\n")
    return head, body


def asked(web, fault, path=PAGE):
    return once(web.port, path, agent=fault, host=f"{fault}.localhost")


@pytest.mark.parametrize(
    ("fault", "status"), [("not-found", 404), ("gone", 410), ("error", 500), ("unavailable", 503), ("too-many", 429)]
)
def test_statuses(web, fault, status):
    assert asked(web, fault).status == status
    score = web.score(fault)
    assert score.faults == {fault: 1}
    assert score.statuses == {str(status): 1}
    assert score.by_host.keys() >= {"healthy"}
    assert fault not in score.by_host  # its pages never can be had


def test_retry_after_comes_in_both_forms(web):
    assert asked(web, "too-many").headers["Retry-After"] == "600"
    answer = asked(web, "unavailable")
    later = parsedate_to_datetime(answer.headers["Retry-After"]) - parsedate_to_datetime(answer.headers["Date"])
    assert later.total_seconds() == pytest.approx(3600, abs=1)


@pytest.mark.parametrize(("fault", "status", "prefix"), [("moved", 301, "/moved"), ("elsewhere", 302, "/now")])
def test_a_page_that_moved_is_had_where_it_is_now(web, fault, status, prefix):
    answer = asked(web, fault)
    assert (answer.status, answer.headers["Location"]) == (status, f"http://{fault}.localhost{prefix}{PAGE}")
    assert web.score(fault).useful == 0
    assert asked(web, fault, prefix + PAGE).status == 200
    assert web.score(fault).useful == 1
    assert asked(web, fault, f"/loop{PAGE}").status == 404


def test_loops_and_chains_have_no_end(web):
    first = asked(web, "loop").headers["Location"]
    assert first == f"http://loop.localhost/loop{PAGE}"
    assert asked(web, "loop", f"/loop{PAGE}").headers["Location"] == f"http://loop.localhost{PAGE}"
    assert asked(web, "chain").headers["Location"] == f"http://chain.localhost/chain/1{PAGE}"
    assert asked(web, "chain", f"/chain/7{PAGE}").headers["Location"] == f"http://chain.localhost/chain/8{PAGE}"


def test_redirects_across_hosts_and_into_private_addresses(web):
    location = asked(web, "across").headers["Location"]
    assert re.fullmatch(r"http://loop\.localhost/docs/0/\d\.html", location)
    for fault, leads in LEADS.items():
        assert {asked(web, fault).headers["Location"] for _ in leads} == set(leads)


def test_soft_404_says_200_and_never_the_same(web):
    one, two = asked(web, "soft-404"), asked(web, "soft-404")
    assert (one.status, two.status) == (200, 200)
    assert b"Page not found" in one.body
    assert one.body != two.body


def test_flaky_answers_every_other_time(web):
    assert [asked(web, "flaky").status for _ in range(4)] == [503, 200, 503, 200]


def test_the_impatient_host_bears_no_haste(web):
    first, second = asked(web, "impatient"), asked(web, "impatient")
    assert (first.status, second.status, second.headers["Retry-After"]) == (200, 429, "31")
    assert web.score("impatient").too_soon == 1


def test_slow_bodies_come_whole_in_the_end(web):
    answer = asked(web, "slow")
    assert answer.status == 200
    assert answer.body.endswith(b"</html>\n")
    assert web.score("slow").useful == 1
    assert once(web.port, PAGE, "slow", "slow.test", If_None_Match=answer.headers["ETag"]).status == 304


def test_a_silent_host_says_nothing(web):
    with socket.create_connection(("127.0.0.1", web.port), timeout=0.2) as wire:
        wire.sendall(f"GET {PAGE} HTTP/1.1\r\nHost: silent\r\nUser-Agent: s/1\r\n\r\n".encode())
        with pytest.raises(TimeoutError):
            wire.recv(1)


def test_resets(web):
    got, reset = raw(web, "reset")
    assert reset
    head, body = split(got)
    assert 0 < len(body) < int(re.search(rb"Content-Length: (\d+)", head)[1])
    assert raw(web, "reset-early") == (b"", True)


@pytest.mark.parametrize(("fault", "times"), [("truncated", 2.0), ("too-long", 0.5)])
def test_wrong_lengths(web, fault, times):
    got, reset = raw(web, fault)
    head, body = split(got)
    assert not reset
    assert int(re.search(rb"Content-Length: (\d+)", head)[1]) == int(len(body) * times)


def test_broken_chunks(web):
    assert b"\r\nno number\r\n" in raw(web, "broken-chunk")[0]
    assert raw(web, "cut-chunk")[0].endswith(b"\r\n400\r\nnot all of it")


def test_what_is_called_gzip_is_none(web):
    head, body = split(raw(web, "bad-gzip")[0])
    assert b"Content-Encoding: gzip" in head
    with pytest.raises(gzip.BadGzipFile):
        gzip.decompress(body)


def test_no_http(web):
    assert not raw(web, "no-http")[0].startswith(b"HTTP/")


def test_the_gzip_bomb_is_small_and_sound(web):
    head, body = split(raw(web, "gzip-bomb")[0])
    assert len(body) < 300_000
    assert b"Content-Encoding: gzip" in head
    unpack, size = zlib.decompressobj(31), 0
    while body:
        size += len(unpack.decompress(body, 1 << 22))
        body = unpack.unconsumed_tail
    assert (size + len(unpack.flush()), unpack.eof) == (BOMB_BYTES, True)


def test_the_brotli_bomb_is_smaller_still(web):
    head, body = split(raw(web, "brotli-bomb")[0])
    assert len(body) < 1000
    assert b"Content-Encoding: br" in head
    unpack = brotli.Decompressor()
    assert len(unpack.process(body, output_buffer_limit=1 << 20)) >= 1 << 20


@pytest.mark.parametrize("fault", ["endless-body", "endless-headers"])
def test_endless(web, fault):
    got, _ = raw(web, fault, most=1 << 20)
    assert len(got) >= 1 << 20
    assert (b"\r\n\r\n" in got) == (fault == "endless-body")


def test_a_header_too_long(web):
    head, body = split(raw(web, "long-header")[0])
    assert len(head) > 1 << 20
    assert body == b"ok"


def test_faults_of_sources(web):
    assert asked(web, "bad-map", "/sitemap.xml").status == 410
    assert asked(web, "gone", "/sitemap.xml").status == 200
    assert asked(web, "bad-map", "/robots.txt").status == 200


def test_no_fault_ever_gives_a_copy_that_is_none(web):
    for fault, meant in FAULTS.items():
        if not meant.copies and fault != "silent":
            raw(web, fault, most=200_000)
            assert web.score(fault).useful == 0
            assert web.score(fault).faults[fault] > 0


def test_the_document_lists_every_fault():
    text = (Path(__file__).parents[2] / "docs" / "livingweb.md").read_text(encoding="utf-8")
    for fault, meant in FAULTS.items():
        assert f"| `{fault}` | {meant.meaning} | {'yes' if meant.copies else ''} |" in text


def test_pages_go_and_return_changed():
    plan = HostPlan("a", Poisson(1, 1.0), faults=("returns",))
    with LivingWeb([plan], lasting=2.0, days=40.0) as web, closing(Crawler(web.port)) as crawler:
        path = next(iter(web.page_urls())).partition("/docs")[2]
        seen = [crawler.get(f"/docs{path}")]
        while web.clock.monotonic() < web.world.end:
            answer = crawler.get(f"/docs{path}")
            if answer.status != seen[-1].status:
                seen.append(answer)
        spans = web.world.away[0]
        faults = web.score("mybot").faults
    assert [answer.status for answer in seen] == [200, 404] * len(spans) + [200]
    assert seen[0].headers["ETag"] != seen[-1].headers["ETag"]
    assert faults.keys() == {"returns"}
