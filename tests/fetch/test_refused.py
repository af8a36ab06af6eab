"""What must not be reached is refused before a packet leaves: nothing is connected to, and no socket is made."""

import asyncio
import errno
import socket

import pytest
from aiohttp.abc import AbstractResolver

from recrawl.clock import SystemClock
from recrawl.fetch import Fetcher, Gate, Limits
from tests.fetch.raw_server import AGENT, QUICK, ok, routes


class StubResolver(AbstractResolver):
    """Knows some names, and counts how often it is asked."""

    def __init__(self, names):
        self.names, self.asked = names, []

    async def resolve(self, host, port=0, family=socket.AF_INET):
        self.asked.append(host)
        if host not in self.names:
            raise OSError(None, "no such name")
        return [
            {"hostname": host, "host": address, "port": port, "family": family, "proto": 0, "flags": 0}
            for address in self.names[host]
        ]

    async def close(self):
        pass


class Sockets:
    """Notes every socket that is made, and every connection that is tried; lets none out."""

    def __init__(self, monkeypatch):
        self.made, self.tried = [], []
        plain = socket.socket
        note = self

        class Noting(plain):
            def __init__(self, family=-1, kind=-1, proto=-1, fileno=None):
                super().__init__(family, kind, proto, fileno)
                if fileno is None and family in (socket.AF_INET, socket.AF_INET6):
                    note.made.append(family)

        async def sock_connect(loop, sock, address):
            note.tried.append(address[0])
            raise OSError(111, "a test lets nothing out")

        monkeypatch.setattr(socket, "socket", Noting)
        monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", sock_connect)


def fetched(url, resolver, **more):
    async def main():
        async with Fetcher(AGENT, limits=QUICK, resolver=resolver, **more) as fetcher:
            return await fetcher.fetch(url)

    return asyncio.run(main())


LITERALS = (
    "127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "１２７.0.0.1", "127.1", "localhost.", "10.1.2.3",
    "169.254.169.254",
    "192.168.1.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.0.192", "192.88.99.1", "[::1]", "[::]",
    "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[fec0::1]",
    "[fe80::1]", "[fd00::1]", "[ff02::1]", "[3fff::1]", "[5f00::1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]",
)  # fmt: skip


@pytest.mark.parametrize("host", LITERALS)
def test_addresses_in_urls(host, monkeypatch):
    sockets = Sockets(monkeypatch)
    got = fetched(f"http://{host}/", StubResolver({"localhost.": ["127.0.0.1"]}))
    assert (got.error, got.status) == ("address-refused", None)
    assert (sockets.made, sockets.tried) == ([], [])


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1%eth0"]
)
def test_names_of_such_addresses(address, monkeypatch):
    sockets, resolver = Sockets(monkeypatch), StubResolver({"inside.example": [address]})
    got = fetched("https://inside.example/", resolver)
    assert got.error == "address-refused"
    assert (sockets.made, sockets.tried, resolver.asked) == ([], [], ["inside.example"])


def test_of_several_addresses_only_public_ones_are_tried(monkeypatch):
    """And the name is looked up once: what was checked is what is connected to."""
    names = {"mixed.example": ["127.0.0.1", "93.184.215.14", "::1", "2606:2800:21f::1", "10.0.0.1"]}
    sockets, resolver = Sockets(monkeypatch), StubResolver(names)
    got = fetched("http://mixed.example/", resolver)
    assert got.error == "connect"
    assert set(sockets.tried) == {"93.184.215.14", "2606:2800:21f::1"}
    assert sorted(set(sockets.made)) == [socket.AF_INET, socket.AF_INET6]
    assert resolver.asked == ["mixed.example"]


def test_a_name_that_changes_its_mind_is_checked_each_time(monkeypatch):
    """DNS rebinding: public at the first look-up, private at the second."""
    sockets, resolver = Sockets(monkeypatch), StubResolver({"rebind.example": ["93.184.215.14"]})

    async def main():
        async with Fetcher(AGENT, limits=QUICK, resolver=resolver) as fetcher:
            first = await fetcher.fetch("http://rebind.example/")
            resolver.names["rebind.example"] = ["127.0.0.1"]
            fetcher._session.connector.clear_dns_cache()
            return first, await fetcher.fetch("http://rebind.example/")

    first, second = asyncio.run(main())
    assert (first.error, second.error) == ("connect", "address-refused")
    assert set(sockets.tried) == {"93.184.215.14"}


