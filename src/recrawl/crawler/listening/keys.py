"""Keys of IndexNow: who may speak for a host, found out by fetching the file that the host keeps the key in.

A key that was right is kept on the shelf for a month.  One that was wrong is not looked at again for ten minutes.  For
each host one key is looked at at a time, so that strangers cannot have us ask a host for many files.
"""

import asyncio
import json
from collections.abc import Callable

from recrawl.fetch.client import Fetcher
from recrawl.fetch.limits import Limits
from recrawl.signals import indexnow
from recrawl.store import AnyShelf

KIND = "indexnow"
GOOD_FOR = 30 * 86_400.0
BAD_FOR = 600.0
MOST_BAD = 10_000
MOST_CHECKS = 100
"""Files that are looked at at a time, all told."""


class Keys:
    """Which keys are right."""

    def __init__(self, shelf: AnyShelf, fetcher: Fetcher, now: Callable[[], float]) -> None:
        self._shelf, self._fetcher, self._now = shelf, fetcher, now
        self._bad: dict[str, float] = {}
        self._checking: set[str] = set()
        limits = fetcher.limits
        self._limits = Limits(
            total=limits.total,
            idle=limits.idle,
            connect=limits.connect,
            body_bytes=indexnow.MOST_KEY_BYTES,
            raw_bytes=indexnow.MOST_KEY_BYTES,
            header_bytes=limits.header_bytes,
            redirects=limits.redirects,
        )

    def good(self, ask: indexnow.Ask) -> bool:
        """Whether the key is known to be right."""
        data = self._shelf.get(KIND, _name(ask))
        return data is not None and self._now() < float(json.loads(data)["at"]) + GOOD_FOR

    def bad(self, ask: indexnow.Ask) -> bool:
        """Whether the key was wrong a moment ago."""
        return self._now() < self._bad.get(_name(ask), 0.0)

    def busy(self, ask: indexnow.Ask) -> bool:
        """Whether a key of the host is being looked at, or too many of all hosts."""
        return ask.host in self._checking or len(self._checking) >= MOST_CHECKS

    async def check(self, ask: indexnow.Ask) -> bool:
        """Look at the files in which the key may be; whether one has it."""
        self._checking.add(ask.host)
        try:
            for url in ask.key_urls:
                fetched = await self._fetcher.fetch(url, conditional=False, follow="none", limits=self._limits)
                if indexnow.judged(ask, fetched.status, fetched.body).status == 200:
                    item = (KIND, _name(ask), json.dumps({"at": self._now(), "file": url}).encode())
                    await asyncio.to_thread(self._shelf.put, [item])
                    return True
        finally:
            self._checking.discard(ask.host)
        self._bad[_name(ask)] = self._now() + BAD_FOR
        while len(self._bad) > MOST_BAD:
            del self._bad[next(iter(self._bad))]
        return False


def _name(ask: indexnow.Ask) -> str:
    """A key is for the folder of its file."""
    return f"{ask.host} {ask.key} {ask.key_urls[0]}"
