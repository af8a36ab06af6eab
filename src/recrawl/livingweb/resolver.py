"""Names of the living web as addresses.

URLs of a web of one host begin with http://127.0.0.1:PORT, and those of a web with `own_ports` too: they need nothing.
URLs of other webs begin with http://NAME.localhost:PORT.  Some machines resolve these names to 127.0.0.1 by
themselves (RFC 6761), others do not; a crawler that is given one of the resolvers below needs no luck.  A name that is
no host's name of a living web is refused, so that a crawler under test asks no name server.
"""

import socket
from typing import TYPE_CHECKING

from recrawl.livingweb.server import ADDRESS, SUFFIXES

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver


def resolve(host: str) -> str | None:
    """The address of a host name; None where it is no name of a living web.

    >>> resolve("h17.localhost"), resolve("h17.example"), resolve("example.com")
    ('127.0.0.1', '127.0.0.1', None)
    """
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(tuple(f".{suffix}" for suffix in SUFFIXES)):
        return ADDRESS
    return None


def aiohttp_resolver() -> "AbstractResolver":
    """For `aiohttp.TCPConnector(resolver=...)`."""
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Resolver(AbstractResolver):
        async def resolve(
            self,
            host: str,
            port: int = 0,
            family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 (aiohttp passes it)
        ) -> list[ResolveResult]:
            address = resolve(host)
            if address is None:
                raise OSError(f"{host} is no host of the living web; its names end in {', '.join(SUFFIXES)}")
            return [
                ResolveResult(
                    hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=socket.AI_NUMERICHOST
                )
            ]

        async def close(self) -> None:
            pass

    return Resolver()
