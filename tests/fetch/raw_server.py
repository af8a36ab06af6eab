"""Servers on loopback that send exactly the bytes they are told, right or wrong."""

import asyncio
from contextlib import asynccontextmanager, suppress

from recrawl.fetch import Fetcher, Limits

AGENT = "testbot/1.0 (+https://example.org/bot)"
QUICK = Limits(total=5.0, idle=2.0, connect=2.0)


class RawServer:
    """Calls `answer(path, writer, k)` for the k-th request on a connection; closes when that gives False."""

    def __init__(self, answer):
        self._answer = answer
        self.heads = []  # of all requests
        self.bodies = []
        self.connections = 0
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        self.connections += 1
        try:
            # Cancelled only when the server is closed; asyncio would log it.
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._converse(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            self._tasks.discard(asyncio.current_task())
            writer.transport.abort()

    async def _converse(self, reader, writer):
        keep, k = True, 0
        while keep is not False:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            length = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
            self.bodies.append(await reader.readexactly(int(length[0])) if length else b"")
            keep = await self._answer(head.split()[1].decode(), writer, k)
            await writer.drain()
            k += 1


def sending(data, close=True):
    """A server that answers everything with these bytes."""

    async def answer(path, writer, k):
        writer.write(data)
        return not close

    return RawServer(answer)


def routes(by_path):
    """A server with bytes for each path; connections are kept."""

    async def answer(path, writer, k):
        writer.write(by_path[path])

    return RawServer(answer)


def ok(body=b"", *headers, status="200 OK"):
    lines = "".join(f"{line}\r\n" for line in headers)
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body


@asynccontextmanager
async def fetching(server, **more):
    async with server, Fetcher(AGENT, **{"limits": QUICK, "allow_private": True, **more}) as fetcher:
        yield fetcher


def fetched(server, path="/", fetcher=None, **more):
    """One fetch from a server of its own."""

    async def main():
        async with fetching(server, **(fetcher or {})) as client:
            return await client.fetch(server.url(path), **more)

    return asyncio.run(asyncio.wait_for(main(), 30))
