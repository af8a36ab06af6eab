"""Which numbers pages will have, said before it happens, so that the journal names them for whoever reads it later.

The scheduler gives out the numbers of removed pages first, the last removed before the others, then new ones.
"""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.arguments import Ids
from recrawl.frontier.moving import keeps_host

if TYPE_CHECKING:
    from recrawl.frontier.state import State

MERGED = -1
"""In place of a number: the page is another one from now on, which was there before."""


def of_added(state: "State", n: int) -> Ids:
    """The numbers that n pages will have if they are added now.  O(n)."""
    scheduler = state.pairing.scheduler
    again = scheduler.next_free(n)
    first = scheduler.ids_given
    return np.concatenate((again, np.arange(first, first + n - len(again))))


def of_moved(state: "State", pages: list[int], olds: list[str], news: list[str]) -> Ids:
    """The numbers that pages will have once they have moved, one after the other, from old URLs to new ones."""
    free = state.pairing.scheduler.next_free(len(pages)).tolist()
    unused = state.pairing.scheduler.ids_given
    known: dict[str, bool] = {}
    found = []
    for page, old, new in zip(pages, olds, news, strict=True):
        there = known[new] if new in known else state.urls.find([new])[0] >= 0
        known[old] = False
        if there:
            found.append(MERGED)
            free.insert(0, page)
            continue
        known[new] = True
        if keeps_host(state, page, old, new):
            found.append(page)
        else:
            if free:
                found.append(free.pop(0))
            else:
                found.append(unused)
                unused += 1
            free.insert(0, page)
    return np.array(found, dtype=np.int64)
