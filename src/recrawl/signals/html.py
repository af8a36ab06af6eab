"""Elements of an HTML page, read as browsers read it, unless that would take too long.

Lexbor looks up all open elements at each new one, so deeply nested pages take quadratic time: 16 MB of ``<div>`` take
hours.  For such pages, which no one writes by hand, the reader of markup does.
"""

from collections.abc import Collection, Iterator

from selectolax.lexbor import LexborHTMLParser

from recrawl.signals.markup import End, Start, events

Attributes = dict[str, str]

MOST_STEPS = 100_000_000
"""Looks at open elements that are accepted: about half a second."""

_RAW = ("script", "style", "textarea", "title", "xmp", "template")
_PARTS = 64


def elements(text: str, names: Collection[str]) -> list[tuple[str, Attributes]]:
    """The elements of these names with their attributes, in the order of the page."""
    text = text.replace("\0", "")
    if steps(text) > MOST_STEPS:
        return list(_scanned(text, names))
    found = LexborHTMLParser(text).css(", ".join(names))
    return [(str(node.tag), {name: value or "" for name, value in node.attributes.items()}) for node in found]


def steps(text: str) -> int:
    """About how many looks at open elements a page takes: for each that begins, those open there.

    >>> steps("<p>" * 1000) > 20 * steps("<p></p>" * 1000)
    True
    """
    size = max(1, -(-len(text) // _PARTS))
    total = depth = 0
    for at in range(0, len(text), size):
        begins, ends = text.count("<", at, at + size), text.count("</", at, at + size)
        opened = begins - ends
        total += opened * (depth + opened)
        depth = max(0, depth + opened - ends)
    return total


def _scanned(text: str, names: Collection[str]) -> Iterator[tuple[str, Attributes]]:
    raw = ""
    for event in events((text,)):
        if isinstance(event, End):
            raw = "" if event.name == raw else raw
        elif isinstance(event, Start) and not raw:
            if event.name in names:
                yield event.name, event.attributes()
            raw = event.name if event.name in _RAW else ""
