"""The lines of a robots.txt file: which kind each is, and its value.

People misspell, forget the colon and save with marks in front; Google's parser reads all that, and so do we.
"""

import re
from collections.abc import Iterator

MOST_BYTES = 500 * 1024
"""What is read of a file: the least RFC 9309 allows, and what Google reads."""
MOST_IN_LINE = 2083 * 8 - 1
"""Bytes that are read of a line: eight of the longest URLs that some browsers take."""

_ENDS = re.compile(rb"\r\n|\r|\n")
_BLANKS = re.compile(rb"[ \t]+")
"""What may stand for a colon; other white space may not."""
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

# A key is of a kind when it begins so: "disallow-all:" is a disallow line.
_KINDS = (
    ("agent", (b"user-agent", b"useragent", b"user agent")),
    ("allow", (b"allow",)),
    ("disallow", (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw")),
    ("sitemap", (b"sitemap", b"site-map")),
    ("delay", (b"crawl-delay", b"crawldelay", b"crawl delay")),
)


def lines(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Kind (agent, allow, disallow, sitemap, delay) and value of each line that has one; others are left out."""
    for line in _ENDS.split(_read(data)):
        key, value = _halves(line[:MOST_IN_LINE])
        for kind, beginnings in _KINDS:
            if key.startswith(beginnings):
                yield kind, value
                break


def _read(data: bytes) -> bytes:
    """The bytes that count, without a byte order mark or the beginning of one."""
    if len(data) > MOST_BYTES:
        # Half a rule is another rule, so the line that is cut goes.
        data = data[:MOST_BYTES]
        data = data[: max(data.rfind(b"\n"), data.rfind(b"\r"), 0)]
    if data.startswith(_UTF_16):
        if b"\0" not in data:  # a mark that lies: UTF-16 has a zero in each line end
            return data[2:]
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    for mark in _BOM:
        if data[:1] != bytes((mark,)):
            break
        data = data[1:]
    return data


def _halves(line: bytes) -> tuple[bytes, bytes]:
    """Key in lower case and value; both empty where the line has no two halves.

    >>> _halves(b" Disallow : /a # why"), _halves(b"disallow /a"), _halves(b"disallow all of it")
    ((b'disallow', b'/a'), (b'disallow', b'/a'), (b'', b''))
    """
    line = line.partition(b"\0")[0].partition(b"#")[0].strip()
    key, colon, value = line.partition(b":")
    if not colon:
        words = _BLANKS.split(line)
        if len(words) != 2:
            return b"", b""
        key, value = words
    return key.strip().lower(), value.strip()
