"""The main text of an HTML page: what a reader came for, a line for each block.

Left out are scripts and styles, navigation, page header and footer, asides, forms' controls, consent dialogs and what
is marked as advertising.  <main>, [role=main] or a lone <article> is taken where there is one.  The title counts.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from recrawl.errors import InputError

_NEVER_TEXT = (
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "canvas", "audio", "video",
    "button", "input", "select", "textarea", "dialog", "ins.adsbygoogle",
)  # fmt: skip
_INLINE = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "time", "tt", "u", "var", "wbr",
]  # fmt: skip
_AROUND = (
    "nav", "aside", "footer", "body > header", "header[role=banner]", "[role=navigation]", "[role=banner]",
    "[role=contentinfo]", "[role=complementary]", "[role=search]", "[role=dialog]", "[role=alertdialog]", "[hidden]",
    "[aria-hidden=true]",
)  # fmt: skip
_ADS = (
    ".ad", ".ads", ".advert", ".advertisement", ".advertising", ".sponsored", ".sponsor", ".promoted", ".adsbygoogle",
    "[class^='ad-']", "[class^='ads-']", "[class*=' ad-']", "[class*=' ads-']", "[class^='advert']",
    "[id^='google_ads']", "[id^='div-gpt-ad']", "[id^='ad-']", "[id='ad']", "[id='ads']", "[data-ad]",
    "[data-ad-slot]", "[class*='cookie-banner']", "[class*='cookie-consent']", "[class*='cookie-notice']",
    "[id*='cookie-banner']", "[id*='cookie-consent']", "[id*='cookie-notice']", "[id^='onetrust']",
)  # fmt: skip
_RAW = ["script", "style", "noscript", "template"]
_BREAK = "\x1f"
_TAG = re.compile(r"<([A-Za-z][^\s/>]*)([^>]*)")
_HINTS = ("class", "role", "hidden", "id", "ad", "cookie-", "sponsor", "promoted", "onetrust")
_QUOTED_END = re.compile(r"""=\s*(?:"[^">]*>|'[^'>]*>)""")
_KEPT = frozenset(("html", "body", "main", "article"))


class _Source(NamedTuple):
    """What the source of a page may hold: a parser adds no elements that count as text or stand in a line."""

    tags: frozenset[str]
    """Names of elements."""
    hints: frozenset[str]
    """Those of _HINTS that stand among the attributes."""


def _needs(selector: str) -> tuple[str, frozenset[str]]:
    """The element, and the hints, without which a selector matches nothing."""
    tag, rest = re.fullmatch(r"(?:body > )?([a-z]*)(.*)", selector).groups()  # type: ignore[union-attr]
    words = {word for word in _HINTS if word in rest} | ({"class"} if rest.startswith(".") else set())
    return tag, frozenset(words)


_LEFT_OUT = [(selector, *_needs(selector)) for selector in (*_NEVER_TEXT, *_AROUND, *_ADS)]
_THAT_MATTER = frozenset(tag for _, tag, _ in _LEFT_OUT)


def main_text(html: str) -> str:
    """The title, and the main text, a line for each block of it."""
    page, source = LexborHTMLParser(html), _source(html)
    tags = source.tags
    heading = _title(page) if "title" in tags else ""
    body = page.body
    if body is None:
        return heading
    has_role = "role" in source.hints
    has_main = has_role or "main" in tags or "article" in tags
    selectors = _selectors(tags & _THAT_MATTER, source.hints)
    # Lists of selectors give a node once for each that matches.  Inner ones go first: they go with the outer ones.
    found = {node.mem_id: node for node in body.css(selectors)} if selectors else {}
    # Without roles, what is around a main element now will be so at any time: such elements are kept.
    around = _all_around(body.css("main, article")) if found and has_main and not has_role else frozenset()
    for node in reversed(found.values()):
        if node.tag in _KEPT or node.mem_id in around:
            continue
        if not has_role or node.css_first("main, article, [role=main]") is None:
            node.decompose()
    text = _text(_main(body, tags, has_role=has_role) if has_main else body, tags)
    # Everything may have been taken for surroundings, or the main element may be filled in by a script.
    return "\n".join(part for part in (heading, text or _text(LexborHTMLParser(html).body, tags)) if part)


def _title(page: LexborHTMLParser) -> str:
    first = next(iter(page.tags("title")), None)
    if first is not None and (first.parent is None or first.parent.tag != "head"):
        first = page.css_first("head > title") or page.css_first("title")
    return _one_line(first.text()) if first is not None else ""


@lru_cache(maxsize=1024)
def _selectors(tags: frozenset[str], hints: frozenset[str]) -> str:
    """What is left out of a page that has these: to read all selectors takes longer than to read a small page."""
    found = [selector for selector, tag, words in _LEFT_OUT if (not tag or tag in tags) and hints >= words]
    return ", ".join(found)


def selected_text(html: str, selector: str) -> str | None:
    """The text of the elements that match, a line for each block; None where none does."""
    page = LexborHTMLParser(html)
    try:
        nodes = page.css(selector)
    except SelectolaxError:
        raise bad_selector(selector) from None
    tags = _source(html).tags
    found = [_text(node, tags) for node in _outermost(nodes)]
    return "\n".join(text for text in found if text) if nodes else None


def check_selector(selector: str) -> None:
    """Refuse a selector that cannot be read."""
    try:
        LexborHTMLParser("<p>").css(selector)
    except SelectolaxError:
        raise bad_selector(selector) from None


def bad_selector(selector: str) -> InputError:
    """The error for a selector that cannot be read."""
    message = f"compare must have a CSS selector after css:, got {selector!r}; for example css:main or css:#price .now"
    return InputError(message, "compare")


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Each node once, and none that is inside another: its text is in that one's."""
    found = {node.mem_id: node for node in nodes}
    return [node for node in found.values() if not any(outer.mem_id in found for outer in _around(node))]


