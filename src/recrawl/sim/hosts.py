"""Politeness in a simulation: which host a page is on, and how far apart crawls of a host must be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import column
from recrawl.engine import Scheduler
from recrawl.errors import InputError


@dataclass(frozen=True)
class Hosts:
    """`of_page` numbers the host of each page (-1: none); `gap` is the least time between crawls of a host.

    One gap for all hosts, or one for each.

    >>> Hosts([0, 0, 1], gap=0.5).gaps().tolist()
    [0.5, 0.5]
    """

    of_page: ArrayLike
    gap: ArrayLike

    def gaps(self) -> np.ndarray:
        """The gap of each host."""
        count = int(np.max(np.asarray(self.of_page), initial=-1)) + 1
        given = column("gap", self.gap)
        if given.ndim and len(given) != count:
            raise InputError(f"gap must be one number or one for each of {count} hosts, got {len(given)}", "gap")
        return np.broadcast_to(given, (count,))

    def limit(self, scheduler: Scheduler) -> None:
        """Tell the scheduler."""
        for host, gap in enumerate(self.gaps().tolist()):
            scheduler.set_host(host, gap=gap)
