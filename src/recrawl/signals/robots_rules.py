"""One allow or disallow line, and whether it matches a path."""

import re

_ESCAPED = re.compile(rb"%[0-9a-fA-F]{2}")
# What a normalised URL has escaped, at least in some part of it.
_UNESCAPED = re.compile(rb"[\x00-\x20\"'<>^`{|}\x7f]")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_BEGINS_PATH = re.compile(rb"[/?;]")


class Rule:
    """A pattern: ``*`` is anything, a ``$`` at the end is the end, and all else is itself."""

    __slots__ = ("_index", "_parts", "_to_end", "allows", "length")

    def __init__(self, pattern: bytes, allows: bool) -> None:
        pattern = escaped(pattern)
        self.allows = allows
        self.length = len(pattern)
        self._to_end = pattern.endswith(b"$")
        self._parts = (pattern[:-1] if self._to_end else pattern).split(b"*")
        self._index = _index_rule(pattern) if allows else None

    def matched(self, path: bytes) -> int:
        """How much a match counts: the length of the pattern; 0 where it does not match."""
        if self._matches(path):
            return self.length
        return 0 if self._index is None else self._index.matched(path)

    def _matches(self, path: bytes) -> bool:
        first, *others = self._parts
        if not path.startswith(first):
            return False
        if not others:
            return not self._to_end or len(path) == len(first)
        at = len(first)
        last = others.pop() if self._to_end else b""
        for part in others:  # the earliest place for each leaves most room for those after it
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return len(path) - at >= len(last) and path.endswith(last)


def _index_rule(pattern: bytes) -> Rule | None:
    """Whoever allows a folder's index.html allows the folder, as Google has it."""
    slash = pattern.rfind(b"/")
    if slash < 0 or not pattern.startswith(b"/index.htm", slash):
        return None
    return Rule(pattern[: slash + 1] + b"$", allows=True)


def escaped(text: bytes) -> bytes:
    """The one spelling of a pattern: bytes beyond ASCII escaped, and what `spelled` does.

    >>> escaped("/josé/%c3".encode())
    b'/jos%C3%A9/%C3'
    """
    return _NOT_ASCII.sub(_escape, spelled(text))


def spelled(text: bytes) -> bytes:
    """Escapes in capitals, a tilde as itself, and characters escaped that a normalised URL may have escaped.

    >>> spelled(b"/%7ejoe/a%3cb<c")
    b'/~joe/a%3Cb%3Cc'
    """
    return _UNESCAPED.sub(_escape, _ESCAPED.sub(lambda found: found[0].upper(), text)).replace(b"%7E", b"~")


def _escape(found: re.Match[bytes]) -> bytes:
    return b"%%%02X" % found[0][0]


def path_of(url: str) -> bytes:
    """Path and query of a URL in one spelling, without scheme, host and fragment; ``/`` where there is none.

    >>> path_of("https://example.org/a?b#c"), path_of("https://example.org"), path_of("/a"), path_of("example.org?b")
    (b'/a?b', b'/', b'/a', b'/?b')
    """
    text = url.encode("utf-8", "replace")
    begin = 2 if text.startswith(b"//") else 0
    early = _BEGINS_PATH.search(text, begin)
    scheme = text.find(b"://", begin)
    if scheme >= 0 and (early is None or scheme < early.start()):
        begin = scheme + 3
    path = _BEGINS_PATH.search(text, begin)
    fragment = text.find(b"#", 0)
    if path is None or 0 <= fragment < path.start():
        return b"/"
    found = text[path.start() : fragment if fragment >= 0 else len(text)]
    return spelled(found if found.startswith(b"/") else b"/" + found)