@pytest.mark.parametrize("port", [21, 22, 25, 110, 143, 465, 587, 993, 6667])
def test_ports_of_mail_and_the_like(port, monkeypatch):
    sockets, resolver = Sockets(monkeypatch), StubResolver({"a.example": ["93.184.215.14"]})
    assert fetched(f"http://a.example:{port}/", resolver).error == "port-refused"
    assert fetched(f"http://a.example:{port}/", resolver, allow_private=True).error == "port-refused"
    assert (sockets.made, sockets.tried, resolver.asked) == ([], [], [])


def test_names_that_nobody_knows():
    assert fetched("http://nowhere.example/", StubResolver({})).error == "dns"
    assert fetched("http://empty.example/", StubResolver({"empty.example": []})).error == "dns"


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "A.B.LOCALHOST."])
def test_names_under_localhost_are_this_machine_and_asked_of_nobody(host, monkeypatch):
    monkeypatch.delattr(socket, "getaddrinfo")

    async def main():
        server = routes({"/": ok(b"hello")})
        async with server, Fetcher(AGENT, limits=QUICK, allow_private=True) as fetcher, Fetcher(AGENT) as strict:
            return await fetcher.fetch(server.url("/", host)), await strict.fetch(server.url("/", host))

    open_one, strict_one = asyncio.run(main())
    assert (open_one.status, strict_one.error) == (200, "address-refused")


def test_names_are_looked_up_by_the_machine(monkeypatch):
    def getaddrinfo(host, port, **_):
        assert host == "linked.example"
        return [(socket.AF_INET6, 1, 6, "", ("fe80::1", port, 0, 3)), (socket.AF_INET, 1, 6, "", ("10.0.0.1", port))]

    async def main():
        async with Fetcher(AGENT, limits=QUICK) as fetcher:
            monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
            return await fetcher.fetch("http://linked.example/")

    got = asyncio.run(main())
    assert (got.error, got.detail) == (
        "address-refused",
        "RefusedAddressError: linked.example is at fe80::1%3, which is not public",
    )


def test_a_machine_without_room_is_no_fault_of_the_host(monkeypatch):
    def full(*_):
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr("recrawl.fetch.sockets.checked_socket", full)
    assert fetched("http://a.example/", StubResolver({"a.example": ["93.184.215.14"]})).error == "local"


def test_a_look_up_that_never_ends():
    class Silent(StubResolver):
        async def resolve(self, host, port=0, family=socket.AF_INET):
            await asyncio.Event().wait()

    async def main():
        async with Fetcher(AGENT, limits=Limits(connect=0.1), resolver=Silent({})) as fetcher:
            return await fetcher.fetch("http://silent.example/")

    assert asyncio.run(main()).error == "dns"


@pytest.mark.parametrize(
    "place", ["http://127.0.0.1/", "http://[::1]/", "http://inside.example/", "http://0x7f.1:8080/"]
)
def test_redirects_into_private_addresses(place):
    """The first server is reached by a socket factory of the test's; all later ones by the rules."""
    resolver = StubResolver({"inside.example": ["10.0.0.1"]})

    async def main():
        server = routes({"/": ok(b"", f"Location: {place}", status="302 X")})
        async with server, Fetcher(AGENT, limits=QUICK, resolver=resolver) as fetcher:
            _let_through(fetcher, "home.example", server.port)
            return await fetcher.fetch(f"http://home.example:{server.port}/"), server

    got, server = asyncio.run(main())
    assert (got.error, len(got.hops), len(server.heads)) == ("address-refused", 1, 1)


def _let_through(fetcher, name, port):
    """Make one name one of the public web, though it is on loopback."""
    connector = fetcher._session.connector
    inner, factory = connector._resolver.resolve, connector._socket_factory

    async def resolve(host, port=0, family=socket.AF_INET):
        if host == name:
            return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": 2, "proto": 0, "flags": 0}]
        return await inner(host, port, family)

    def make(info):
        return socket.socket(*info[:3]) if info[4] == ("127.0.0.1", port) else factory(info)

    connector._resolver.resolve = resolve
    connector._socket_factory = make


