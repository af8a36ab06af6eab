"""Sites and hubs that tell the service of changes: IndexNow pings at /indexnow, WebSub deliveries at /websub/NAME.

The only paths that anybody may ask.  They are off unless asked for.  Keys and hubs are fetched as the crawler fetches:
public addresses only, bounded in size and time.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from recrawl import __version__
from recrawl.clock import SystemClock
from recrawl.crawler.contact import contact, reached_at
from recrawl.crawler.counts import Counts
from recrawl.crawler.listening.ear import Ear
from recrawl.crawler.listening.heard import Pinged, Pushed
from recrawl.crawler.listening.keys import Keys
from recrawl.crawler.listening.subscriptions import Subscriptions
from recrawl.errors import InputError, RecrawlError
from recrawl.fetch.client import Fetcher
from recrawl.frontier import Frontier
from recrawl.frontier.given.names import find_urls
from recrawl.server.bodies import BROKEN_OFF, Patience, declared, whole_body
from recrawl.server.owner import Owner
from recrawl.server.problems import FAILED, REJECTED, TYPE, document
from recrawl.signals import feed, websub
from recrawl.store import AnyShelf, MemoryShelf, Shelf
from recrawl.urls import normalise

PATHS = ("/indexnow", "/websub/")
SHELF = "heard"
"""Folder beside the frontier for keys that were right and for subscriptions."""
TOPIC = "websub topic"
"""Kind of facts on the shelf: feeds that somebody wants, and their hubs."""
RENEW_S = 60.0
MOST_A_SECOND = 50
"""Requests of all strangers together that are answered in a second; each PIECE of a body counts as one more."""
PIECE = 65_536
MOST_BYTES = 4 << 20
"""Of a body: 10,000 URLs of 400 bytes, which is what IndexNow allows and then some."""
BODY_S = 10.0
"""Seconds in which a body has to be there."""
MOST_AT_ONCE = 16
"""Bodies that are being read."""
_REFUSALS = {
    400: ("bad request", BROKEN_OFF, REJECTED),
    408: ("too late", f"the body must be there after {BODY_S:g} seconds", FAILED),
    413: ("too large", f"the body must be at most {MOST_BYTES:,} bytes", REJECTED),
    429: ("too many requests", "ask again in a second", FAILED),
}


@dataclass(frozen=True)
class Wanted:
    """What is asked for.  `public_url` is where hubs reach this server; without it there are no subscriptions."""

    indexnow: bool = False
    public_url: str | None = None
    contact: str = ""
    allow_private: bool = False

    @property
    def anything(self) -> bool:
        """Whether strangers are listened to."""
        return self.indexnow or self.public_url is not None

    def check(self) -> None:
        """Refuse what cannot be."""
        if self.anything and not self.contact:
            raise InputError(
                "contact must say whom people may ask, since keys and hubs are fetched, got none; give --contact MAIL",
                argument="contact",
            )
        contact(self.contact)
        if self.public_url is not None:
            reached_at(self.public_url)


@dataclass(frozen=True)
class Topic:
    """A feed, and the hub that tells of its changes."""

    topic: str
    hub: str


class Hearing:
    """All of it, for one frontier; belongs to an event loop."""

    def __init__(self, owner: Owner, wanted: Wanted, shelf: AnyShelf, fetcher: Fetcher) -> None:
        now = SystemClock().wall
        self._owner, self._shelf, self._fetcher = owner, shelf, fetcher
        self.counts = Counts()
        self.subscriptions: Subscriptions | None = None
        if wanted.public_url is not None:
            self.subscriptions = Subscriptions(shelf, fetcher, wanted.public_url, now, self.counts)
        keys = Keys(shelf, fetcher, now) if wanted.indexnow else None
        self.ear = Ear(keys, self.subscriptions, self._ours, self._pass_on, now, self.counts)
        self._tasks: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def of(
        cls, owner: Owner, wanted: Wanted, folder: str | os.PathLike[str] | None
    ) -> "AsyncIterator[Hearing | None]":
        """Open what is needed; None where nothing is asked for."""
        if not wanted.anything:
            yield None
            return
        shelf: AnyShelf = MemoryShelf() if folder is None else Shelf(os.path.join(folder, SHELF))
        agent = f"recrawl/{__version__} (+{wanted.contact})"
        try:
            async with Fetcher(agent, allow_private=wanted.allow_private) as fetcher:
                hearing = cls(owner, wanted, shelf, fetcher)
                renewing = asyncio.create_task(hearing._renew())
                try:
                    yield hearing
                finally:
                    hearing.ear.close()
                    renewing.cancel()
                    with suppress(asyncio.CancelledError):
                        await renewing
        finally:
            await asyncio.to_thread(shelf.close)

    # -- subscriptions -------------------------------------------------------------------------------------------------

    def topics(self) -> list[Topic]:
        """Feeds that are subscribed to."""
        return [Topic(topic, json.loads(data)["hub"]) for topic, data in self._shelf.items(TOPIC)]

    async def subscribe(self, topic: str, hub: str | None) -> Topic:
        """Subscribe to a feed; where no hub is given, the feed itself says which."""
        if self.subscriptions is None:
            raise InputError("topic must wait: start the service with --public-url, so that hubs can reach it", "topic")
        topic = normalise(topic)
        if hub is None:
            got = await self._fetcher.fetch(topic, conditional=False)
            found = (
                websub.discover(got.final_url, got.headers, got.body, got.content_type) if got.status == 200 else None
            )
            if found is None:
                why = got.error or (f"it answered {got.status}" if got.status != 200 else "it names no hub")
                raise InputError(f"topic must be a feed that names its hub, got {topic}: {why}", argument="topic")
            topic, hub = found.topic, found.hubs[0]
        wanted = Topic(topic, normalise(hub))
        item = (TOPIC, wanted.topic, json.dumps({"hub": wanted.hub}).encode())
        await asyncio.to_thread(self._shelf.put, [item])
        self._wake.set()
        return wanted

    async def _renew(self) -> None:
        while self.subscriptions is not None:
            self._wake.clear()
            await self.subscriptions.look_after(await asyncio.to_thread(self.topics))
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW_S):
                    await self._wake.wait()

    # -- what was heard ------------------------------------------------------------------------------------------------

    async def _ours(self, urls: tuple[str, ...]) -> tuple[str, ...]:
        return await self._owner.call(known, self._owner.frontier, urls)

    def _pass_on(self, heard: Pinged | Pushed) -> None:
        task = asyncio.create_task(self._signal(heard))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _signal(self, heard: Pinged | Pushed) -> None:
        if isinstance(heard, Pinged):
            urls, source = list(heard.urls), heard.source
        else:
            found = await asyncio.to_thread(lambda: [entry.url for entry in feed.parse(heard.body, heard.topic)])
            urls, source = list(dict.fromkeys([heard.topic, *(url for url in found if url)])), "websub"
        try:
            if mine := await self._ours(tuple(urls)):
                await self._owner.signal(list(mine), source, None, True, None)
        except RecrawlError:  # the service is stopping, or the disk is full; nobody was promised anything
            self.counts.add(source, "lost")


def known(frontier: Frontier, urls: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some URLs that are pages of the frontier."""
    if not urls:
        return ()
    ids = frontier.look(lambda state, _: find_urls(state.urls, urls, skip_bad=True).ids)
    return tuple(url for url, i in zip(urls, ids.tolist(), strict=True) if i >= 0)