def _around(node: LexborNode) -> Iterator[LexborNode]:
    outer = node.parent
    while outer is not None:
        yield outer
        outer = outer.parent


def _all_around(nodes: list[LexborNode]) -> frozenset[int]:
    return frozenset([outer.mem_id for node in nodes for outer in _around(node)])


def _main(body: LexborNode, tags: frozenset[str], *, has_role: bool) -> LexborNode:
    for tag, selector in (("main", "main, [role=main]" if has_role else "main"), ("article", "article")):
        found = body.css(selector) if tag in tags or has_role else []
        if len(found) == 1 and found[0].text(strip=True):
            return found[0]
    return body


def _source(html: str) -> _Source:
    found = set(_TAG.findall(html))
    tags = frozenset([name.lower() for name in {name for name, _ in found}])
    attributes = " ".join([attributes for _, attributes in found if attributes]).lower()
    # Where a quoted value has a ">" the rest was not seen, and "&#97;" is a letter: anything may be there.
    if "&#" in attributes or _QUOTED_END.search(html):
        return _Source(tags, frozenset(_HINTS))
    return _Source(tags, frozenset([hint for hint in _HINTS if hint in attributes]))


def _text(node: LexborNode | None, tags: frozenset[str]) -> str:
    if node is None:
        return ""
    if node.tag in _RAW:  # asked for by name, such as data in a script
        return "\n".join(line for line in map(_one_line, node.text().split("\n")) if line)
    if node.tag in _INLINE:  # what follows would unwrap the node itself
        return _text(LexborHTMLParser(f"<div>{node.html}</div>").body, tags)
    # Each name that is looked for costs a search of its own, so only those that are there.
    node.strip_tags([name for name in _RAW if name in tags])
    # Without the inline elements each piece of text is a block's, and words in bold do not break a line.
    node.unwrap_tags([name for name in _INLINE if name in tags])
    node.merge_text_nodes()
    return "\n".join(piece for piece in map(_one_line, node.text(separator=_BREAK).split(_BREAK)) if piece)


def _one_line(text: str) -> str:
    """One space between words.  Line ends in the source of a page are no more than spaces."""
    if text.isascii() and "  " not in text and not _has_other_spaces(text):  # as is usual
        return text.strip(" ")
    return " ".join(text.replace("\u00ad", "").split())


def _has_other_spaces(text: str) -> bool:
    """Of ASCII.  One after the other takes a tenth of the time that a pattern does."""
    return (
        "\n" in text or "\t" in text or "\r" in text or "\x0b" in text or "\x0c" in text
        or "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text
    )  # fmt: skip
