"""Whether HTML is of a shape that a parser takes in its stride.

Parsers that follow the standard can be made to work for minutes by a small page: 200,000 nested elements (1 MB) took
70 s with Lexbor, and a hundred open <b> are repeated in each of ten thousand paragraphs.  Browsers cut at 512 levels.
This looks before anybody leaps: one pass over the tags, with a stack that never gets deeper than the limit.
"""

import re

FEW_TAGS = 2_000
"""So few that nothing they do takes long: the page is not looked at."""
MOST_LEVELS = 1_000
MOST_ELEMENTS = 2_000_000

# Every "<" that begins something is matched, to the end of the page if need be, so that no text is looked at twice.
# Attributes are read as the standard reads them, so that nothing can hide between quotes that are none.
_TAG = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|(?P<cdata><!\[CDATA\[)"
    r"|<(?:[!?]|/(?![a-z]))[^>]*+"
    r"|<(?P<end>/?)(?P<name>[a-z][^\s/>]*+)"
    r"(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s>\"'][^\s>]*+)?+)?+)*+",
    re.IGNORECASE | re.DOTALL,
)
_RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
_FOREIGN = frozenset(("svg", "math"))
_NO_END = (
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "param",
    "source",
    "track",
    "wbr",
)
_END_BY_THEMSELVES = (
    "p",
    "li",
    "dt",
    "dd",
    "tr",
    "td",
    "th",
    "option",
    "optgroup",
    "thead",
    "tbody",
    "tfoot",
    "colgroup",
    "rp",
    "rt",
    "rb",
    "rtc",
)
_NO_LEVEL = frozenset((*_NO_END, *_END_BY_THEMSELVES))
_REPEATED = frozenset(("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"))
_WALLS = frozenset(
    ("table", "td", "th", "caption", "object", "applet", "marquee", "template", "svg", "math", "button", "select")
)
"""An end tag inside one of these does not end what began outside."""


def is_reasonable(html: str) -> bool:
    """Whether a parser will be done with it in a time that goes with its size.

    >>> is_reasonable("<p>hello" * 5000), is_reasonable("<div>" * 5000)
    (True, False)
    """
    if html.count("<") <= FEW_TAGS:
        return True
    stack: list[str] = []
    at = repeated = elements = 0
    while tag := _TAG.search(html, at):
        at = tag.end()
        is_foreign = not _FOREIGN.isdisjoint(stack) if tag["cdata"] or tag["name"] else False
        if tag["cdata"]:
            at = _after(html, "]]>" if is_foreign else ">", at)
        if not tag["name"]:
            continue
        name = tag["name"].lower()
        if tag["end"]:
            repeated -= _ended(stack, name)
            continue
        elements += 1 + repeated
        if name in _RAW and not is_foreign:
            at = _after_raw(html, name, at)
        elif name not in _NO_LEVEL:
            stack.append(name)
            repeated += name in _REPEATED
        if len(stack) > MOST_LEVELS or elements > MOST_ELEMENTS:
            return False
    return True


def _after(html: str, mark: str, at: int) -> int:
    found = html.find(mark, at)
    return found + len(mark) if found >= 0 else len(html)


def _after_raw(html: str, name: str, at: int) -> int:
    """Where the end tag of a script or the like begins."""
    found = re.compile(rf"</{name}[\s/>]", re.IGNORECASE).search(html, at)
    return found.end() if found else len(html)


def _ended(stack: list[str], name: str) -> int:
    """Take what an end tag ends from the stack; how many of it are of those that are repeated."""
    for place in range(len(stack) - 1, -1, -1):
        if stack[place] == name:
            gone = stack[place:]
            del stack[place:]
            return sum(each in _REPEATED for each in gone)
        if stack[place] in _WALLS:
            break
    return 0
