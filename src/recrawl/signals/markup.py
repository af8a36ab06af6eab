"""Elements of XML as it is found: a reader that never refuses, and never keeps more than one tag.

A conforming reader stops at the first error, and a good part of feeds and sitemaps have one: a bare ampersand, a prefix
no one declared, an element that is never closed.  So this one only finds tags and text; what belongs together is for
those who read them.  Rules:

1. A tag begins with ``<`` and a letter, or ``</``, and ends at ``>`` outside quotes, or where the next tag begins.
2. Anything else is text.  Comments, instructions and document types are passed over.
3. The five entities of XML, those of HTML and numbers are replaced.  None is ever declared by a document: those it
   declares become U+FFFD, so that a small file cannot become a large one, or name a file of ours.
4. Each character is looked at a bounded number of times, and at most MOST_IN_TAG are kept of a tag.
5. At most MOST_EVENTS come of a document.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from html.entities import html5
from itertools import islice
from typing import NamedTuple

MOST_IN_TAG = 1 << 20
MOST_EVENTS = 1 << 23
"""Tags and texts in all.  A sitemap of 50 MB that is full of images has half as many; one of ``<`` alone would have six
times as many."""
MOST_IDLE = 1 << 18
"""Tags and texts without an entry, after which none is looked for any more.  One with a thousand images has a tenth."""


class Start(NamedTuple):
    """An element begins.  Names are in lower case, with their prefix; attributes are not read yet."""

    name: str
    rest: str
    closed: bool
    """Whether it ends at once."""

    def attributes(self) -> dict[str, str]:
        """Values by name in lower case; of one that is there twice, the first.

        >>> Start("a", ' HREF="x?a&amp;b" rel=self', False).attributes()
        {'href': 'x?a&b', 'rel': 'self'}
        """
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(self.rest):
            found.setdefault(name.lower(), replaced(values[0] or values[1] or values[2]).strip())
        return found


class End(NamedTuple):
    """An element ends."""

    name: str


class Text(NamedTuple):
    """Text, or a part of one."""

    text: str


Event = Start | End | Text

# The look behind lets a name begin only where one can: without it a long name without a value takes quadratic time.
_ATTRIBUTE = re.compile(r"""(?<![^\s=/"'<>])([^\s=/"'<>]++)\s*+=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_ENTITY = re.compile(r"&(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{0,31});")
_NAME = re.compile(r"[A-Za-z_:\x80-\U0010ffff][^\s/<>\"'=]*")
# Text and the tag after it, where that is plain: nearly all are, and one look is enough.
_PLAIN = re.compile(r"""([^<]*)<(/?)([A-Za-z_][\w:.-]*)((?:\s[^<>"']*|/)?)>""")
_EDGE = re.compile(r"[<>]")
_DECLARES = re.compile(r"<!ENTITY\s", re.IGNORECASE)
_VALUE = 500
"""Characters of a value that has tags in it; HTML allows that.  A longer one is rather a quote that someone forgot."""
_TAGGED = f"{{0,{_VALUE}}}+"
_WHOLE = re.compile(rf"""(?:[^<>"']++|"[^"<]*+"|'[^'<]*+'|"[^"]{_TAGGED}"(?=[\s/>])|'[^']{_TAGGED}'(?=[\s/>]))*+>""")
_STEP = 1 << 17
"""Characters that must come at least where as many wait for the rest of their tag."""
_MARKUP = 9
"""Characters that tell which kind of markup begins: as many as <![CDATA[ has."""


def replaced(text: str, strange: bool = False) -> str:
    """The text with its entities replaced; `strange` where the document declares some of its own.

    >>> replaced("a &lt; b &#233;&eacute; &copy=1 & &own;"), replaced("&own;", strange=True)
    ('a < b éé &copy=1 & &own;', '\ufffd')
    """
    if "&" not in text:
        return text

    def one(found: re.Match[str]) -> str:
        name = found[1]
        if name.startswith("#"):
            return unescape(found[0])
        return html5.get(name + ";") or ("\ufffd" if strange else found[0])

    return _ENTITY.sub(one, text)


def events(pieces: Iterable[str]) -> Iterator[Event]:
    """The tags and texts of a document that comes in pieces."""
    return islice(_events(pieces), MOST_EVENTS)


def _events(pieces: Iterable[str]) -> Iterator[Event]:
    reader = _Reader()
    new: list[str] = []
    size = 0
    for piece in pieces:
        new.append(piece)
        size += len(piece)
        if size >= min(len(reader.buffer), _STEP):  # what waits is looked at anew each time
            reader.buffer += "".join(new)
            new.clear()
            size = 0
            yield from reader.read(False)
    reader.buffer += "".join(new)
    yield from reader.read(True)


class _Reader:
    def __init__(self) -> None:
        self.buffer = ""
        self._until = ""
        """What ends the section that is being read: a comment, CDATA and so on; nothing outside of one."""
        self._strange = False

    def read(self, last: bool) -> Iterator[Event]:
        """Gives what is complete; the rest waits in the buffer for the next piece."""
        text, at = self.buffer, 0
        while at < len(text):
            plain = None if self._until else _PLAIN.match(text, at)
            if plain is not None:
                before, slash, name, rest = plain.groups()
                if before:
                    yield Text(replaced(before, self._strange) if "&" in before else before)
                yield End(name.lower()) if slash else Start(name.lower(), rest, rest.endswith("/"))
                at = plain.end()
                continue
            if self._until:
                at, done, event = self._section(text, at, last)
            elif text[at] == "<":
                at, done, event = self._markup(text, at, last)
            else:
                at, done, event = self._text(text, at, last)
            if event is not None:
                yield event
            if not done:
                break
        self.buffer = text[at:]

    def _text(self, text: str, at: int, last: bool) -> tuple[int, bool, Event | None]:
        end = text.find("<", at)
        if end < 0:
            end = len(text)
            # An entity may go on in the next piece.
            ampersand = -1 if last else text.find("&", max(at, end - 40))
            end = ampersand if ampersand >= 0 else end
        event = Text(replaced(text[at:end], self._strange)) if end > at else None
        return end, end > at, event

    def _section(self, text: str, at: int, last: bool) -> tuple[int, bool, Event | None]:
        """Goes on in a section; what is not text is forgotten as soon as it is seen."""
        end = text.find(self._until, at)
        inside = self._until == "]]>"
        if end >= 0:
            after = end + len(self._until)
            self._until = ""
            return after, True, Text(text[at:end]) if inside and end > at else None
        keep = len(text) if last else max(at, len(text) - len(self._until) + 1)
        return keep, False, Text(text[at:keep]) if inside and keep > at else None

    def _markup(self, text: str, at: int, last: bool) -> tuple[int, bool, Event | None]:
        if len(text) - at < _MARKUP and not last:
            return at, False, None
        second = text[at + 1 : at + 2]
        if second == "!":
            return self._declaration(text, at, last)
        if second == "?":
            self._until = "?>"
            return at + 2, True, None
        name = _NAME.match(text, at + 2 if second == "/" else at + 1)
        if name is None:
            return at + 1, True, Text("<")
        end, after = _end_of_tag(text, name.end(), last)
        if end < 0:
            if not last and len(text) - at < MOST_IN_TAG:
                return at, False, None
            end = after = len(text)
        if second == "/":
            return after, True, End(name[0].lower())
        rest = text[name.end() : end]
        return after, True, Start(name[0].lower(), rest, rest.endswith("/"))

    def _declaration(self, text: str, at: int, last: bool) -> tuple[int, bool, Event | None]:
        if text.startswith("<!--", at):
            self._until = "-->"
            return at + 4, True, None
        if text.startswith("<![CDATA[", at):
            self._until = "]]>"
            return at + 9, True, None
        end = text.find(">", at)
        bracket = text.find("[", at, end if end >= 0 else len(text))
        if bracket >= 0 and text[at : at + 9].upper() == "<!DOCTYPE":
            close = text.find("]", bracket)
            end = text.find(">", close) if close >= 0 else -1
        if end < 0:
            if not last and len(text) - at < MOST_IN_TAG:
                return at, False, None
            end = len(text) - 1
        self._strange = self._strange or _DECLARES.search(text, at, end) is not None
        return end + 1, True, None


def _end_of_tag(text: str, at: int, last: bool) -> tuple[int, int]:
    """Where a tag ends, and where the text after it begins; -1 where that is not there yet."""
    whole = _WHOLE.match(text, at)
    if whole is not None:
        return whole.end() - 1, whole.end()
    edge = _EDGE.search(text, at)
    if edge is None or (not last and len(text) - at < _VALUE):
        return -1, -1
    return edge.start(), edge.start() + (edge[0] == ">")  # someone forgot a quote, or the end
