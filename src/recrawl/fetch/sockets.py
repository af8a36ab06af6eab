"""Where connections may go: a connector whose look-ups and sockets both have the check of addresses.

The check is made on the very addresses that are connected to.  A look-up gives its public addresses and no others, and
the connector takes them from there without asking again.  Addresses that stand in a URL never pass a look-up, so the
factory of sockets checks once more, each address, before its socket exists.
"""

import functools
import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver

from recrawl.fetch.addresses import allowed_by
from recrawl.fetch.faults import RefusedAddressError
from recrawl.fetch.names import Allowed, CheckedResolver, refusal

KEEP_LOOKUP = 60
"""Seconds a look-up is good for."""
KEEP_NAMES = 10_000
"""How many look-ups are kept."""


def checked_socket(allowed: Allowed, info: tuple[Any, ...]) -> socket.socket:
    """A socket for an address; refused before there is one, where the address is not allowed."""
    family, kind, protocol, _, place = info
    if not allowed(str(place[0])):
        raise RefusedAddressError(f"{place[0]} is {refusal(allowed)}")
    return socket.socket(family, kind, protocol)


def connector(seconds: float, *, allow_private: bool, resolver: AbstractResolver) -> aiohttp.TCPConnector:
    """A connector that reaches only public addresses; with `allow_private`, also those of one's own network."""
    allowed = allowed_by(allow_private)
    return aiohttp.TCPConnector(
        limit=0,  # how many there are is for others to say
        resolver=CheckedResolver(resolver, seconds, allowed),
        socket_factory=functools.partial(checked_socket, allowed),
        ttl_dns_cache=KEEP_LOOKUP,
        dns_cache_max_size=KEEP_NAMES,
    )
