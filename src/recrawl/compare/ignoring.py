"""What need not count: patterns of one's own, and a few by name."""

import re
from collections.abc import Sequence

from recrawl.errors import InputError

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_UNIT = r"(?:second|sec|minute|min|hour|hr|day|week|month|year)s?"
NAMED = {
    "@dates": (
        rf"(?i:\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
        rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}\.?\s+{_MONTH},?\s+\d{{4}})\b)"
    ),
    "@times": (
        r"(?i:\bT?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
        r"\s*(?:[ap]\.?m\b\.?)?\s*(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b)?)"
    ),
    "@ago": rf"(?i:\b(?:\d+|an?|one|few|a few)\s*{_UNIT}\s+ago\b|\bjust now\b|\byesterday\b)",
    "@counts": (
        r"(?i:\b\d[\d.,]*\s*[km]?\s*(?:views?|likes?|comments?|shares?|votes?|points?|downloads?|visitors?"
        r"|replies|stars)\b)"
    ),
}
"""Patterns by name: a date, a time of day, an age such as "3 minutes ago", a count such as "1,204 views"."""


def compiled(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """The patterns, ready to be used."""
    if isinstance(patterns, str) or not all(isinstance(pattern, str) for pattern in patterns):
        raise InputError(f'ignore must be a list of patterns, got {patterns!r}; write ["..."]', "ignore")
    return tuple(_compiled(pattern) for pattern in patterns)


def _compiled(pattern: str) -> re.Pattern[str]:
    if pattern.startswith("@"):
        if pattern not in NAMED:
            message = f"ignore must have patterns, or names out of {', '.join(NAMED)}, got {pattern!r}"
            raise InputError(f"{message}; for a pattern that begins with @ write [@]", "ignore")
        pattern = NAMED[pattern]
    try:
        return re.compile(pattern, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"ignore must have regular expressions as Python reads them, got {pattern!r}: {error}"
        raise InputError(f"{message}; in TOML, single quotes keep backslashes: ['\\d+ views']", "ignore") from None


def without(text: str, patterns: Sequence[re.Pattern[str]]) -> str:
    r"""The text without what matches, and without lines of which nothing is left.

    >>> without("a page\n17 views\nits end", compiled([r"\d+ views"]))
    'a page\nits end'
    """
    if not patterns:
        return text
    for pattern in patterns:
        text = pattern.sub("", text)
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip())
