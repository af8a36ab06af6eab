"""Heads of HTTP messages as a record holds them: as received, but true of the bytes that follow.

The payload in a record is without transfer coding (chunks), and may have been cut short.  So that every reader finds
the same payload, ``Transfer-Encoding`` is renamed, and ``Content-Length`` is that of the payload.  What was received
stands beside it as ``X-Orig-...``.

The content coding stays, and so does its header, where it is gzip or deflate, which every reader knows.  With others,
such as br, readers stumble (warcio 1.8 with brotli 1.2 does); there the decoded bytes are stored, and the header is
renamed.
"""

import re

_LINE_END = re.compile(rb"\r?\n")
_ORIGINAL = b"X-Orig-"
_KNOWN_TO_ALL = (b"gzip", b"x-gzip", b"deflate", b"identity", b"")


def as_stored(head: bytes, payload_bytes: int, is_decoded: bool = False) -> bytes:
    r"""The head of a response whose payload has that many bytes, with the empty line after it.

    >>> as_stored(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 5)
    b'HTTP/1.1 200 OK\r\nX-Orig-Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n'
    """
    first, *others = _lines(head)
    kept, has_length = [first], False
    length = b"%d" % payload_bytes
    for line in others:
        name, _, value = line.partition(b":")
        match name.strip().lower():
            case b"transfer-encoding":
                kept.append(_ORIGINAL + line)
            case b"content-encoding" if is_decoded:
                kept.append(_ORIGINAL + line)
            case b"content-length" if value.strip() == length and not has_length:
                kept.append(line)
                has_length = True
            case b"content-length":
                kept.append(_ORIGINAL + line)
            case _:
                kept.append(line)
    if not has_length:
        kept.append(b"Content-Length: " + length)
    return b"\r\n".join((*kept, b"", b""))


def is_for_all(head: bytes) -> bool:
    r"""Whether every reader can undo the content codings of a response.

    >>> is_for_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: br"), is_for_all(b"HTTP/1.1 200 OK")
    (False, True)
    """
    for line in _lines(head)[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-encoding":
            codings = value.lower().split(b",")
            if any(coding.strip() not in _KNOWN_TO_ALL for coding in codings):
                return False
    return True


def as_received(head: bytes) -> bytes:
    """A head with line ends as they should be, and the empty line after it."""
    return b"\r\n".join((*_lines(head), b"", b""))


def status_of(head: bytes) -> int | None:
    """The status in the first line of a response.

    >>> status_of(b"HTTP/1.1 304 Not Modified"), status_of(b"what?")
    (304, None)
    """
    words = head.split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else None


def _lines(head: bytes) -> list[bytes]:
    lines = _LINE_END.split(head.rstrip(b"\r\n"))
    found: list[bytes] = []
    for line in lines:
        if line[:1] in (b" ", b"\t") and len(found) > 1:  # the obsolete way to go on in the next line
            found[-1] += b" " + line.strip()
        elif line.strip():
            found.append(line.rstrip())
    return found or [b"HTTP/1.1 000 Unknown"]
