"""What robots.txt files say: asked for when a page of a site is to be fetched, and kept for a day.

1. A robots.txt is for an origin: scheme, host and port.  It is asked for before the first page, and by one at a time.
2. 2xx: what it says.  3xx and 4xx: there is none, all is allowed.  5xx, 429 and no answer: nothing is allowed, but a
   copy from before serves for a day (`recrawl.signals.robots.policy`).
3. A site that could not say is asked again after a minute, then two, and so on up to an hour; or when it said so.
4. What was found is kept on the shelf by who hands results over (`put`); this only reads from it.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from recrawl.fetch.fetched import Fetched
from recrawl.signals import robots as rules
from recrawl.store.shelf_protocol import Item
from recrawl.urls import origin_of

KIND = "robots"
MOST_ORIGINS = 20_000
"""Origins whose rules are held in memory; those of others are on the shelf."""
MOST_AHEAD = 3600.0
"""Seconds by which a clock may be set back, and what was asked for before that still holds."""
FIRST_WAIT, MOST_WAIT = 60.0, 3600.0


@dataclass(frozen=True)
class Known:
    """What is known of an origin's robots.txt.  Times are in seconds since 1970."""

    robots: rules.Robots
    """The rules that hold."""
    asked: float
    status: int | None
    again: float
    """When it is to be asked for again."""
    failures: int = 0
    """In a row: asked for, and the site could not say."""
    kept: bytes = b""
    kept_at: float | None = None
    """The last copy, and when it was made."""

    @property
    def reachable(self) -> bool:
        """Whether the site could say."""
        return not self.failures

    def holds(self, now: float) -> bool:
        """Whether it need not be asked for again; what was asked for in the future is from a clock that was wrong."""
        return self.asked - MOST_AHEAD <= now < self.again

    def packed(self) -> bytes:
        """As it is kept on the shelf."""
        head = {
            "asked": self.asked,
            "status": self.status,
            "again": self.again,
            "failures": self.failures,
            "kept_at": self.kept_at,
        }
        return json.dumps(head).encode() + b"\n" + self.kept

    @classmethod
    def unpacked(cls, data: bytes) -> "Known":
        """What `packed` gave."""
        head, _, kept = data.partition(b"\n")
        fields = json.loads(head)
        copy = None if fields["kept_at"] is None else rules.parse(kept)
        age = 0.0 if copy is None else fields["asked"] - fields["kept_at"]
        status = fields["status"]
        found = copy if copy is not None and status is not None and 200 <= status < 300 else None
        return cls(robots=found or rules.policy(status, b"", copy, age), kept=kept, **fields)


class RobotsCache:
    """Rules by origin.  `recall` reads the shelf, `fetch` fetches a robots.txt, `told` is told of each one fetched."""

    def __init__(
        self,
        recall: Callable[[str, str], bytes | None],
        fetch: Callable[[str], Awaitable[Fetched]],
        now: Callable[[], float],
        fresh: float,
        told: Callable[[str, Known, Fetched], None] = lambda *_: None,
    ) -> None:
        self._kept, self._fetch, self._now, self._fresh, self._told = recall, fetch, now, fresh, told
        self._known: OrderedDict[str, Known] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Known]] = {}

    def peek(self, url: str) -> Known | None:
        """What is known, without asking."""
        return self._recall(origin_of(url))

    def at_hand(self, url: str, now: float) -> Known | None:
        """What holds for a URL, where it need not be asked for."""
        known = self._recall(origin_of(url))
        return known if known is not None and known.holds(now) else None

    async def of(self, url: str) -> Known:
        """What holds for a URL; asked for where it is not known, or not any more."""
        origin = origin_of(url)
        known = self._recall(origin)
        if known is not None and known.holds(self._now()):
            return known
        return await asyncio.shield(self._task(origin, known))

    def begin(self, url: str) -> None:
        """Ask for the rules of a URL where they are not known, and wait for nothing."""
        origin = origin_of(url)
        if self._recall(origin) is None:
            self._task(origin, None)

    def _task(self, origin: str, known: Known | None) -> "asyncio.Task[Known]":
        """Who asks for the rules of an origin: one at a time."""
        asking = self._asking.get(origin)
        if asking is None:
            asking = self._asking[origin] = asyncio.create_task(self._ask(origin, known))
            asking.add_done_callback(lambda _: self._asking.pop(origin, None))
        return asking

    def _recall(self, origin: str) -> Known | None:
        known = self._known.get(origin)
        if known is None:
            data = self._kept(KIND, origin)
            known = None if data is None else Known.unpacked(data)
            if known is not None:
                self._remember(origin, known)
        else:
            self._known.move_to_end(origin)
        return known

    def _remember(self, origin: str, known: Known) -> None:
        self._known[origin] = known
        self._known.move_to_end(origin)
        while len(self._known) > MOST_ORIGINS:
            self._known.popitem(last=False)

    async def _ask(self, origin: str, before: Known | None) -> Known:
        fetched = await self._fetch(f"{origin}/robots.txt")
        now = self._now()
        known = self._judged(fetched, before, now)
        self._remember(origin, known)
        self._told(origin, known, fetched)
        return known

    def _judged(self, fetched: Fetched, before: Known | None, now: float) -> Known:
        status = fetched.status
        if fetched.error in ("too-many-redirects", "redirect-loop", "bad-redirect", "robots"):
            status = 404  # there is none to be had
        if fetched.error == "too-large" and fetched.body:
            status = 200  # what comes after the first half a megabyte does not count
        said = status is not None and status < 500 and status != 429
        kept, kept_at = (before.kept, before.kept_at) if before is not None else (b"", None)
        if said and status is not None:
            if 200 <= status < 300:
                kept, kept_at = fetched.body[: rules.MOST_BYTES], now
            return Known(rules.policy(status, kept), now, status, now + self._fresh, 0, kept, kept_at)
        failures = 1 if before is None else min(before.failures + 1, 30)
        wait = max(min(FIRST_WAIT * 2.0 ** (failures - 1), MOST_WAIT), fetched.retry_after or 0.0)
        copy = None if kept_at is None else rules.parse(kept)
        robots = rules.policy(None, b"", copy, 0.0 if kept_at is None else max(now - kept_at - self._fresh, 0.0))
        return Known(robots, now, status, now + wait, failures, kept, kept_at)


def put(origin: str, known: Known) -> Item:
    """What is kept on the shelf of an origin."""
    return KIND, origin, known.packed()
