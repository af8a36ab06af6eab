"""The process of a living web: it comes, it goes, and it never stays behind."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import closing

import aiohttp
import pytest

from recrawl.errors import InputError
from recrawl.livingweb import HostPlan, LivingWeb, Poisson, hostile, many
from recrawl.livingweb.faults import FAULTS
from recrawl.livingweb.resolver import aiohttp_resolver
from tests.livingweb.talking import Crawler, once

TWO = (HostPlan("a", Poisson(3, 0.1)), HostPlan("b", Poisson(3, 0.1)))


def gone(pid):
    """Wait until a process that is not our child has ended."""
    try:
        alive = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    import select

    try:
        return bool(select.select([alive], [], [], 20.0)[0])
    finally:
        os.close(alive)


def test_it_ends_with_the_block():
    with LivingWeb(TWO) as web:
        pid = web.pid
    assert gone(pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_the_one_who_started_it(number):
    code = "from recrawl.livingweb import *; web = LivingWeb(many(2)).start(); print(web.pid, flush=True); input()"
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with parent:
        pid = int(parent.stdout.readline())
        parent.send_signal(number)
        parent.wait(20)
        assert gone(pid)


def test_a_wrong_plan_is_the_callers_error():
    with pytest.raises(InputError, match="different names"):
        LivingWeb((TWO[0], TWO[0])).start()
    with pytest.raises(InputError, match=r"faults must be one of moved, .* got 'sloow'"):
        HostPlan("a", faults=("sloow",))
    with pytest.raises(InputError, match="counted_from must be less"):
        LivingWeb(TWO, days=10.0, counted_from=10.0)


def test_a_port_that_is_taken_is_said():
    with LivingWeb(TWO) as web, pytest.raises(OSError, match="address already in use"):
        LivingWeb(TWO, port=web.port).start()


def test_hosts_by_name_and_by_port():
    with LivingWeb(TWO, own_ports=True) as web:
        names = [once(web.port, "/", host=name).body for name in ("a", "a.localhost:1", "a.example", "A.test")]
        assert len(set(names)) == 1
        assert once(web.ports["b"], "/", host="127.0.0.1").body == once(web.port, "/", host="b").body != names[0]
        assert once(web.port, "/", host="c.example").status == 404
        assert web.urls["b"] == f"http://127.0.0.1:{web.ports['b']}/"
        assert len(list(web.page_urls())) == 6


def test_aiohttp_finds_hosts_with_the_resolver():
    async def fetch(urls):
        connector = aiohttp.TCPConnector(resolver=aiohttp_resolver())
        async with aiohttp.ClientSession(connector=connector, headers={"User-Agent": "aio/3"}) as session:
            found = []
            for url in urls:
                async with session.get(url) as answer:
                    found.append((answer.status, len(await answer.read()) > 1000))
            with pytest.raises(aiohttp.ClientConnectorError):
                await session.get("http://no.such.name.org/")
            return found

    with LivingWeb(many(5, 4)) as web:
        urls = list(web.page_urls())
        assert asyncio.run(fetch(urls)) == [(200, True)] * 20
        score = web.score("aio")
    assert (score.fresh_now, score.first) == (1.0, 20)


def test_requests_may_come_together_or_in_pieces():
    import socket

    with LivingWeb(TWO) as web, socket.create_connection(("127.0.0.1", web.port), timeout=20) as wire:
        request = b"GET /docs/0/1.html HTTP/1.1\r\nHost: a\r\nUser-Agent: x/1\r\n\r\n"
        wire.sendall(request * 2 + request[:20])
        wire.sendall(request[20:-1])
        wire.sendall(request[-1:] + request.replace(b"Host", b"Connection: close\r\nHost"))
        got = b""
        while some := wire.recv(65536):
            got += some
        assert got.count(b"HTTP/1.1 200 OK") == 4
        assert web.score("x").wasted == 3


def test_requests_at_once_are_counted_while_answers_wait():
    with LivingWeb([HostPlan("a", Poisson(3), latency=0.3)]) as web:
        crawlers = [Crawler(web.port) for _ in range(3)]
        for crawler in crawlers:
            crawler.connection.request("GET", "/docs/0/1.html", headers={"User-Agent": "mybot"})
        for crawler in crawlers:
            with closing(crawler):
                assert crawler.connection.getresponse().read()
        score = web.score("mybot")
    assert score.most_at_once == 3
    assert 1 <= score.most_in_a_real_second <= 3


def test_nonsense_is_refused():
    import socket

    with LivingWeb(TWO) as web:
        for nonsense, status in ((b"hello\r\n\r\n", b"400"), (b"x" * 70_000, b"431")):
            with socket.create_connection(("127.0.0.1", web.port), timeout=20) as wire:
                wire.sendall(nonsense)
                assert wire.recv(100).split(b" ")[1] == status


def test_presets():
    assert len({plan.name for plan in many(7)}) == 7
    inside = [name for name, fault in FAULTS.items() if not fault.outside]
    plans = hostile(10 * len(inside), 2)
    assert [plan.faults[0] for plan in plans if plan.faults] == inside * 2
    assert sum(plan.fault_sources for plan in plans) == len(inside)


def test_two_thousand_pages_on_a_hundred_hosts_are_small():
    with LivingWeb(many(100, 20), lasting=60.0) as web:
        with open(f"/proc/{web.pid}/status", encoding="ascii") as lines:
            resident = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
        assert resident < 300_000  # kB; most of it is Python, numpy and the compiler that is not used
        assert len(web.world) == 2000
