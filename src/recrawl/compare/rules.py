"""What is compared: a rule, and the choice of a rule for each page.

A rule is written as text: ``bytes``, ``text``, ``css:SELECTOR``, ``json:/POINTER`` or ``auto``, which is ``text`` for
HTML and ``bytes`` for everything else.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recrawl.compare.ignoring import compiled
from recrawl.compare.json_pointer import steps
from recrawl.errors import InputError

KINDS = ("auto", "bytes", "text", "css", "json")
_KEYS = ("match", "compare", "ignore", "tolerance")


@dataclass(frozen=True)
class Rule:
    """What of a page is compared, what in it does not count, and how much may differ."""

    kind: str = "auto"
    argument: str = ""
    """The selector, or the pointer."""
    ignore: tuple[str, ...] = ()
    """Regular expressions, or names of them (`recrawl.compare.ignoring.NAMED`); what matches is left out."""
    tolerance: float = 0.0
    """Versions that differ in no more than this share of their words count as equal; 0: in nothing."""
    patterns: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False, default=())
    """The steps of a JSON pointer."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS or (self.argument and self.kind not in ("css", "json")):
            raise _unknown(f"{self.kind}:{self.argument}" if self.argument else self.kind)
        if not isinstance(self.tolerance, int | float) or not 0.0 <= self.tolerance < 1.0:
            message = f"tolerance must be in [0, 1), got {self.tolerance!r}"
            raise InputError(f"{message}; 0.02 lets one word in fifty differ", "tolerance")
        object.__setattr__(self, "patterns", compiled(self.ignore))
        if self.kind == "json":
            object.__setattr__(self, "names", steps(self.argument))
        if self.kind == "css":
            from recrawl.compare.main_text import check_selector

            check_selector(self.argument)

    @classmethod
    def parse(cls, text: str, ignore: Sequence[str] = (), tolerance: float = 0.0) -> "Rule":
        """A rule from its text.

        >>> Rule.parse("css:main").kind, Rule.parse("json:/items/0").names
        ('css', ('items', '0'))
        """
        if not isinstance(text, str):
            raise _unknown(text)
        kind, colon, argument = text.strip().partition(":")
        if colon and kind not in ("css", "json"):
            raise _unknown(text)
        if isinstance(ignore, str):
            raise InputError(f'ignore must be a list of patterns, got {ignore!r}; write ["..."]', "ignore")
        return cls(kind, argument.strip() if kind == "css" else argument, tuple(ignore), tolerance)

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.kind}:{self.argument}" if self.kind in ("css", "json") else self.kind


def _unknown(text: object) -> InputError:
    expected = "bytes, text, css:SELECTOR, json:/POINTER or auto"
    return InputError(f"compare must be {expected}, got {text!r}; text is the main text of an HTML page", "compare")


class Rules:
    """Which rule is for which page: the first whose pattern matches its URL, and a usual one for the rest.

    In a pattern * stands for anything; all else stands for itself.

    >>> rules = Rules.parse([{"match": "https://a.example/*", "compare": "css:main", "tolerance": 0.02}])
    >>> rules.of("https://a.example/x").text, rules.of("https://b.example/").text
    ('css:main', 'auto')
    """

    def __init__(self, sites: Iterable[tuple[str, Rule]] = (), usual: Rule | None = None) -> None:
        self.usual = usual or Rule()
        self._sites = [(_matcher(pattern), rule) for pattern, rule in sites]

    @classmethod
    def parse(cls, tables: Iterable[Mapping[str, object]], usual: Rule | None = None) -> "Rules":
        """From plain tables with `match` (a pattern or several), and `compare`, `ignore` and `tolerance`.

        Other keys are for others to judge.
        """
        sites = []
        for row, table in enumerate(tables):
            match = table.get("match")
            patterns = [match] if isinstance(match, str) else match
            if not isinstance(patterns, list | tuple) or not patterns:
                message = f"match must be a pattern of URLs, or a list of them, got {match!r} in site {row + 1}"
                raise InputError(f'{message}; for example match = "https://a.example/*"', "match", row)
            try:
                rule = Rule.parse(
                    table.get("compare", "auto"),  # type: ignore[arg-type]
                    table.get("ignore", ()),  # type: ignore[arg-type]
                    table.get("tolerance", 0.0),  # type: ignore[arg-type]
                )
            except InputError as error:
                raise InputError(f"{error} (site {row + 1}, {patterns[0]})", error.argument, row) from None
            sites += [(pattern, rule) for pattern in patterns]
        return cls(sites, usual)

    def of(self, url: str) -> Rule:
        """The rule for a page.  O(patterns)."""
        return next((rule for matches, rule in self._sites if matches.fullmatch(url)), self.usual)


def _matcher(pattern: str) -> re.Pattern[str]:
    if not isinstance(pattern, str) or not pattern:
        raise InputError(f'match must be a pattern of URLs, got {pattern!r}; "*" matches all', "match")
    # Several stars in a row would make a pattern that takes forever to fail.
    return re.compile(".*".join(map(re.escape, re.sub(r"\*+", "*", pattern).split("*"))), re.DOTALL)
