"""Long answers: read from the frontier and written as JSON in slices, so that others are answered in between."""

from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import msgspec

from recrawl.frontier import HostView
from recrawl.server import answers
from recrawl.server.owner import Owner

AT_ONCE = 200
"""Pages or hosts of a slice: a millisecond or two of the frontier's thread, and half of one of the event loop."""

V = TypeVar("V")
Read = Callable[[int, int], tuple[list[V], int]]
"""Up to so many beyond a number, and the number of the last."""


async def pages(owner: Owner, after: int, limit: int) -> bytes:
    """Up to so many pages beyond a number, as `answers.Pages`."""
    return await _whole("pages", owner, owner.frontier.pages, answers.Page.of, after, limit)


async def hosts(owner: Owner, after: int, limit: int) -> bytes:
    """The same of hosts, as `answers.Hosts`."""

    def read(after: int, limit: int) -> tuple[list[HostView], int]:
        views = owner.frontier.hosts(after, limit)
        return views, after + len(views)

    return await _whole("hosts", owner, read, answers.Host.of, after, limit)


async def lines(owner: Owner, after: int) -> AsyncIterator[bytes]:
    """All pages beyond a number, one a line."""
    encoder = msgspec.json.Encoder()
    async for views, _ in _slices(owner, owner.frontier.pages, after):
        yield encoder.encode_lines(list(map(answers.Page.of, views)))


async def _whole(name: str, owner: Owner, read: Read[V], said: Callable[[V], Any], after: int, limit: int) -> bytes:
    """An object with a list of that name, and where to go on."""
    found: list[bytes] = []
    last, encode = after, msgspec.json.Encoder().encode
    async for views, end in _slices(owner, read, after, limit):
        found.append(encode(list(map(said, views)))[1:-1])
        last = end
    return b'{"%b":[%b],"after":%d}' % (name.encode(), b",".join(found), last)


async def _slices(
    owner: Owner, read: Read[V], after: int, limit: int | None = None
) -> AsyncIterator[tuple[list[V], int]]:
    """What there is beyond a number, some at a time, each with the number of its last."""
    left = limit
    while left is None or left > 0:
        most = AT_ONCE if left is None else min(AT_ONCE, left)
        views, after = await owner.call(read, after, most)
        if views:
            yield views, after
        if len(views) < most:
            return
        left = None if left is None else left - most
