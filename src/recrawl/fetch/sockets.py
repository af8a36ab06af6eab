"""Where connections may go: the look-up of names and the making of sockets, both with the check of addresses.

The check is made on the very addresses that are connected to.  A look-up gives its public addresses and no others, and
the connector takes them from there without asking again.  Addresses that stand in a URL never pass a look-up, so the
factory of sockets checks once more, each address, before its socket exists.
"""

import asyncio
import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from recrawl.fetch.addresses import public
from recrawl.fetch.faults import RefusedAddressError

KEEP_ALIVE = 30.0
"""Seconds an idle connection is kept for the next request to its host."""
KEEP_LOOKUP = 60
"""Seconds a look-up is good for."""


class PublicResolver(AbstractResolver):
    """Looks names up by another resolver, in a limited time, and gives only public addresses."""

    def __init__(self, inner: AbstractResolver, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The public addresses of a name; RefusedAddressError where it has only others."""
        found = await _in_time(self._inner, host, port, family, self._seconds)
        fit = [answer for answer in found if public(answer["host"])]
        if found and not fit:
            raise RefusedAddressError(f"{host} is at {found[0]['host']}, which is not public")
        return fit

    async def close(self) -> None:
        """Close the resolver inside."""
        await self._inner.close()


class TimelyResolver(PublicResolver):
    """Looks names up in a limited time, whatever addresses they have."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of a name."""
        return await _in_time(self._inner, host, port, family, self._seconds)


async def _in_time(
    resolver: AbstractResolver, host: str, port: int, family: socket.AddressFamily, seconds: float
) -> list[ResolveResult]:
    try:
        found = await asyncio.wait_for(resolver.resolve(host, port, family), seconds)
    except TimeoutError as error:
        raise OSError(None, f"no answer for {host} in {seconds:g} seconds") from error
    if not found:
        raise OSError(None, f"{host} has no address")
    return found


def public_socket(info: tuple[Any, ...]) -> socket.socket:
    """A socket for an address; refused before there is one, where the address is not public."""
    family, kind, protocol, _, place = info
    if not public(str(place[0])):
        raise RefusedAddressError(f"{place[0]} is not public")
    return socket.socket(family, kind, protocol)


def connector(
    limit: int, seconds: float, *, allow_private: bool, resolver: AbstractResolver | None
) -> aiohttp.TCPConnector:
    """A connector that reaches only public addresses, unless `allow_private`."""
    inner = aiohttp.ThreadedResolver() if resolver is None else resolver
    return aiohttp.TCPConnector(
        limit=limit,
        resolver=TimelyResolver(inner, seconds) if allow_private else PublicResolver(inner, seconds),
        socket_factory=None if allow_private else public_socket,
        ttl_dns_cache=KEEP_LOOKUP,
        keepalive_timeout=KEEP_ALIVE,
    )
