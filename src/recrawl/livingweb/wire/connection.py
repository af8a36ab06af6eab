"""`Connection`: one connection of a crawler.

An own protocol rather than a web framework: faults need the bare socket, and the score needs to know when the last byte
of an answer has left.  Requests are answered one after the other; a second one waits in the buffer.
"""

import asyncio
from typing import TYPE_CHECKING

from recrawl.clock import seconds_since_boot
from recrawl.livingweb.dates import http_date
from recrawl.livingweb.wire.answer import Answer
from recrawl.livingweb.wire.request import MOST_BODY, MOST_HEAD, Request, parse
from recrawl.livingweb.wire.visit import Visit
from recrawl.livingweb.world import Host

if TYPE_CHECKING:
    from recrawl.livingweb.server import Web


class Connection(asyncio.Protocol):
    """Reads requests, sends what the site answers, and tells the book."""

    def __init__(self, web: "Web", host: Host | None) -> None:
        self._web, self._own = web, host
        self._buffer = b""
        self._visit: Visit | None = None
        self._answer: Answer | None = None
        self._paused = False
        self._reading = False
        self._drained: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None
        self.sent = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio calls this."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=0)  # so that we hear when all is out
        self._web.connections.add(self)

    def data_received(self, data: bytes) -> None:
        """Asyncio calls this."""
        self._buffer = self._buffer + data if self._buffer else data
        if self._visit is None:
            self._read()
        elif len(self._buffer) > MOST_HEAD + MOST_BODY:
            self.transport.abort()

    def _read(self) -> None:
        """Take requests from the buffer as long as they are answered at once."""
        if self._reading:
            return
        self._reading = True
        while self._visit is None and self._buffer and not self.transport.is_closing():
            at = self._buffer.find(b"\r\n\r\n")
            if at < 0:
                if len(self._buffer) > MOST_HEAD:
                    self._refuse(431)
                break
            request = parse(self._buffer[:at])
            if request is None or request.length > MOST_BODY:
                self._refuse(400 if request is None else 413)
                break
            end = at + 4 + request.length
            if len(self._buffer) < end:
                break
            request.body, self._buffer = self._buffer[at + 4 : end], self._buffer[end:]
            self._take(request)
        self._reading = False

    def _refuse(self, status: int) -> None:
        self.transport.write(Answer(status).wire(http_date(self._web.wall()), False, False))
        self.transport.close()

    def _take(self, request: Request) -> None:
        web = self._web
        host = self._own or web.host_of(request.headers.get(b"host", b""))
        if host is None:
            self._refuse(404)
            return
        now = web.now()
        agent = web.book.agent(request.headers.get(b"user-agent", b""))
        gap = agent.manners.begin(host.index, now, seconds_since_boot(), host.plan.crawl_delay, web.held)
        self._visit = Visit(host, agent, request, now, gap)
        self.sent = 0
        answer = web.site.answer(self._visit)
        agent.kinds[answer.kind] += 1
        if answer.fault:
            agent.faults[answer.fault] += 1
        self._answer = answer
        if host.plan.latency:
            self._later = web.loop.call_later(host.plan.latency, self._send)
        else:
            self._send()

    def _send(self) -> None:
        answer, visit = self._answer, self._visit
        assert answer is not None
        assert visit is not None
        request = visit.request
        self._later = None
        if answer.script is not None:
            self._task = self._web.loop.create_task(self._play(answer))
            return
        keep = request.keep and not answer.close
        self.write(answer.wire(http_date(self._web.wall()), request.method == "HEAD", keep))
        if not self._paused:
            self._done(whole=True)

    async def _play(self, answer: Answer) -> None:
        """Run the script of a fault; a script that ends in order has sent all it wants to."""
        assert answer.script is not None
        try:
            await answer.script(self)
        finally:
            self._task = None
        if self._answer is None:
            return
        if self.transport.is_closing():
            self._done(whole=False)
        elif not self._paused:
            self._done(whole=True)

    def write(self, data: bytes) -> None:
        """For scripts: send some bytes."""
        self.sent += len(data)
        self.transport.write(data)

    async def drain(self) -> None:
        """For scripts: wait until what was written is out."""
        while self._paused:
            self._drained = self._web.loop.create_future()
            await self._drained

    @property
    def keeps(self) -> bool:
        """Whether the request lets the connection live on."""
        return self._visit is not None and self._visit.request.keep

    def pause_writing(self) -> None:
        """Asyncio calls this."""
        self._paused = True

    def resume_writing(self) -> None:
        """Asyncio calls this."""
        self._paused = False
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        elif self._task is None and self._answer is not None:
            self._done(whole=True)

    def _done(self, whole: bool) -> None:
        """The answer is out, or will never be; then the next request, if one waits."""
        web, answer, visit = self._web, self._answer, self._visit
        assert answer is not None
        assert visit is not None
        agent, host, request = visit.agent, visit.host, visit.request
        now = web.now()
        agent.statuses[answer.status] += 1
        agent.bytes_sent += self.sent
        agent.manners.end(host.index, now, web.held)
        if whole and answer.version >= 0 and request.method != "HEAD":
            web.book.answered(agent, answer.page, answer.version, visit.now, now)
        if web.book.logs:
            web.book.write(
                begun=visit.now,
                ended=now,
                agent=agent.name,
                host=host.plan.name,
                target=request.target,
                kind=answer.kind,
                status=answer.status,
                fault=answer.fault,
                page=answer.page,
                version=answer.version if whole and request.method != "HEAD" else -1,
                bytes=self.sent,
                whole=whole,
            )
        keep = request.keep and not answer.close and answer.script is None
        self._visit = self._answer = None
        if not whole:
            return
        if not keep:
            self.transport.close()
        elif self._buffer:
            self._read()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio passes it)
        """Asyncio calls this."""
        self._web.connections.discard(self)
        if self._later is not None:
            self._later.cancel()
        if self._task is not None:
            self._task.cancel()
        if self._drained is not None and not self._drained.done():
            self._drained.cancel()
        if self._answer is not None:
            self._done(whole=False)
