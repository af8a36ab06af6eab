"""What IndexNow pings and WebSub deliveries are answered, and what is heard in them; no sockets.

What requests mean is read by `recrawl.signals.indexnow` and `websub`.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from recrawl.crawler.counts import Counts
from recrawl.crawler.listening.heard import Pinged, Pushed
from recrawl.crawler.listening.keys import Keys
from recrawl.crawler.listening.subscriptions import Subscriptions
from recrawl.signals import indexnow, websub

A_MINUTE = 60.0
MOST_A_MINUTE = 60
"""Pings of one host that are taken in a minute, with a key that is right; and as many with keys yet to be looked at."""
LARGE = 1 << 16
"""Bytes of a body from which it is read aside, so that others are answered meanwhile."""
MOST_BYTES = indexnow.MOST_BYTES
"""Of a request's body."""
CALLBACKS = "/websub/"

Headers = Sequence[tuple[str, str]]
Ours = Callable[[tuple[str, ...]], Awaitable[tuple[str, ...]]]


@dataclass(frozen=True)
class Reply:
    """An answer over HTTP."""

    status: int
    body: bytes = b""
    headers: Headers = ()


class Tally:
    """How many of each host there were in this minute."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now, self._minute = now, 0
        self._counts: Counter[str] = Counter()

    def too_many(self, host: str) -> bool:
        """One more; whether that is more than is taken."""
        minute = int(self._now() // A_MINUTE)
        if minute != self._minute:
            self._minute, self._counts = minute, Counter()
        self._counts[host] += 1
        return self._counts[host] > MOST_A_MINUTE


class Ear:
    """`ours(urls)` gives those that are kept fresh here, `pass_on` takes what was heard.

    Without `keys` pings are not taken, without `subscriptions` deliveries are not.
    """

    def __init__(
        self,
        keys: Keys | None,
        subscriptions: Subscriptions | None,
        ours: Ours,
        pass_on: Callable[[Pinged | Pushed], None],
        now: Callable[[], float],
        counts: Counts,
    ) -> None:
        self._keys, self._subscriptions, self._ours = keys, subscriptions, ours
        self._pass_on, self._now, self._counts = pass_on, now, counts
        self._pings, self._unproved = Tally(now), Tally(now)
        self._checks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Look at no more keys."""
        for task in tuple(self._checks):
            task.cancel()

    async def answer(self, method: str, path: str, query: str, headers: Headers, body: bytes) -> Reply:
        """The answer to a request of anybody."""
        if path.startswith(CALLBACKS) and self._subscriptions is not None:
            return await self._websub(method, path.removeprefix(CALLBACKS), query, headers, body)
        if self._keys is None:
            return Reply(404)
        if len(body) < LARGE:
            found = indexnow.answer(method, path, query, headers, body)
        else:
            found = await asyncio.to_thread(indexnow.answer, method, path, query, headers, body)
        if isinstance(found, indexnow.Ask):
            found = await self._ping(self._keys, found)
        self._counts.add("indexnow", f"answered {found.status}")
        kind = ("Content-Type", "text/plain; charset=utf-8")
        return Reply(found.status, found.text.encode(), (kind, *dict(found.headers).items()))

    async def _ping(self, keys: Keys, ask: indexnow.Ask) -> indexnow.Answer:
        urls = await self._ours(tuple(ask.urls))
        if not urls:
            return indexnow.Answer(422, f"{ask.host} is not crawled here")
        if keys.good(ask):  # only these count for the host: strangers, who have no key, cannot use up what it may send
            if self._pings.too_many(ask.host):
                return indexnow.too_many(A_MINUTE)
            self._pass_on(Pinged(urls))
            return indexnow.received()
        if keys.bad(ask):
            return indexnow.judged(ask, None, b"")
        if keys.busy(ask) or self._unproved.too_many(ask.host):
            return indexnow.too_many(A_MINUTE)
        task = asyncio.create_task(self._check(keys, ask, urls))
        self._checks.add(task)
        task.add_done_callback(self._checks.discard)
        return indexnow.pending()

    async def _check(self, keys: Keys, ask: indexnow.Ask, urls: tuple[str, ...]) -> None:
        good = await keys.check(ask)
        self._counts.add("indexnow", "keys right" if good else "keys wrong")
        if good:
            self._pass_on(Pinged(urls))

    async def _websub(self, method: str, name: str, query: str, headers: Headers, body: bytes) -> Reply:
        assert self._subscriptions is not None
        subscription = self._subscriptions.get(name)
        if subscription is None:
            return Reply(404)
        if method == "GET":
            answer = websub.verification(query, {subscription.topic: "subscribe"})
            await self._subscriptions.confirmed(subscription, answer)
            return Reply(answer.status, answer.body, (("Content-Type", answer.content_type),))
        if method != "POST":
            return Reply(405, headers=(("Allow", "GET, POST"),))
        delivered = websub.delivery(body, headers, subscription.secret, active=subscription.until > self._now())
        self._counts.add("websub", "deliveries" if delivered.genuine else "deliveries not believed")
        if delivered.genuine:
            self._pass_on(Pushed(subscription.topic, body))
        return Reply(delivered.status)