def test_the_factory_of_sockets_refuses_by_itself(monkeypatch):
    """Should a resolver let an address through, there is still no socket for it."""
    sockets = Sockets(monkeypatch)

    async def main():
        async with Fetcher(AGENT, limits=QUICK, resolver=StubResolver({"a.example": ["127.0.0.1"]})) as fetcher:
            connector = fetcher._session.connector
            connector._resolver = connector._resolver._inner
            return await fetcher.fetch("http://a.example/")

    assert asyncio.run(main()).error == "address-refused"
    assert (sockets.made, sockets.tried) == ([], [])


def test_what_is_refused_waits_for_nobody():
    gate = Gate(SystemClock(), 0.001, 1e6, 1)
    got = fetched("http://127.0.0.1/", StubResolver({}), gate=gate)
    assert (got.error, gate.in_flight, gate.waiting) == ("address-refused", 0, 0)


def test_private_addresses_are_reached_where_that_is_allowed():
    async def main():
        server = routes({"/": ok(b"hello")})
        resolver = StubResolver({"home.example": ["127.0.0.1"]})
        async with server, Fetcher(AGENT, limits=QUICK, resolver=resolver, allow_private=True) as fetcher:
            return [(await fetcher.fetch(server.url("/", host))).status for host in ("127.0.0.1", "home.example")]

    assert asyncio.run(main()) == [200, 200]


METADATA = (
    "169.254.169.254", "0xa9fea9fe", "2852039166", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192",
    "0.0.0.1", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[fe80::a9fe:a9fe]", "[fd00:ec2::254]", "[fd20:ce::254]",
    "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[ff02::1]",
)  # fmt: skip


@pytest.mark.parametrize("host", METADATA)
def test_metadata_and_link_local_addresses_are_refused_also_where_private_ones_are_allowed(host, monkeypatch):
    sockets = Sockets(monkeypatch)
    got = fetched(f"http://{host}/latest", StubResolver({}), allow_private=True)
    assert (got.error, got.status) == ("address-refused", None)
    assert (sockets.made, sockets.tried) == ([], [])


def test_so_are_names_of_such_addresses_and_only_the_others_are_tried(monkeypatch):
    names = {"metadata.example": ["169.254.169.254", "fe80::1%3"], "mixed.example": ["169.254.169.254", "10.0.0.1"]}
    sockets, resolver = Sockets(monkeypatch), StubResolver(names)
    got = fetched("http://metadata.example/", resolver, allow_private=True)
    assert (got.error, sockets.made, sockets.tried) == ("address-refused", [], [])
    assert got.detail.endswith("is at 169.254.169.254, which is neither public nor of a network of one's own")
    assert fetched("http://mixed.example/", resolver, allow_private=True).error == "connect"
    assert set(sockets.tried) == {"10.0.0.1"}


@pytest.mark.parametrize(
    "place", ["http://169.254.169.254/latest", "http://metadata.example/", "http://[fd00:ec2::254]/"]
)
def test_redirects_to_metadata_are_not_followed_where_private_addresses_are_allowed(place):
    resolver = StubResolver({"metadata.example": ["169.254.169.254"]})

    async def main():
        server = routes({"/": ok(b"", f"Location: {place}", status="302 X")})
        async with server, Fetcher(AGENT, limits=QUICK, resolver=resolver, allow_private=True) as fetcher:
            return await fetcher.fetch(server.url("/"))

    got = asyncio.run(main())
    assert (got.error, len(got.hops)) == ("address-refused", 1)


def test_the_factory_of_sockets_refuses_metadata_by_itself(monkeypatch):
    sockets = Sockets(monkeypatch)
    resolver = StubResolver({"a.example": ["169.254.169.254"]})

    async def main():
        async with Fetcher(AGENT, limits=QUICK, resolver=resolver, allow_private=True) as fetcher:
            connector = fetcher._session.connector
            connector._resolver = connector._resolver._inner
            return await fetcher.fetch("http://a.example/")

    assert asyncio.run(main()).error == "address-refused"
    assert (sockets.made, sockets.tried) == ([], [])


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    """A proxy would look names up by itself, and reach what must not be reached."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    test_private_addresses_are_reached_where_that_is_allowed()
