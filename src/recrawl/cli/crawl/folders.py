"""Where things are in the folder of a crawl."""

import os

from recrawl.errors import InputError

FEED, SHELF, STATUS = "changes.ndjson", "shelf", "status.json"


def check_folder(path: str, argument: str = "DIR") -> None:
    """Refuse what is no folder."""
    if not os.path.isdir(path):
        raise InputError(f"{argument} must be the folder of a crawl (recrawl run --data), got {path!r}", "folder")


def check_crawl(path: str, argument: str = "DIR") -> None:
    """Refuse what is no folder, and a folder in which no crawl has kept anything."""
    check_folder(path, argument)
    if not any(os.path.exists(os.path.join(path, name)) for name in (FEED, SHELF, STATUS)):
        raise InputError(f"{path}: holds no crawl; start one with recrawl run --data", "folder")


def feed_of(folder: str) -> str:
    """The feed of changes."""
    return os.path.join(folder, FEED)


def shelf_of(folder: str) -> str:
    """The shelf."""
    return os.path.join(folder, SHELF)


def shown(text: str) -> str:
    r"""Text of a page as it may go to a terminal: nothing in it moves the cursor or rings a bell.

    >>> shown("a\x1b[2Jb\tc")
    'a\\x1b[2Jb\tc'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text)


def when(seconds: float) -> str:
    """A time for people.

    >>> when(1700000000.0)
    '2023-11-14 22:13:20'
    """
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
