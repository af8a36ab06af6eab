"""The control port: who runs the living web asks here, never a crawler.

GET /-/score?agent=NAME, /-/agents, /-/sent (pings and deliveries), /-/hosts,
/-/urls (text, one a line), /-/clock, /-/begin, /-/flush, /-/stop.
"""

import asyncio
import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from recrawl.livingweb.wire.request import MOST_HEAD, Request, parse

if TYPE_CHECKING:
    from recrawl.livingweb.server import Web


class Control(asyncio.Protocol):
    """One connection to the control port; each has one request."""

    def __init__(self, web: "Web") -> None:
        self._web = web
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio calls this."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Asyncio calls this."""
        self._buffer += data
        at = self._buffer.find(b"\r\n\r\n")
        if at >= 0:
            request = parse(self._buffer[:at])
            status, body = ("400 Bad Request", "") if request is None else answer(self._web, request)
            kind = "text/plain" if not body.startswith(("{", "[")) else "application/json"
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body.encode())}\r\n"
            self._transport.write((head + "Connection: close\r\n\r\n" + body).encode())
        if at >= 0 or len(self._buffer) > MOST_HEAD:
            self._transport.close()


def answer(web: "Web", request: Request) -> tuple[str, str]:
    """Status and body."""
    path = request.path
    if path == "/-/score":
        agent = parse_qs(request.query).get("agent", [""])[0]
        if not agent:
            return "400 Bad Request", "agent is missing: /-/score?agent=NAME\n"
        return "200 OK", json.dumps(web.book.score(agent, web.now()).as_json())
    if path == "/-/agents":
        return "200 OK", json.dumps(sorted(web.book.agents))
    if path == "/-/hosts":
        return "200 OK", json.dumps({host.plan.name: web.base(host) for host in web.world.hosts})
    if path == "/-/urls":
        return "200 OK", "".join(f"{web.base(host)}{path}\n" for host, path in web.world.pages())
    if path == "/-/sent":
        return "200 OK", json.dumps(web.pings.counts + web.hub.counts)
    if path == "/-/begin":
        web.begin()
        return "200 OK", json.dumps(web.clock_parameters())
    if path == "/-/clock":
        return "200 OK", json.dumps(web.clock_parameters())
    if path == "/-/flush":
        web.book.flush()
        return "200 OK", ""
    if path == "/-/stop":
        web.stop()
        return "200 OK", ""
    return "404 Not Found", (__doc__ or "")