class Strangers:
    """Stands in front of an application: answers strangers, and passes all else on."""

    def __init__(self, app: Any, hearing: Callable[[], Hearing | None], patience: Patience) -> None:
        self._app, self._hearing, self._patience = app, hearing, patience
        self._second, self._many, self._reading = 0, 0, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, or pass on."""
        hearing = self._hearing() if scope["type"] == "http" and _is_open(scope["path"]) else None
        if hearing is None:
            await self._app(scope, receive, send)
            return
        if self._too_many():
            await _refuse(send, 429)
            return
        if self._reading >= MOST_AT_ONCE or declared(scope) > MOST_BYTES:
            await _refuse(send, 429 if self._reading >= MOST_AT_ONCE else 413)
            return
        self._reading += 1
        try:
            async with self._patience.wait(BODY_S):
                body = await whole_body(receive, MOST_BYTES)
        except TimeoutError:
            await _refuse(send, 408)
            return
        finally:
            self._reading -= 1
        if body is None or len(body) > MOST_BYTES:
            await _refuse(send, 400 if body is None else 413)
            return
        self._many += len(body) // PIECE  # large ones take as long as many
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        query = scope["query_string"].decode("latin-1")
        reply = await hearing.ear.answer(scope["method"], scope["path"], query, headers, body)
        named = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
        await _answer(send, reply.status, reply.body, named)

    def _too_many(self) -> bool:
        second = int(SystemClock().monotonic())
        if second != self._second:
            self._second, self._many = second, 0
        self._many += 1
        return self._many > MOST_A_SECOND


def _is_open(path: str) -> bool:
    return path.lower().startswith(PATHS)


async def _refuse(send: Any, status: int) -> None:
    headers = [(b"content-type", TYPE.encode())] + ([(b"retry-after", b"1")] if status == 429 else [])
    await _answer(send, status, document(status, *_REFUSALS[status]), headers)


async def _answer(send: Any, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
