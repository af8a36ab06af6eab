"""Names to addresses, less those that may not be spoken to."""

import errno
import socket
from collections.abc import Callable

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver


class Choosy(AbstractResolver):
    """The system's resolver; an address that is not allowed is as if it were not there.

    The connection is made to the addresses that this returns: there is no second lookup.
    """

    def __init__(self, allowed: Callable[[str], bool] | None) -> None:
        self._allowed = allowed
        self._system = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host that may be spoken to."""
        found = await self._system.resolve(host, port, family)
        if self._allowed is None:
            return found
        kept = [result for result in found if self._allowed(result["host"].partition("%")[0])]
        if not kept:
            raise OSError(errno.EACCES, f"no address of {host} may be spoken to")
        return kept

    async def close(self) -> None:
        """Nothing is open."""
        await self._system.close()
