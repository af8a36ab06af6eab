"""The Link header of HTTP (RFC 8288)."""

import re
from collections.abc import Iterable, Iterator

from recrawl.signals.resolving import resolved

_LINK = re.compile(r"""<([^<>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)""")
_PARAMETER = re.compile(r""";\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?""")
_MOST = 1 << 16


def links(headers: Iterable[tuple[str, str]], url: str) -> Iterator[tuple[frozenset[str], str]]:
    """What each link of a response is to it (its rels, in lower case), and the target.

    >>> [(sorted(rels), target) for rels, target in links([("Link", '</h>; rel="hub self"')], "https://example.org/a")]
    [(['hub', 'self'], 'https://example.org/h')]
    """
    for name, value in headers:
        if name.lower() != "link":
            continue
        for found in _LINK.finditer(value[:_MOST]):
            parameters: dict[str, str] = {}
            for parameter in _PARAMETER.finditer(found[2]):
                parameters.setdefault(parameter[1].lower(), parameter[2] or parameter[3] or "")
            target = resolved(found[1], url)
            if target is not None and "anchor" not in parameters:  # with an anchor it is about another document
                yield frozenset(parameters.get("rel", "").lower().split()), target
