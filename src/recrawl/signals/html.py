"""Elements of an HTML page with their attributes, in time that grows with the page and no faster.

Parsers that build the tree browsers build take quadratic time for some pages: Lexbor took 45 s for a tag of 100,000
attributes (1 MB), and 1 s for 20,000 nested ``<div>``.  A stranger's page must not stop a crawler.  For links no tree
is needed: the reader of markup finds them, once comments and scripts are left out.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from recrawl.signals.markup import Start, events

Attributes = dict[str, str]

MOST_ELEMENTS = 50_000
"""Looked at in one page."""
MOST_EVENTS = 1 << 20
"""Tags and texts read of one page, which takes 2 s; the fullest have a third.  4 MB of ``<`` alone would take 10 s."""

_OPAQUE = re.compile(r"<(?:!--|(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>]))", re.IGNORECASE)


def elements(text: str, names: Collection[str]) -> list[tuple[str, Attributes]]:
    """The elements of these names with their attributes, in the order of the page.

    >>> elements("<!-- <a> --><script>'<a>'</script><A HREF=x>", ("a",))
    [('a', {'href': 'x'})]
    """
    seen = islice(events(_open_parts(text)), MOST_EVENTS)
    found = (event for event in seen if isinstance(event, Start) and event.name in names)
    return [(event.name, event.attributes()) for event in islice(found, MOST_ELEMENTS)]


def _open_parts(text: str) -> Iterator[str]:
    """The page without comments, and without what stands in elements that hold text only, whatever it looks like."""
    at = 0
    while found := _OPAQUE.search(text, at):
        yield text[at : found.start()]
        if found[1] is None:
            end = text.find("-->", found.start() + 2)
            at = end + 3 if end >= 0 else len(text)
        else:
            close = re.compile(f"</{found[1]}", re.IGNORECASE).search(text, found.end())
            at = close.start() if close else len(text)
    yield text[at:]
