"""URLs of a call: spelled, refused or found, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recrawl.arguments import Ids, Values
from recrawl.frontier.facts import Fact, texts_to_columns
from recrawl.frontier.given.checks import bad_url, url_list
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
    urls = url_list(urls)
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
        raise bad_url(refused[0], urls)
    good = [(row, url) for row, url in zip(rows, found, strict=True) if url is not None]
    for row, url in zip(rows, found, strict=True):
        spelled[row] = url
    if good:
        ids[[row for row, _ in good]] = table.find([url for _, url in good])
    return Found(urls, spelled, ids, refused, missing=bool((ids < 0).any()))


def columns_of(found: Found, columns: list[Values], groups: list[str] | None) -> Fact:
    """The fact that these pages were added: those that are new, each once, and those that are known."""
    first: dict[str, int] = {}
    pages: dict[int, int] = {}
    of_new, of_known = np.full(len(found.spelled), -1), np.full(len(found.spelled), -1)
    """For each row which of the new pages it is, or which of the known."""
    for row, (url, page) in enumerate(zip(found.spelled, found.ids.tolist(), strict=True)):
        if url is None:
            continue
        if page >= 0:
            of_known[row] = pages.setdefault(page, len(pages))
        else:
            of_new[row] = first.setdefault(url, len(first))
    importance, every, max_age = (_said(column, of_new, len(first)) for column in columns)
    again, _, again_age = (_said(column, of_known, len(pages)) for column in columns)
    said = ~(np.isnan(again) & np.isnan(again_age))
    texts = texts_to_columns("urls", first)
    if groups is not None:
        rows = np.unique(of_new, return_index=True)[1][-len(first) :].tolist() if first else []
        texts |= texts_to_columns("groups", [groups[row] for row in rows])
    return Fact(
        "add",
        {"known": sum(url is not None for url in found.spelled) - len(first)},
        {
            **texts,
            "importance": importance,
            "every": every,
            "max_age": max_age,
            "known": np.fromiter(pages, dtype=np.int64, count=len(pages))[said],
            "known_importance": again[said],
            "known_max_age": again_age[said],
        },
    )


def _said(column: Values, of: Ids, n: int) -> Values:
    """What was said of each of n pages; of one that was named several times what was said last."""
    out = np.full(n, np.nan)
    rows = np.flatnonzero((of >= 0) & ~np.isnan(column))
    out[of[rows]] = column[rows]  # in their order: the last one stays
    return out
