"""What was told of each page: so that a change is told once, whatever is repeated after a crash.

1. Of each page the last thing told is kept on the shelf: the digest of its version, or that it is gone.
2. Changes are put on the shelf together with that, before they are written to the feed.  A run that finds some there
   when it begins writes those that are missing.
"""

import json
from typing import Any

from recrawl.store import AnyShelf
from recrawl.store.shelf_protocol import Item

KIND = "told"
UNTOLD = "untold"
GONE = "gone "
"""What a page that is gone was told as begins with this; the digest of its last version follows."""


class Told:
    """What was told, and what is to be told next."""

    def __init__(self, shelf: AnyShelf) -> None:
        self._shelf = shelf
        self._items: dict[str, str | None] = {}
        self.changes: list[dict[str, Any]] = []

    def last(self, url: str) -> str | None:
        """What was last told of a page: its digest, or GONE with it; None where nothing was."""
        if url in self._items:
            return self._items[url]
        data = self._shelf.get(KIND, url)
        return None if data is None else data.decode()

    def version(self, url: str, digest: str, change: dict[str, Any]) -> bool:
        """There is a version of a page: told where it is another one; whether it is."""
        last = self.last(url)
        if last == digest:
            return False
        known = last is not None and not last.startswith(GONE)
        kind = "changed" if known else "new"
        self.changes.append({**change, "kind": kind, "digest": digest, "previous": last if known else None})
        self._items[url] = digest
        return True

    def gone(self, url: str, change: dict[str, Any]) -> bool:
        """A page is not there: told where it was; whether it was."""
        last = self.last(url)
        if last is None or last.startswith(GONE):
            return False
        self.changes.append({**change, "kind": "gone", "digest": None, "previous": last})
        self._items[url] = GONE + last
        return True

    def moved(self, url: str, to: str, change: dict[str, Any]) -> None:
        """A page lives somewhere else: what was told of it counts there, too."""
        last = self.last(url)
        if last is None:
            return
        self.changes.append({**change, "kind": "moved", "digest": None, "previous": last, "to": to})
        self._items[url] = None
        if self.last(to) is None:
            self._items[to] = last

    def items(self) -> list[Item]:
        """What is to be kept on the shelf before the feed is written."""
        found: list[Item] = [(KIND, url, None if last is None else last.encode()) for url, last in self._items.items()]
        if self.changes:
            found.append((UNTOLD, UNTOLD, json.dumps(self.changes).encode()))
        self._items.clear()
        return found

    def untold(self) -> list[dict[str, Any]]:
        """Changes of the run before that may not be in the feed."""
        data = self._shelf.get(UNTOLD, UNTOLD)
        found: list[dict[str, Any]] = [] if data is None else json.loads(data)
        return found
