"""URLs of a call: spelled, refused or found, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recrawl.arguments import Ids, Values
from recrawl.errors import InputError
from recrawl.frontier.facts import Fact, texts_to_columns
from recrawl.urls import Refused, UrlTable, normalise_all


@dataclass
class Found:
    """What a call named."""

    given: Sequence[str]
    spelled: list[str | None]
    """As they are spelled here; None for those refused."""
    ids: Ids
    """-1 where there is no such page."""
    refused: tuple[Refused, ...]
    missing: bool
    """Whether some are -1."""

    @cached_property
    def bad_rows(self) -> frozenset[int]:
        """Rows of URLs that were refused."""
        return frozenset(entry.item for entry in self.refused)

    @property
    def unknown(self) -> tuple[str, ...]:
        """URLs that were not refused and not found, each as often as it was given."""
        if not self.missing:
            return ()
        missing = np.flatnonzero(self.ids < 0).tolist()
        return tuple(url for row in missing if (url := self.spelled[row]) is not None)


def find_urls(table: UrlTable, urls: str | Sequence[str], skip_bad: bool) -> Found:
    """Find pages by URL.  One is looked for as it is given first: most are spelled as they should be."""
    if isinstance(urls, str):
        urls = [urls]
    elif not isinstance(urls, (list, tuple)):
        if isinstance(urls, (bytes, dict)) or not hasattr(urls, "__iter__"):
            raise InputError(f"urls must be a URL or a list of them, got {urls!r:.80}", argument="urls")
        urls = list(urls)
    spelled: list[str | None] = list(urls)
    try:
        ids = table.find(urls)
    except (AttributeError, TypeError, UnicodeEncodeError):  # something is no text; which, is found out below
        ids = np.full(len(urls), -1)
    if not (ids < 0).any():
        return Found(urls, spelled, ids, (), missing=False)
    rows = np.flatnonzero(ids < 0).tolist()
    found, bad = normalise_all([urls[row] for row in rows])
    refused = tuple(Refused(rows[entry.item], entry.url, entry.reason) for entry in bad)
    if refused and not skip_bad:
        first = refused[0]
        raise InputError(f"urls in row {first.item}: {first.reason}, got {first.url}", argument="urls", row=first.item)
    good = [(row, url) for row, url in zip(rows, found, strict=True) if url is not None]
    for row, url in zip(rows, found, strict=True):
        spelled[row] = url
    if good:
        ids[[row for row, _ in good]] = table.find([url for _, url in good])
    return Found(urls, spelled, ids, refused, missing=bool((ids < 0).any()))


def columns_of(found: Found, columns: list[Values], groups: list[str] | None) -> Fact:
    """The fact that these pages were added: those that are new, each once, and those that are known."""
    importance, every, max_age = columns
    first: dict[str, int] = {}
    known_rows: list[int] = []
    for row, (url, page) in enumerate(zip(found.spelled, found.ids.tolist(), strict=True)):
        if url is None:
            continue
        if page >= 0:
            known_rows.append(row)
        else:
            first.setdefault(url, row)
    new = np.array(list(first.values()), dtype=np.int64)
    known = np.array(known_rows, dtype=np.int64)
    pages = found.ids[known]
    last = len(pages) - 1 - np.unique(pages[::-1], return_index=True)[1] if len(pages) else known
    said = last[~(np.isnan(importance[known[last]]) & np.isnan(max_age[known[last]]))] if len(pages) else known
    texts = texts_to_columns("urls", first)
    if groups is not None:
        texts |= texts_to_columns("groups", [groups[row] for row in first.values()])
    total = sum(url is not None for url in found.spelled) - len(first)
    return Fact(
        "add",
        {"known": total},
        {
            **texts,
            "importance": importance[new],
            "every": every[new],
            "max_age": max_age[new],
            "known": pages[said] if len(pages) else pages,
            "known_importance": importance[known[said]] if len(pages) else importance[:0],
            "known_max_age": max_age[known[said]] if len(pages) else max_age[:0],
        },
    )


def checked_key(key: object) -> str | None:
    """An idempotency key."""
    if key is None:
        return None
    if not isinstance(key, str) or not 0 < len(key) <= 200:
        raise InputError(f"key must be a text of 1 to 200 characters, got {key!r:.80}", argument="key")
    return key
