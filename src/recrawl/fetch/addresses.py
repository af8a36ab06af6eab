"""Which addresses and ports may be asked: only those of the public web.

A page, a redirect or a DNS answer may name any address.  Some of them lie inside the machine or its network, and who
follows such a name opens them to strangers.  So everything that is not a public unicast address is refused; where the
registries call a range reachable although no web server of a stranger can be there (anycast of relays, NAT64, the
metadata services of clouds), it is refused as well.

Of IPv6 only 2000::/3 has public addresses at all.  All forms that carry an IPv4 address inside (::ffff:a.b.c.d,
::a.b.c.d, ::ffff:0:a.b.c.d, 64:ff9b::a.b.c.d, 2002:abcd::, 2001:0:...) are refused whatever is inside: no name of the
public web needs them, and what a translator on the way makes of them cannot be known.

Who crawls his own network allows more: this machine and the ranges that private networks use (`own`).  What answers
only to those inside and gives away keys, the metadata services of clouds, stays refused there too: a page of such a
network is no better reason to ask them than one of the public web.
"""

import ipaddress
from collections.abc import Callable
from functools import lru_cache

import can_ada

from recrawl.errors import InputError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NOT_PUBLIC_4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by customers of a provider
            "127.0.0.0/8",  # this machine
            "168.63.129.16/32",  # a public number, but the inside of a cloud answers to it
            "169.254.0.0/16",  # link-local; metadata services of clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments, among them 192.0.0.192, a metadata service
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved; the last one is broadcast
        ),
    )
)
_UNICAST_6 = ipaddress.IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks, anycast of relays
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "3fff::/20",  # documentation
        ),
    )
)
_OWN = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/32",  # this machine, as servers print it that listen everywhere; the rest of 0.0.0.0/8 is nobody
            "10.0.0.0/8",
            "100.64.0.0/10",  # shared; overlays of one's own machines use it
            "127.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "198.18.0.0/15",  # benchmarks, in laboratories
            "::/128",  # as 0.0.0.0
            "::1/128",
            "fc00::/7",  # private
        ),
    )
)
_METADATA = tuple(
    map(
        ipaddress.ip_network,
        (
            "100.96.0.96/32",  # Volcengine
            "100.100.100.200/32",  # Alibaba
            "fd00:42::42/128",  # Scaleway
            "fd00:a9fe:a9fe::/48",  # Linode, OpenStack
            "fd00:ec2::/32",  # Amazon: metadata, and keys of containers
            "fd20:ce::254/128",  # Google
        ),
    )
)
"""Services of clouds inside the ranges of private networks; those of most are link-local, and outside of `_OWN`."""

# https://fetch.spec.whatwg.org/#bad-port
_BAD_PORTS = frozenset(
    (
        *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104),
        *(109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515),
        *(526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049),
        *(3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    )
)


def public(address: str | Address) -> bool:
    """Whether an address is one of the public web.

    Text is read as the host of a URL is: 0x7f.1, 2130706433 and full-width digits are what the URL standard makes of
    them.  What is no address, and one with a zone id, is not public.

    >>> public("93.184.215.14"), public("2606:2800:21f::1")
    (True, True)
    >>> public("0x7f.1"), public("::ffff:10.0.0.1"), public("fe80::1%eth0"), public("example.org")
    (False, False, False, False)
    """
    read = _read(address)
    return read is not None and _public(read)


def own(address: str | Address) -> bool:
    """Whether an address may be asked by who crawls his own network: a public one, this machine, or a private network.

    Link-local addresses, metadata services of clouds, multicast, broadcast and reserved ranges may not.

    >>> own("127.0.0.1"), own("192.168.1.1"), own("fd12:3456::1"), own("93.184.215.14")
    (True, True, True, True)
    >>> own("169.254.169.254"), own("100.100.100.200"), own("fd00:ec2::254"), own("fe80::1"), own("224.0.0.1")
    (False, False, False, False, False)
    """
    read = _read(address)
    return read is not None and (_public(read) or _own(read))


def allowed_by(allow_private: bool) -> Callable[[str | Address], bool]:
    """Which addresses may be asked: the one place where `allow_private` is looked at."""
    return own if allow_private else public


def allowed_at(host: str, allow_private: bool) -> Callable[[str | Address], bool]:
    """Which addresses may be asked at a host that an operator has named himself, such as that of a webhook.

    An address that he has written down, or localhost, is where he wants to go, also in his own network.  A name is
    another matter: its owner decides what it stands for, so it must lead to the public web unless `allow_private`.

    >>> allowed_at("127.0.0.1", False)("127.0.0.1"), allowed_at("hooks.example", False)("127.0.0.1")
    (True, False)
    """
    return allowed_by(allow_private or host == "localhost" or literal(host) is not None)


def _read(address: str | Address) -> Address | None:
    if isinstance(address, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return address
    if not isinstance(address, str):
        raise InputError(f"address must be text or an IP address, got {address!r}", argument="address")
    return literal(address)


def literal(host: str) -> Address | None:
    """The address that the host of a URL spells, None where it is a name (or nothing).

    >>> literal("2130706433"), literal("[::1]"), literal("example.org")
    (IPv4Address('127.0.0.1'), IPv6Address('::1'), None)
    """
    try:
        return ipaddress.ip_address(host)  # what resolvers say; in a URL a zone id or a plain ::1 is no host
    except ValueError:
        pass
    if any(mark in host for mark in "/?#@\\") or (":" in host and not (host[0] == "[" and host[-1] == "]")):
        return None  # more than a host
    try:
        return ipaddress.ip_address(can_ada.parse(f"http://{host}/").hostname.strip("[]"))
    except (ValueError, TypeError):
        return None


def allowed_port(port: int) -> bool:
    """Whether a web server may be asked at that port: not those of mail and the like, by the fetch standard's list.

    >>> allowed_port(443), allowed_port(8080), allowed_port(25)
    (True, True, False)
    """
    return 0 < port < 65536 and port not in _BAD_PORTS


@lru_cache(maxsize=4096)
def _public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    if address.scope_id is not None or address not in _UNICAST_6:
        return False
    return not any(address in network for network in _NOT_PUBLIC_6)


@lru_cache(maxsize=4096)
def _own(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
        return False
    return any(address in network for network in _OWN) and not any(address in network for network in _METADATA)
