"""`Neighbours`: pages of one folder, which tend to change together.  How it works: see news.py."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.arguments import Ids, Values
from recrawl.learn.neighbours import circle, folders, news
from recrawl.learn.neighbours.layout import FIXED, MOST, PER_FOLDER, PER_PAGE, STEPS, Memory, empty_memory, with_rows
from recrawl.learn.online.learner import Learner

Keys = NDArray[np.uint64]
Flags = NDArray[np.bool_]


class Neighbours:
    """What changes found on pages say about others of the same folder.

    Folders are told by keys: numbers that are equal for the pages of one folder, 0 for pages of none.

    >>> neighbours = Neighbours()
    >>> neighbours.join(np.arange(3), np.array([7, 7, 8], dtype=np.uint64))
    >>> neighbours.mates(np.array([0])).tolist(), neighbours.mates(np.array([2])).tolist()
    ([1], [])
    """

    def __init__(self) -> None:
        self._memory: Memory = empty_memory()
        self._folders = 0
        self._used = 0

    @property
    def memory(self) -> Memory:
        """What compiled loops read and write."""
        return self._memory

    # -- who is beside whom --------------------------------------------------------------------------------------------

    def make_room(self, pages: int, hosts: int) -> None:
        """Have room for that many pages and hosts."""
        self._memory = with_rows(self._memory, PER_PAGE, pages)
        self._memory = with_rows(self._memory, ("evidence",), 1 + hosts)

    def join(self, ids: Ids, keys: Keys) -> None:
        """Put pages into the folders of their keys; they leave those that they were in.  O(1) a page."""
        self.make_room(int(ids.max(initial=-1)) + 1, 0)
        self._memory = with_rows(self._memory, PER_FOLDER, self._folders + len(ids))
        self._make_slots(self._used + len(ids))
        folders.leave(self._memory, ids)
        before = self._folders
        self._folders = int(folders.join(self._memory, ids, keys, before))
        self._used += self._folders - before  # or fewer, where a folder was full

    def leave(self, ids: Ids) -> None:
        """Pages are no more.  O(pages of their folders)."""
        folders.leave(self._memory, ids)

    def _make_slots(self, keys: int) -> None:
        slots = len(self._memory.keys)
        if 2 * keys <= slots:
            return
        while 2 * keys > slots:
            slots *= 2
        old = self._memory
        self._memory = old._replace(keys=roomy.zeros((slots,), np.uint64), named=roomy.zeros((slots,), np.int32))
        self._used = int(folders.enter(self._memory, old.keys, old.named))

    def mates(self, ids: Ids) -> Ids:
        """The neighbours of pages."""
        found = np.empty(MOST * len(ids), dtype=np.int64)
        return found[: circle.mates(self._memory, ids, found)]

    # -- the circle ----------------------------------------------------------------------------------------------------

    def counted(
        self,
        learner: Learner,
        ids: Ids,
        elapsed: Values,
        signals: Values,
        changed: Flags,
        alphas: Values,
        kappas: Values,
    ) -> Values:
        """Elapsed times of outcomes as the learner is to take them; shares are judged by these outcomes.

        `alphas`, `kappas`: of all pages, as the engine has them.
        """
        out = np.empty(len(ids))
        circle.before_learning(self._memory, learner.memory, ids, elapsed, signals, changed, alphas, kappas, out)
        return out

    def begin(self, ids: Ids, elapsed: Values) -> None:
        """Pages were crawled and compared, `elapsed` after the crawls before."""
        circle.after_learning(self._memory, ids, elapsed)

    def begin_anew(self, ids: Ids) -> None:
        """Pages have copies of now."""
        circle.forget_news(self._memory, ids)

    def believe(self, learner: Learner, ids: Ids, columns: tuple[Values, ...]) -> Values:
        """alpha, kappa, gamma and mu of pages for an engine that is told the news."""
        split = np.array(columns)
        news.believe(self._memory, learner.memory, ids, split)
        return split

    def whole_drifts(self, ids: Ids, alphas: Values) -> Values:
        """Drifts of pages as the engine has them, with what is left to news: rates of unsignalled changes."""
        return alphas / (1.0 - self._memory.share[ids] / STEPS)

    def tell(
        self, learner: Learner, ids: Ids, at: Values, elapsed: Values, changed: Flags, alphas: Values
    ) -> tuple[Ids, Values]:
        """Changes were found, or not: which pages become staler for it, and by how much."""
        room = MOST * int(np.count_nonzero(changed))
        out, jumps = np.empty(room, dtype=np.int64), np.empty(room)
        told = circle.tell_all(self._memory, learner.memory, ids, at, elapsed, changed, alphas, out, jumps)
        return out[:told], jumps[:told]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._memory)

    # -- keeping -------------------------------------------------------------------------------------------------------

    def by_page(self, which: slice | Ids) -> dict[str, NDArray[Any]]:
        """A copy of what is kept of these pages."""
        return {name: getattr(self._memory, name)[which].copy() for name in PER_PAGE}

    def others(self) -> dict[str, NDArray[Any]]:
        """A copy of what is kept of folders, hosts and all."""
        memory = self._memory
        kept = {name: getattr(memory, name)[: self._folders].copy() for name in PER_FOLDER}
        kept |= {name: getattr(memory, name).copy() for name in (*FIXED, "evidence")}
        used = memory.keys != 0
        return kept | {"keys": memory.keys[used], "named": memory.named[used]}

    @classmethod
    def restored(cls, by_page: Mapping[str, NDArray[Any]], others: Mapping[str, NDArray[Any]]) -> Self:
        """What these were taken of."""
        found = cls()
        found._folders = len(others["first"])
        found.make_room(len(by_page["folder"]), len(others["evidence"]) - 1)
        found._memory = with_rows(found._memory, PER_FOLDER, found._folders)
        for name in PER_PAGE:
            getattr(found._memory, name)[: len(by_page[name])] = by_page[name]
        for name in (*PER_FOLDER, *FIXED, "evidence"):
            getattr(found._memory, name)[: len(others[name])] = others[name]
        found._make_slots(len(others["keys"]))
        found._used = int(folders.enter(found._memory, others["keys"], others["named"]))
        return found
