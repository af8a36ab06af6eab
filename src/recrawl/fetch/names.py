"""Looking names up: in a limited time, and only to addresses that are allowed."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult

from recrawl.fetch.addresses import public
from recrawl.fetch.faults import RefusedAddressError

Allowed = Callable[[str], bool]
"""Whether an address may be asked."""

THREADS = 32
"""Look-ups at a time.  The event loop's own threads are few, and some dead name servers would take them all."""


class SystemResolver(AbstractResolver):
    """The machine's own look-up.  Names under localhost are this machine and are asked of nobody (RFC 6761)."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="recrawl-names")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """All addresses of a name, in the order the machine prefers."""
        if f".{host.rstrip('.')}".endswith(".localhost"):
            return [_result(host, "127.0.0.1", port, socket.AF_INET), _result(host, "::1", port, socket.AF_INET6)]
        found = await asyncio.get_running_loop().run_in_executor(self._threads, _look_up, host, port, family)
        return [_result(host, address, port, kind) for kind, address in found]

    async def close(self) -> None:
        """Wait for no look-up that is under way."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int, family: int) -> list[tuple[socket.AddressFamily, str]]:
    found = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [(kind, _with_zone(place)) for kind, _, _, _, place in found]


def _with_zone(place: tuple[object, ...]) -> str:
    """An address; one of IPv6 that is only good on one link says on which, and so will not be called public."""
    return f"{place[0]}%{place[3]}" if len(place) == 4 and place[3] else str(place[0])


def _result(host: str, address: str, port: int, family: socket.AddressFamily) -> ResolveResult:
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)


class CheckedResolver(AbstractResolver):
    """Looks names up by another resolver, in a limited time, and gives only addresses that are allowed."""

    def __init__(self, inner: AbstractResolver, seconds: float, allowed: Allowed) -> None:
        self._inner, self._seconds, self._allowed = inner, seconds, allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of a name that are allowed; RefusedAddressError where it has only others."""
        found = await _in_time(self._inner, host, port, family, self._seconds)
        fit = [answer for answer in found if self._allowed(answer["host"])]
        if found and not fit:
            raise RefusedAddressError(f"{host} is at {found[0]['host']}, which is {refusal(self._allowed)}")
        return fit

    async def close(self) -> None:
        """Close the resolver inside."""
        await self._inner.close()


def refusal(allowed: Allowed) -> str:
    """What an address is that is not allowed."""
    return "not public" if allowed is public else "neither public nor of a network of one's own"


async def _in_time(
    resolver: AbstractResolver, host: str, port: int, family: socket.AddressFamily, seconds: float
) -> list[ResolveResult]:
    try:
        async with asyncio.timeout(seconds):
            found = await resolver.resolve(host, port, family)
    except TimeoutError as error:
        raise OSError(None, f"no answer for {host} in {seconds:g} seconds") from error
    if not found:
        raise OSError(None, f"{host} has no address")
    return found
