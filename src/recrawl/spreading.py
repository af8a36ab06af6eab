"""New beliefs for all pages, a few with each call: first those whose value is near the level, then all in turn."""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from recrawl.arguments import Ids
    from recrawl.engine import Scheduler

LOOKS = 8
"""Looking at the value of this many pages costs as much as a new belief for one."""
NEAR = 0.5
"""Pages worth this part of the level or more get new beliefs first."""
SAME = 1.25
"""Levels whose logarithms differ by less are one: who was looked at for one of them need not be for the other."""


class Spreading(NamedTuple):
    """How far new beliefs have come."""

    looked: int
    """Pages up to this one have been looked at, and have new beliefs if they were near the level."""
    level: float
    at: int
    """The next of all pages, in turn."""
    left: int
    """How many are left then."""


def spread_from(before: Spreading | None, level: float, pages: int) -> Spreading:
    """All of so many pages need new beliefs: those near the level first, if there is one (not 0)."""
    looked, at = 0 if level > 0.0 else pages, 0
    if before is not None:
        at = before.at
        if level > 0.0 and abs(math.log(before.level / level) if before.level > 0.0 else 9.0) < SAME:
            looked = before.looked  # or looking would begin anew each time, and never end
    return Spreading(looked, level, at, pages)


def next_pages(
    now_at: Spreading, scheduler: "Scheduler", pages: int, now: float, room: int
) -> tuple["Ids", Spreading | None, int]:
    """Which of so many pages are next, where that leads (None: to the end), and how much of `room` is left."""
    looked, level, at, left = now_at
    if looked < pages:
        ids = np.arange(looked, min(looked + LOOKS * room, pages))
        alive = ids[scheduler.known(ids)]
        chosen = alive[scheduler.value(alive, now) >= NEAR * level]
        ends = looked + len(ids)
        if len(chosen) > room:
            chosen = chosen[:room]
            ends = int(chosen[-1]) + 1
        room -= (ends - looked) // LOOKS + 1
        return chosen, Spreading(ends, level, at, left), room - len(chosen)
    chosen = np.arange(at, min(at + min(room, left), pages))
    left -= len(chosen)
    after = Spreading(looked, level, (at + len(chosen)) % pages, left) if left > 0 else None
    return chosen, after, room - len(chosen)
