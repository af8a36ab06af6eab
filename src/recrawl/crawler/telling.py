"""`Telling`: being told of changes by sites and hubs, and telling others of changes found."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recrawl.crawler.counts import Counts
    from recrawl.crawler.desk import Desk
    from recrawl.crawler.kept import Kept
    from recrawl.crawler.listening.subscriptions import Subscriptions
    from recrawl.crawler.scope import Scope
    from recrawl.crawler.settings import Settings
    from recrawl.crawler.sources.sources import Sources
    from recrawl.crawler.worker import Clock
    from recrawl.fetch.client import Fetcher
    from recrawl.outputs.hooks import Deliverer


class Telling:
    """What is on where the settings ask for it: a server for pings and deliveries, subscriptions, hooks."""

    def __init__(
        self,
        settings: "Settings",
        kept: "Kept",
        fetcher: "Fetcher",
        clock: "Clock",
        desk: "Desk",
        counts: "Counts",
        rng: Random,
    ) -> None:
        self._settings, self._kept, self._fetcher, self._clock = settings, kept, fetcher, clock
        self._desk, self._counts, self._rng = desk, counts, rng
        self._subscriptions: Subscriptions | None = None
        self._hooks: Deliverer | None = None

    def changes_were_found(self) -> None:
        """There may be something to tell."""
        if self._hooks is not None:
            self._hooks.wake()

    @contextlib.asynccontextmanager
    async def listening(self, scope: "Scope", at: Callable[[str], None]) -> AsyncIterator[None]:
        """Listen for pings and deliveries; `at` is told where."""
        settings, shelf, now = self._settings, self._kept.shelf, self._clock.wall
        if settings.listen is None:
            yield
            return
        from recrawl.crawler.listening.ear import Ear
        from recrawl.crawler.listening.keys import Keys
        from recrawl.crawler.listening.server import Listener
        from recrawl.crawler.listening.subscriptions import Subscriptions

        if settings.public_url is not None:
            self._subscriptions = Subscriptions(shelf, self._fetcher, settings.public_url, now, self._counts)

        async def ours(urls: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(url for url in urls if scope.covers(url) or url in self._kept.frontier)

        keys = Keys(shelf, self._fetcher, now)
        ear = Ear(keys, self._subscriptions, ours, self._desk.put, now, self._counts)
        async with Listener(settings.listen, ear) as listener:
            at(listener.address)
            yield

    async def subscribe(self, sources: "Sources") -> None:
        """See to subscriptions, now and then."""
        while self._subscriptions is not None:
            await self._subscriptions.look_after(list(sources.registry))
            await asyncio.sleep(min(max(self._clock.real(60.0), 0.1), 5.0))

    async def hook(self) -> None:
        """Tell a command or an address of each change."""
        settings, feed = self._settings, self._kept.feed
        if settings.on_change is None or feed is None:
            return
        from recrawl.outputs.hooks import Deliverer, kept_secret, target_of

        secret = settings.on_change_secret or kept_secret(self._kept.shelf)
        target = target_of(settings.on_change, secret, allowed=settings.hook_allowed())
        self._hooks = Deliverer(
            feed.path, self._kept.shelf, "on_change", target, random=self._rng, failed=self._hook_failed
        )
        await self._hooks.run()

    def _hook_failed(self, _number: int, _tries: int, why: str) -> None:
        self._counts.add("hooks", f"failed: {why}"[:200])
