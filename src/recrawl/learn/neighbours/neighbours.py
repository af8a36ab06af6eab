"""`Neighbours`: pages of one folder, which tend to change together.  How it works: see news.py."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.arguments import Ids, Values
from recrawl.learn.neighbours import folders, news, outcomes
from recrawl.learn.neighbours.layout import (
    FIRST_SLOTS,
    FIXED,
    IN_COMPANY,
    PER_FOLDER,
    PER_PAGE,
    STEPS,
    Memory,
    empty_memory,
    with_rows,
)
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
        folders.leave(self._memory, ids)
        self._make_slots(len(ids))
        self._folders, new = folders.join(self._memory, ids, keys, self._folders)
        self._used += new

    def leave(self, ids: Ids) -> None:
        """Pages are no more.  O(pages of their folders)."""
        folders.leave(self._memory, ids)

    def _make_slots(self, more: int) -> None:
        """Have room for so many keys more.  At least half of the table is free, and two thirds when it is made."""
        memory = self._memory
        if 2 * (self._used + more) > len(memory.keys):
            in_use = np.count_nonzero((memory.keys != 0) & (memory.size[memory.named] > 0)) if self._folders else 0
            self._new_table(_slots_for(int(in_use) + more))

    def _new_table(self, slots: int) -> None:
        keys, named = roomy.zeros((slots,), np.uint64), roomy.zeros((slots,), np.int32)
        self._used = int(folders.move_keys(self._memory, self._folders, keys, named))
        self._memory = self._memory._replace(keys=keys, named=named)

    def mates(self, ids: Ids) -> Ids:
        """The neighbours of pages."""
        found = np.empty(int(self._sizes(ids).sum()), dtype=np.int64)
        return found[: outcomes.mates(self._memory, ids, found)]

    def changed_by_joining(self, ids: Ids, keys: Keys) -> Ids:
        """Pages whose entries change when these pages join the folders of these keys."""
        firsts = np.empty(len(keys), dtype=np.int64)
        firsts = firsts[: folders.first_pages(self._memory, keys, firsts)]
        return np.unique(np.concatenate((ids, self.mates(ids), firsts)))

    def _sizes(self, ids: Ids) -> NDArray[np.int32]:
        folder = self._memory.folder[ids]
        return np.where(folder >= 0, self._memory.size[np.maximum(folder, 0)], 0) if self._folders else folder * 0

    def problems(self, ids: Ids) -> list[str]:
        """What is wrong with the folders of pages, in words, if these are all there are."""
        memory, found = self._memory, []
        inside = ids[memory.folder[ids] >= 0]
        counts = np.bincount(memory.folder[inside], minlength=self._folders)
        if not np.array_equal(counts, memory.size[: self._folders]):
            found.append("a folder counts its pages wrongly")
        after = memory.after[inside]
        if not (np.array_equal(np.sort(after), inside) and (memory.folder[after] == memory.folder[inside]).all()):
            found.append("the pages of a folder do not lead to each other")
        else:
            broken = folders.first_broken(memory, self._folders)
            found += [f"folder {broken:,} does not lead to all of its pages"] if broken >= 0 else []
        if memory.numbers[IN_COMPANY] != counts[counts > 1].sum():
            found.append(f"{counts[counts > 1].sum():,} pages have neighbours, not {memory.numbers[IN_COMPANY]:,.0f}")
        return found

    # -- outcomes of crawls --------------------------------------------------------------------------------------------

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
        outcomes.before_learning(self._memory, learner.memory, ids, elapsed, signals, changed, alphas, kappas, out)
        return out

    def begin(self, ids: Ids, elapsed: Values, changed: Flags) -> None:
        """Pages were crawled and compared, `elapsed` after the crawls before, and had changed or not."""
        outcomes.after_learning(self._memory, ids, elapsed, changed)

    def begin_anew(self, ids: Ids) -> None:
        """Pages have copies of now, and there was nothing to compare."""
        outcomes.forget_news(self._memory, ids)

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
        room = int(self._sizes(ids[changed]).sum())
        out, jumps = np.empty(room, dtype=np.int64), np.empty(room)
        told = outcomes.tell_all(self._memory, learner.memory, ids, at, elapsed, changed, alphas, out, jumps)
        return out[:told], jumps[:told]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(array.nbytes for array in self._memory)

    # -- keeping -------------------------------------------------------------------------------------------------------

    def by_page(self, which: slice | Ids) -> dict[str, NDArray[Any]]:
        """A copy of what is kept of these pages."""
        return {name: getattr(self._memory, name)[which].copy() for name in PER_PAGE}

    def others(self, hosts: int) -> dict[str, NDArray[Any]]:
        """A copy of what is kept of folders, of the first so many hosts, and of all."""
        memory = self._memory
        kept = {name: getattr(memory, name)[: self._folders].copy() for name in PER_FOLDER}
        kept |= {name: getattr(memory, name).copy() for name in FIXED}
        used = np.flatnonzero(memory.keys)
        kept |= {"keys": memory.keys[used], "named": memory.named[used]}
        return kept | {"evidence": memory.evidence[: 1 + hosts].copy()}

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
        found._memory = found._memory._replace(keys=others["keys"], named=others["named"])
        found._new_table(_slots_for(len(others["keys"])))
        return found


def _slots_for(keys: int) -> int:
    """A power of 2, of which so many keys take a third at most."""
    return max(FIRST_SLOTS, 1 << max(3 * keys - 1, 0).bit_length())
