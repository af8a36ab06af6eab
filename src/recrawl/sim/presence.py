"""Pages that come and go: when each is there, and when a crawler hears of it."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from recrawl.errors import InputError
from recrawl.sim.events import Times


@dataclass(frozen=True)
class Presence:
    """A page is there from `born` until `removed` (inf: to the end); a crawler hears of it at `announced`.

    Who hears of a page at 0 has a copy from then on, as in every simulation.  Other pages have none before their first
    crawl: until then they are stale.
    """

    born: Times
    removed: Times
    announced: Times

    def __post_init__(self) -> None:
        bad = np.flatnonzero(~((self.born <= self.announced) & (self.born <= self.removed)))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"announced and removed must not be before born, got {self.announced[row]:g} and "
                f"{self.removed[row]:g} for {self.born[row]:g} in row {row}",
                argument="announced",
                row=row,
            )

    @classmethod
    def throughout(cls, m: int) -> Self:
        """Pages that neither come nor go."""
        return cls(np.zeros(m), np.full(m, np.inf), np.zeros(m))

    def days(self, begin: float, end: float) -> Times:
        """For how long of [begin, end] each page is there."""
        there = np.minimum(self.removed, end) - np.maximum(self.born, begin)
        return np.asarray(np.maximum(there, 0.0))
