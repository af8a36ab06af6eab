"""Where connections may go: a connector whose look-ups and sockets both have the check of addresses.

The check is made on the very addresses that are connected to.  A look-up gives its public addresses and no others, and
the connector takes them from there without asking again.  Addresses that stand in a URL never pass a look-up, so the
factory of sockets checks once more, each address, before its socket exists.
"""

import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver

from recrawl.fetch.addresses import public
from recrawl.fetch.faults import RefusedAddressError
from recrawl.fetch.names import PublicResolver, TimelyResolver

KEEP_LOOKUP = 60
"""Seconds a look-up is good for."""
KEEP_NAMES = 10_000
"""How many look-ups are kept."""


def public_socket(info: tuple[Any, ...]) -> socket.socket:
    """A socket for an address; refused before there is one, where the address is not public."""
    family, kind, protocol, _, place = info
    if not public(str(place[0])):
        raise RefusedAddressError(f"{place[0]} is not public")
    return socket.socket(family, kind, protocol)


def connector(seconds: float, *, allow_private: bool, resolver: AbstractResolver) -> aiohttp.TCPConnector:
    """A connector that reaches only public addresses, unless `allow_private`."""
    return aiohttp.TCPConnector(
        limit=0,  # how many there are is for others to say
        resolver=TimelyResolver(resolver, seconds) if allow_private else PublicResolver(resolver, seconds),
        socket_factory=None if allow_private else public_socket,
        ttl_dns_cache=KEEP_LOOKUP,
        dns_cache_max_size=KEEP_NAMES,
    )
