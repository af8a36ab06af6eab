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
GROUP = 256
"""Results that are handed over together, at most."""


class Desk:
    """What was fetched and is not handed over yet.  All but `stopping` is for the event loop's thread."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._queue: asyncio.Queue[Item] = asyncio.Queue()
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
        fetched = item.fetched
        if fetched is not None:
            now = self._clock.real(self._clock.monotonic())
            self.requests.add(now, 1 + len(fetched.hops))
            self.bytes.add(now, fetched.on_wire)
        self._queue.put_nowait(item)

    async def take(self) -> "list[Item]":
        """The next results, as soon as there are any."""
        group = [await self._queue.get()]
        while len(group) < GROUP and not self._queue.empty():
            group.append(self._queue.get_nowait())
        return group

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
