"""Subscriptions to feeds at their hubs: made where a feed names a hub, renewed before they end, kept on the shelf."""

import asyncio
import json
import secrets
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from recrawl.crawler.counts import Counts
from recrawl.fetch.client import Fetcher
from recrawl.signals import websub
from recrawl.store import AnyShelf

KIND = "websub"
PATIENCE = 600.0
"""Seconds that a hub has to ask back, before it is asked again."""
MOST_WAIT = 86_400.0


class HasHub(Protocol):
    """A feed that may have named a hub, and itself; empty where it has not."""

    @property
    def topic(self) -> str:
        """Its own URL."""

    @property
    def hub(self) -> str:
        """Who tells of its changes."""


@dataclass(frozen=True)
class Subscription:
    """One feed at one hub; `name` is the last part of the callback, which nobody can guess."""

    name: str
    topic: str
    hub: str
    secret: str
    asked: float = 0.0
    until: float = 0.0
    """When the lease ends; 0 before the hub has confirmed."""
    again: float = 0.0
    """When to ask the hub again."""
    tries: int = 0
    """In a row, without an answer."""


class Subscriptions:
    """All subscriptions, by the names in their callbacks."""

    def __init__(
        self, shelf: AnyShelf, fetcher: Fetcher, public_url: str, now: Callable[[], float], counts: Counts
    ) -> None:
        self._shelf, self._fetcher, self._now, self._counts = shelf, fetcher, now, counts
        self._base = public_url.rstrip("/")
        self._all = {name: Subscription(name=name, **json.loads(data)) for name, data in shelf.items(KIND)}

    def get(self, name: str) -> Subscription | None:
        """The subscription with a callback of that name."""
        return self._all.get(name)

    def active(self) -> int:
        """How many hubs have confirmed."""
        return sum(subscription.until > self._now() for subscription in self._all.values())

    async def look_after(self, sources: Iterable[HasHub]) -> None:
        """Subscribe to feeds that name a hub, and renew what ends soon."""
        wanted = {(source.topic, source.hub) for source in sources if source.hub and source.topic}
        known = {(each.topic, each.hub): each for each in self._all.values()}
        for topic, hub in sorted(wanted):
            subscription = known.get((topic, hub)) or self._new(topic, hub)
            if subscription.again <= self._now():
                await self._ask(subscription)

    async def confirmed(self, subscription: Subscription, answer: websub.Verified) -> None:
        """The hub asked back."""
        if answer.outcome == "subscribed" and answer.lease is not None:
            now = self._now()
            again = now + websub.renewal(answer.lease)
            await self._keep(replace(subscription, until=now + answer.lease, again=again, tries=0))
            self._counts.add("websub", "subscribed")
        elif answer.outcome == "denied":
            await self._keep(replace(subscription, until=0.0, again=self._now() + MOST_WAIT))
            self._counts.add("websub", "denied")

    def _new(self, topic: str, hub: str) -> Subscription:
        secret = secrets.token_hex(32) if hub.startswith("https:") else ""
        return Subscription(secrets.token_urlsafe(24), topic, hub, secret)

    async def _ask(self, subscription: Subscription) -> None:
        tries = subscription.tries + 1
        wait = min(PATIENCE * 2.0 ** (tries - 1), MOST_WAIT)
        asked = replace(subscription, asked=self._now(), again=self._now() + wait, tries=tries)
        await self._keep(asked)  # before the hub asks back, which may be at once
        form = websub.subscription(asked.topic, f"{self._base}/websub/{asked.name}", secret=asked.secret)
        fetched = await self._fetcher.fetch(
            asked.hub, post=form.body, headers=[("Content-Type", form.content_type)], conditional=False, follow="all"
        )
        self._counts.add("websub", "asked" if websub.accepted(fetched.status) else "refused or unreachable")

    async def _keep(self, subscription: Subscription) -> None:
        self._all[subscription.name] = subscription
        fields = asdict(subscription)
        del fields["name"]
        await asyncio.to_thread(self._shelf.put, [(KIND, subscription.name, json.dumps(fields).encode())])
