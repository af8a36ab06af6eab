"""Redirects: which are followed, where to, and when a chain of them is at fault.  No sockets.

A page that answers 301 or 308 has moved for good, so the fetch ends there and says where to: whoever keeps the list of
pages decides.  302, 303 and 307 are followed, and so is whatever comes after one of them: the page keeps its name.
"""

from typing import Literal

from recrawl.errors import InputError
from recrawl.fetch.faults import FaultError
from recrawl.fetch.fetched import Hop
from recrawl.urls import normalise

Follow = Literal["temporary", "all", "none"]

PERMANENT = frozenset((301, 308))
REDIRECTS = frozenset((301, 302, 303, 307, 308))
_KEEP_METHOD = frozenset((307, 308))


class Chain:
    """The redirects of one fetch."""

    def __init__(self, url: str, follow: Follow, most: int, *, post: bool = False) -> None:
        if follow not in ("temporary", "all", "none"):
            raise InputError(f"follow must be 'temporary', 'all' or 'none', got {follow!r}", argument="follow")
        self.url = url
        self.hops: list[Hop] = []
        self.moved_to: str | None = None
        self._follow, self._most, self._post = follow, most, post
        self._been = {url}

    def after(self, status: int, locations: list[str]) -> str | None:
        """The URL to ask next, None where this answer is the last one; raises a FaultError where it leads nowhere."""
        if status not in REDIRECTS:
            return None
        permanent_first = status in PERMANENT and not self.hops
        if self._follow == "none" and not permanent_first:
            return None
        place = self._place(locations)
        if place in self._been:
            raise FaultError("redirect-loop", place)
        if permanent_first and self._follow != "all":
            self.moved_to = place
            return None
        if self._post and status not in _KEEP_METHOD:
            return None  # a POST is not repeated as a GET: the answer is the redirect itself
        if len(self.hops) >= self._most:
            raise FaultError("too-many-redirects", place)
        self.hops.append(Hop(self.url, status, place))
        self._been.add(place)
        self.url = place
        return place

    def _place(self, locations: list[str]) -> str:
        if len(set(locations)) != 1:
            raise FaultError("bad-redirect", f"{len(locations)} Location headers")
        try:
            return normalise(_text(locations[0]), base=self.url)
        except InputError as error:
            raise FaultError("bad-redirect", str(error)) from error


def _text(location: str) -> str:
    """A place whose bytes were no UTF-8 has them percent-encoded, as browsers do."""
    if location.isascii() or not any("\udc80" <= character <= "\udcff" for character in location):
        return location
    data = location.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in data)
