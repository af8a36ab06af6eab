"""`Desk`: results between the fetches and who hands them over, and the bell for those who wait."""

import asyncio
import contextlib
from typing import TYPE_CHECKING

from recrawl.crawler.counts import Recent

if TYPE_CHECKING:
    from recrawl.crawler.handover import Item
    from recrawl.crawler.worker import Clock

LEAST_PAUSE_S = 0.002
"""The machine's seconds of the shortest pause."""
MOST_BYTES = 64 << 20
"""Bytes of pages that may wait to be handed over; beyond that no more are leased."""
GROUP = 512
"""Results that are handed over together, at most."""
ENOUGH, PATIENCE_S = 192, 0.02
"""Where many results come, the next group begins with so many, or after so many of the machine's seconds: what is done
once for each group, such as waiting for the disk, takes as long for few as for many."""
MANY = 32
"""Many are so many results in the last group.  Who crawls a single host never has them, and waits for nothing."""


class Desk:
    """What was fetched and is not handed over yet.  All but `stopping` is for the event loop's thread."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._items: list[Item] = []
        self._came = asyncio.Event()
        self._awaited = 1
        self.many = False
        """Whether many results came of late."""
        self._bell = asyncio.Event()
        self.in_hand = 0
        self._bytes = 0
        self.stopping = False
        """Whether the crawler was told to stop; who waits looks at this when the bell rings."""
        # Per second of the machine's, for the view; a world that runs fast shows what is really done.
        self.requests, self.bytes = Recent(10.0), Recent(10.0)

    def put(self, item: "Item") -> None:
        """Something to be handed over."""
        self.in_hand += 1
        self._bytes += item.size
        self._items.append(item)
        if len(self._items) >= self._awaited:
            self._came.set()

    async def take(self) -> "list[Item]":
        """The next results: as soon as there are any, and a little later where many come."""
        await self._wait_for(1)
        if self.many and not self.stopping:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await self._wait_for(ENOUGH)
        group, self._items = self._items[:GROUP], self._items[GROUP:]
        self.many = len(group) >= MANY
        self._note(group)
        return group

    async def _wait_for(self, number: int) -> None:
        if len(self._items) < number:
            self._awaited = number
            self._came.clear()
            await self._came.wait()

    def _note(self, group: "list[Item]") -> None:
        fetched = [item.fetched for item in group if item.fetched is not None]
        now = self._clock.real(self._clock.monotonic())
        self.requests.add(now, sum([1 + len(each.hops) for each in fetched]))
        self.bytes.add(now, sum([each.on_wire for each in fetched]))

    def handed_over(self, group: "list[Item]") -> None:
        """What `take` gave is where it belongs."""
        self.in_hand -= len(group)
        self._bytes -= sum(item.size for item in group)
        self.ring()

    def is_full(self, most: int) -> bool:
        """Whether more than `most` results, or too many bytes, wait to be handed over."""
        return self._bytes > MOST_BYTES or self.in_hand > most

    def ring(self) -> None:
        """Wake who pauses."""
        self._bell.set()

    async def pause(self, seconds: float) -> None:
        """Wait for so many of the machine's seconds, or until the bell rings."""
        self._bell.clear()
        if self.stopping:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, LEAST_PAUSE_S)):
                await self._bell.wait()
