"""Collects what happened to pages into a `History`: what the makers (git, sitemaps, feeds) have in common.

Moments are seconds since 1970 here, and days since the first of them in the history.
"""

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from recrawl.errors import InputError
from recrawl.histories.history import BULK, History, Marks

DAY_S = 86_400.0

Progress = Callable[[int, int], None]
"""Is told how many steps are done, and of how many."""


@dataclass(frozen=True)
class Made:
    """A history, the moment at which it begins (seconds since 1970), and what should be known about its making."""

    history: History
    began: float
    notes: tuple[str, ...] = ()

    def since(self, moment: float) -> "Made":
        """The part from a moment on; all of it where it begins later."""
        start = (moment - self.began) / DAY_S
        if start <= 0.0:
            return self
        if start >= self.history.end:
            last = date_text(self.began + self.history.end * DAY_S)
            raise InputError(
                f"since must be before the last thing that happened to a page, {last}, got {date_text(moment)}",
                argument="since",
            )
        return replace(self, history=self.history.between(start), began=moment)


class Maker:
    """Pages are born, change, move and go; moments may come in any order, groups of changes one after another."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._created = array("d")
        self._removed = array("d")
        self._change_pages = array("q")
        self._change_moments = array("d")
        self._marks = array("b")

    def __len__(self) -> int:
        return len(self._paths)

    def born(self, path: str, moment: float) -> int:
        """A new page; its number."""
        self._paths.append(path)
        self._created.append(moment)
        self._removed.append(np.inf)
        return len(self._paths) - 1

    def moved(self, page: int, path: str) -> None:
        """The page is elsewhere from now on; the last path is the one it is known by."""
        self._paths[page] = path

    def changed(self, page: int, moment: float) -> None:
        """The page is another from this moment on."""
        self._change_pages.append(page)
        self._change_moments.append(moment)

    def gone(self, page: int, moment: float) -> None:
        """The page is no longer there."""
        self._removed[page] = moment

    def together(self) -> None:
        """The changes since the last call were one edit: a bulk edit where they are many."""
        size = len(self._change_moments) - len(self._marks)
        self._marks.extend([size > BULK] * size)

    def history(self, name: str, began: float) -> History:
        """All of it; times have the four decimals that files have, so that written and read it is the same."""
        moments = np.array(self._change_moments, dtype=np.float64)
        order = np.argsort(moments, kind="stable")
        created, removed, times = (
            np.round((np.array(of, dtype=np.float64) - began) / DAY_S, 4)
            for of in (self._created, self._removed, moments[order])
        )
        marked: Marks | None = np.array(self._marks, dtype=np.bool_)[order] if self._marks else None
        ends = (times.max(initial=0.0), created.max(initial=0.0), removed[np.isfinite(removed)].max(initial=0.0))
        pages = np.array(self._change_pages, dtype=np.int64)[order]
        history = History(name, _told_apart(self._paths), created, removed, pages, times, float(max(ends)), marked)
        history.check()
        return history


def _told_apart(paths: list[str]) -> tuple[str, ...]:
    """The second page of a path is PATH#2: it was removed, and made again later."""
    taken, seen = set(paths), Counter[str]()
    found = []
    for path in paths:
        seen[path] += 1
        name = path
        while seen[path] > 1 and name in taken:
            name = f"{path}#{seen[path]}"
            seen[path] += name in taken
        taken.add(name)
        found.append(name)
    return tuple(found)


def counted(n: int, what: str) -> str:
    """A count with its noun.

    >>> counted(1, "page"), counted(2000, "page"), counted(2, "entry")
    ('1 page', '2,000 pages', '2 entries')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what.removesuffix('y') + 'ie' if what.endswith('y') else what}s"


def date_text(moment: float) -> str:
    """A moment as a date, UTC.

    >>> date_text(86400.0)
    '1970-01-02'
    """
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
