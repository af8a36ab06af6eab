"""What pages are grouped by: a column of the log, the host in their urls, or where their signals come from."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from recrawl.errors import DataError
from recrawl.learn.logs.reader import LogReader

UNLABELLED = "none"


def host(page: str) -> str:
    """The host of a url.

    >>> host("https://example.org/a"), host("a")
    ('example.org', 'none')
    """
    try:
        return urlsplit(page).hostname or UNLABELLED
    except ValueError:  # such as an unclosed bracket of an IPv6 address
        return UNLABELLED


def labels(reader: LogReader, path: str, names: Sequence[str], by: str) -> list[str]:
    """One label a page, in the order of the reader's ids."""
    if by == "source":
        return reader.signals.most_frequent(len(reader.ids))
    if by in names:
        return [reader.labels.get(i) or UNLABELLED for i in range(len(reader.ids))]
    hosts = [host(page) for page in reader.ids]
    if all(name == UNLABELLED for name in hosts):
        raise DataError("has no column host, and its pages are not urls to take it from", path, None, "host")
    return hosts
