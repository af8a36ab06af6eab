"""What a site's robots.txt allows, by RFC 9309 as Google's open parser reads it.

1. A group is one user-agent line or several, and the rules after them.  Lines of other kinds do not end it.
2. Groups that name the same agent are one.  An agent that is named in none has the rules of ``*``.
3. Of the rules that match a URL the longest decides; of two equally long ones the one that allows.
4. A Crawl-delay, which the RFC does not know, is for the agents right above it: where some are named after one, or
   after a rule, a new list of agents begins.  Otherwise bots that have nothing but a delay would pass it on.
5. Nothing in a file is an error: what cannot be read is passed over, as are bytes after MOST_BYTES.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from recrawl.signals.robots_lines import MOST_BYTES, lines
from recrawl.signals.robots_rules import Rule, escaped, path_of

__all__ = ["ALLOW_ALL", "DAY", "FORBID_ALL", "MOST_BYTES", "Robots", "parse", "policy"]

DAY = 86400.0
"""Seconds for which a copy serves while the site cannot be asked."""

_PLAIN = re.compile(r"https?://[^/?#;%]+(/[A-Za-z0-9/._~?=&+,:@-]*)")
"""URLs as most are: nothing in their paths could be written in another way."""
_PRODUCT = re.compile(rb"[A-Za-z_-]*")
_DELAY = re.compile(rb"\d{1,9}(?:[.,]\d*)?|[.,]\d+")


@dataclass(slots=True)
class _Group:
    """All that is said to one agent."""

    rules: list[Rule] = field(default_factory=list)
    delay: float | None = None


class Robots:
    """The rules of one site for every agent, and the sitemaps it names.

    An agent is a product token, such as ``recrawl``.  Of a whole User-Agent header what stands before the first slash
    counts.
    """

    __slots__ = ("_anyone", "_forbids_all", "_groups", "sitemaps")

    def __init__(self, forbids_all: bool = False) -> None:
        self.sitemaps: tuple[str, ...] = ()
        self._forbids_all = forbids_all
        self._groups: dict[str, _Group] = {}
        self._anyone = _Group()

    def allowed(self, agent: str, url: str) -> bool:
        r"""Whether the agent may fetch the URL, which should be normalised.  Takes O(rules of the agent).

        robots.txt itself always may be fetched.  A URL with characters that a normalised one would have escaped must
        be allowed in both spellings.

        >>> robots = parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/*.html$")
        >>> robots.allowed("recrawl", "https://example.org/private/a"), robots.allowed("recrawl", "/private/a.html")
        (False, True)
        """
        if self._forbids_all or not (plain := _PLAIN.fullmatch(url)):
            return self._allowed(agent, path_of(url))
        path = plain[1].encode()  # it has one spelling
        return path == b"/robots.txt" or _permits(self._group(agent).rules, path)

    def _allowed(self, agent: str, path: bytes) -> bool:
        if path == b"/robots.txt":
            return True
        if self._forbids_all:
            return False
        rules = self._group(agent).rules
        return _permits(rules, path) and ((other := escaped(path)) == path or _permits(rules, other))

    def crawl_delay(self, agent: str) -> float | None:
        r"""Seconds the site wants between two requests of the agent; None where it does not say.

        >>> parse(b"User-agent: recrawl\nCrawl-delay: 2.5").crawl_delay("Recrawl/1.0 (+https://example.org)")
        2.5
        """
        return self._group(agent).delay

    def _group(self, agent: str) -> _Group:
        return self._groups.get(_token(agent), self._anyone)


@lru_cache(maxsize=64)
def _token(agent: str) -> str:
    return agent.partition("/")[0].strip().lower()


ALLOW_ALL = Robots()
"""Of a site without a robots.txt."""
FORBID_ALL = Robots(forbids_all=True)
"""Of a site that cannot say at the moment."""


def parse(data: bytes) -> Robots:
    """The rules in a robots.txt file.  Never fails."""
    robots = Robots()
    sitemaps: dict[str, None] = {}
    groups: list[_Group] = []
    delayed: list[_Group] = []
    ruled = ends_list = False
    for kind, value in lines(data):
        if kind == "agent":
            if ruled:
                groups, ruled = [], False
            if ends_list:
                delayed, ends_list = [], False
            named = list(_named(robots, value))
            groups += named
            delayed += named
        elif kind == "sitemap":
            if value:
                sitemaps.setdefault(value.decode("utf-8", "replace"))
        elif kind == "delay":
            ends_list = True
            _delay(delayed, value)
        else:
            ends_list = True
            ruled = ruled or bool(groups)
            rule = Rule(value, allows=kind == "allow")
            for group in groups:
                group.rules.append(rule)
    robots.sitemaps = tuple(sitemaps)
    return robots


def policy(status: int | None, data: bytes, kept: Robots | None = None, age: float = 0.0) -> Robots:
    """The rules that hold after asking for robots.txt, with the copy kept from before and its age in seconds.

    1. 200 to 299: what the file says.
    2. 300 to 499: the site has none, and all is allowed.  This includes redirects beyond the fifth, 401 and 403.
    3. 429, 500 and above, no answer (None): the copy while it is at most a DAY old, otherwise nothing is allowed.  RFC
       9309 counts 429 among those that allow, but a site that says "too many requests" is not asking for more of them.

    >>> policy(404, b"").allowed("recrawl", "/a"), policy(503, b"").allowed("recrawl", "/a")
    (True, False)
    """
    if status is not None and 200 <= status < 300:
        return parse(data)
    if status is not None and 300 <= status < 500 and status != 429:
        return ALLOW_ALL
    return kept if kept is not None and age <= DAY else FORBID_ALL


def _named(robots: Robots, value: bytes) -> Iterator[_Group]:
    """The groups a user-agent line adds to."""
    if value[:1] == b"*" and (len(value) == 1 or value[1:2].isspace()):
        yield robots._anyone
        return
    # The product token ends at the first character it must not have.  A name with digits is no product token, yet
    # crawlers have such names, so the whole first word counts, too.
    names = {_PRODUCT.match(value)[0], *value.partition(b"/")[0].split()[:1]}  # type: ignore[index]
    for name in sorted(names - {b""}):
        yield robots._groups.setdefault(name.decode("utf-8", "replace").lower(), _Group())


def _delay(groups: list[_Group], value: bytes) -> None:
    """Notes a Crawl-delay for these agents; of several the longest, which offends no one.  Some write 1,5 for 1.5."""
    found = _DELAY.match(value)
    if found:
        seconds = float(found[0].replace(b",", b"."))
        for group in groups:
            group.delay = max(group.delay or 0.0, seconds)


def _permits(rules: list[Rule], path: bytes) -> bool:
    longest_allow = longest_disallow = 0
    for rule in rules:
        if rule.allows:
            if rule.length > longest_allow:
                longest_allow = max(longest_allow, rule.matched(path))
        elif rule.length > longest_disallow:
            longest_disallow = max(longest_disallow, rule.matched(path))
    return longest_allow >= longest_disallow
