"""What was told of each page: so that a change is told once, whatever is repeated after a crash.

1. Of each page the last thing told is kept on the shelf: the digest of its body, or that it is gone.  The digest of
   what was compared of it stands behind that, once it is known (comparing.py).
2. Changes are put on the shelf together with that, as the lines that are written to the feed after it.  A run that
   finds some when it begins writes those that are missing.
"""

import json
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from recrawl.outputs.changes import Change, Feed
from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item

KIND = "told"
UNTOLD = "untold"
GONE = "gone "
"""What is kept of a page that is gone begins with this."""


class Last(NamedTuple):
    """What was last told of a page."""

    digest: str
    """Of the body of its last version."""
    compared: str = ""
    """The digest of what is compared of that; empty as long as nobody needed it."""
    gone: bool = False

    def packed(self) -> bytes:
        """As it is kept on the shelf."""
        compared = f" {self.compared}" if self.compared else ""
        return f"{GONE if self.gone else ''}{self.digest}{compared}".encode()

    @classmethod
    def unpacked(cls, data: bytes) -> "Last":
        """What `packed` gave."""
        text = data.decode()
        digest, _, compared = text.removeprefix(GONE).partition(" ")
        return cls(digest, compared, text.startswith(GONE))


class Told:
    """What was told, and what is to be told next; without a feed nothing is written, but all is remembered."""

    def __init__(self, shelf: AnyShelf, feed: Feed | None) -> None:
        self._shelf, self._feed = shelf, feed
        self._items: dict[str, Last | None] = {}
        self._recalled: dict[str, bytes | None] = {}
        self._changes: list[Change] = []
        self._lines: list[bytes] = []

    def recall(self, urls: list[str]) -> None:
        """Read what was told of some pages at once; good until `items`."""
        self._recalled = dict(zip(urls, self._shelf.get_all(KIND, urls), strict=True)) if urls else {}

    def last(self, url: str) -> Last | None:
        """What was last told of a page; None where nothing was.  O(log pages)."""
        if url in self._items:
            return self._items[url]
        data = self._recalled[url] if url in self._recalled else self._shelf.get(KIND, url)
        return None if data is None else Last.unpacked(data)

    def version(self, change: Change, compared: str = "") -> None:
        """There is another version of a page than was told; new, as far as `change` knows."""
        last = self.last(change.url)
        if last is not None and not last.gone:
            change = replace(change, kind="changed", previous=last.digest)
        self._changes.append(change)
        self._items[change.url] = Last(change.digest, compared)

    def learned(self, url: str, last: Last) -> None:
        """Of the version that was last told, it is now known what is compared."""
        self._items[url] = last

    def gone(self, change: Change) -> None:
        """A page is not there: told where it was."""
        last = self.last(change.url)
        if last is not None and not last.gone:
            self._changes.append(replace(change, kind="gone", previous=last.digest))
            self._items[change.url] = last._replace(gone=True)

    def moved(self, change: Change) -> None:
        """A page lives somewhere else: what was told of it counts there, too."""
        last = self.last(change.url)
        if last is None:
            return
        self._changes.append(replace(change, kind="moved", previous="" if last.gone else last.digest))
        self._items[change.url] = None
        if self.last(change.moved_to) is None:
            self._items[change.moved_to] = last

    def items(self) -> list[Item]:
        """What is to be kept on the shelf before the feed is written."""
        found: list[Item] = [(KIND, url, None if last is None else last.packed()) for url, last in self._items.items()]
        self._items.clear()
        self._recalled.clear()
        if self._feed is not None and self._changes:
            self._lines = self._feed.lines(self._changes)
            found.append((UNTOLD, UNTOLD, b"".join(self._lines)))
        return found

    def tell(self) -> dict[str, int]:
        """Write the changes to the feed, after `items` were kept; how many there were of each kind."""
        changes, self._changes = self._changes, []
        lines, self._lines = self._lines, []
        if self._feed is not None:
            self._feed.write(lines)
        return Counter([change.kind for change in changes])

    def recover(self) -> int:
        """Write what a run before was about to write when it was killed; how many changes."""
        data = self._shelf.get(UNTOLD, UNTOLD)
        if data is None or self._feed is None:
            return 0
        read = _before_lines if data.startswith(b'{"after"') else _missing
        missing = read(data, self._feed.last)
        self._feed.append(missing)
        self._shelf.put([(UNTOLD, UNTOLD, None)])
        return len(missing)


def _missing(data: bytes, last: int) -> list[Change]:
    """Those of the lines that come after that number."""
    return [change for change in map(Change.of_line, data.splitlines()) if change.id > last]


def _before_lines(data: bytes, last: int) -> list[Change]:
    """The same of what was kept before lines were: a list, and the number that it begins after."""
    untold = json.loads(data)
    missing = untold["changes"][max(last - untold["after"], 0) :]
    return [Change(**{**fields, "warc": tuple(fields["warc"]) if fields["warc"] else None}) for fields in missing]
