"""Hosts, or politeness groups, by name: what is asked of each, and how it is doing."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recrawl.frontier.kept.backoff import HOST_FAILURES, HOST_WAIT, MOST_HOST_WAIT, wait_of
from recrawl.frontier.kept.table import Table


class Hosts(Table):
    """Hosts numbered 0, 1, 2, ... in the order they came."""

    COLUMNS: ClassVar[dict[str, type[Any]]] = {
        "pages": np.int64,
        "gap": np.float64,  # seconds between two fetches; NaN: as the settings say
        "max_in_flight": np.int32,  # 0: as the settings say
        "failures": np.uint16,  # in a row, of the kind that is the host's fault
        "pauses": np.uint16,  # in a row, without a success between
        "paused_until": np.float64,  # 0 for never
        "probing": np.uint8,  # one page at a time is tried, until one succeeds
    }

    pages: NDArray[np.int64]
    gap: NDArray[np.float64]
    max_in_flight: NDArray[np.int32]
    failures: NDArray[np.uint16]
    pauses: NDArray[np.uint16]
    paused_until: NDArray[np.float64]
    probing: NDArray[np.uint8]

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def find(self, name: str) -> int | None:
        """The number of a host."""
        return self._numbers.get(name)

    def number(self, name: str) -> int:
        """The number of a host, which is new where it has none."""
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self.names)
            self.names.append(name)
            self.make_room(found + 1)
            self.gap[found] = math.nan
        return found

    def failed(self, host: int, now: float) -> float | None:
        """A failure that is the host's fault; until when the host is paused for it, None where it is not."""
        self.failures[host] = min(int(self.failures[host]) + 1, 65535)
        if self.failures[host] < HOST_FAILURES and not self.probing[host]:
            return None
        if self.paused_until[host] > now:
            return None  # an answer to a fetch from before the pause
        self.pauses[host] = min(int(self.pauses[host]) + 1, 65535)
        wait = wait_of(np.array([host]), self.pauses[host : host + 1], HOST_WAIT, MOST_HOST_WAIT)
        self.probing[host] = 1
        return self.pause(host, now + float(wait[0]))

    def pause(self, host: int, until: float) -> float:
        """Leave the host alone until then, or for longer where it is paused for longer."""
        self.paused_until[host] = max(float(self.paused_until[host]), until)
        return float(self.paused_until[host])

    def succeeded(self, host: int) -> bool:
        """A fetch worked; whether the host was being probed."""
        was = bool(self.probing[host])
        self.failures[host] = self.pauses[host] = self.probing[host] = 0
        return was

    def restore(self, names: list[str], columns: dict[str, NDArray[Any]]) -> None:
        """Have these hosts, with what `columns` gave of them."""
        for name in names:
            self.number(name)
        self.set_columns(slice(0, len(names)), columns)
