"""Who has been given which page, until when, and whose answers may still come.

States of a lease
-----------------
    live     -- given out; ends with an answer, or at its expiry
    late     -- expired; the page is offered again, but the answer is still taken, once
    answered -- nothing is kept of it: a number below the next one that is neither live nor late
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

MOST_LATE = 100_000
"""Late leases beyond this many are forgotten, the oldest first: their answers count as given twice."""


class Lease(NamedTuple):
    """One page given out."""

    page: int
    counts: bytes
    """Signals by source that belong to the interval that the fetch ends."""
    heard: float
    """The same as the learner counts them."""
    late: bool


class Leases:
    """Leases by token: 1, 2, 3, ... in the order they are given."""

    def __init__(self) -> None:
        self.next_token = 1
        self._leases: dict[int, Lease] = {}
        self._late: dict[int, None] = {}
        self._tokens: dict[int, int] = {}
        self._batches: list[tuple[float, int, int]] = []

    def grant(self, pages: list[int], counts: list[bytes], heard: list[float], expires: float) -> list[int]:
        """Leases of these pages; their tokens.  O(1) a page."""
        first = self.next_token
        self.next_token += len(pages)
        tokens = list(range(first, self.next_token))
        leases = map(Lease, pages, counts, heard, repeat(False))
        self._leases.update(zip(tokens, leases, strict=True))
        self._tokens.update(zip(pages, tokens, strict=True))
        heapq.heappush(self._batches, (expires, first, len(pages)))
        return tokens

    def find(self, token: int) -> Lease | None:
        """The lease, None where it was answered; see `known`."""
        return self._leases.get(token)

    def find_all(self, tokens: Iterable[int]) -> list[Lease | None]:
        """The same of many."""
        return list(map(self._leases.get, tokens))

    def pages(self, tokens: Iterable[int]) -> list[int]:
        """The pages of leases that are live or late."""
        leases = self._leases
        return [leases[token].page for token in tokens]

    def known(self, token: int) -> bool:
        """Whether there ever was such a token."""
        return 0 < token < self.next_token

    def all_known(self, tokens: Sequence[Any]) -> bool:
        """Whether these are whole numbers, and tokens that there ever were."""
        return set(map(type, tokens)) == {int} and min(tokens) > 0 and max(tokens) < self.next_token

    def expiry(self, token: int) -> float:
        """When a live lease expires.  O(batches)."""
        return next(expires for expires, first, count in self._batches if first <= token < first + count)

    def token_of(self, page: int) -> int | None:
        """The live lease of a page."""
        return self._tokens.get(page)

    def end(self, token: int) -> None:
        """An answer came."""
        lease = self._leases.pop(token)
        if lease.late:
            del self._late[token]
        else:
            del self._tokens[lease.page]

    def end_all(self, tokens: Sequence[int]) -> list[Lease]:
        """Answers came; the leases that they end."""
        leases = list(map(self._leases.pop, tokens))
        for token, lease in zip(tokens, leases, strict=True):
            if lease.late:
                del self._late[token]
            else:
                del self._tokens[lease.page]
        return leases

    def expire(self, now: float) -> list[int]:
        """Tokens of leases that were live and are late from now on, in order."""
        ended: list[int] = []
        while self._batches and self._batches[0][0] <= now:
            _, first, count = heapq.heappop(self._batches)
            ended += [t for t in range(first, first + count) if (lease := self._leases.get(t)) and not lease.late]
        for token in ended:
            lease = self._leases[token] = self._leases[token]._replace(late=True)
            self._late[token] = None
            del self._tokens[lease.page]
        for token in list(islice(self._late, max(len(self._late) - MOST_LATE, 0))):
            self.end(token)
        return ended

    def next_expiry(self) -> float | None:
        """When the next batch of leases expires, if some of it is still live."""
        while self._batches:
            expires, first, count = self._batches[0]
            if any((lease := self._leases.get(t)) and not lease.late for t in range(first, first + count)):
                return expires
            heapq.heappop(self._batches)
        return None

    def forget_page(self, page: int) -> None:
        """The page is gone: answers to its leases have nothing to be about."""
        token = self._tokens.get(page)
        if token is not None:
            self.end(token)
        if self._late:
            for token in [t for t in self._late if self._leases[t].page == page]:
                self.end(token)

    def recount(self, token: int, counts: bytes, heard: float) -> None:
        """Other signals belong to the interval that the fetch ends."""
        self._leases[token] = self._leases[token]._replace(counts=counts, heard=heard)

    def rename(self, page: int, new: int) -> None:
        """The page has another number."""
        for token in [t for t, lease in self._leases.items() if lease.page == page]:
            self._leases[token] = self._leases[token]._replace(page=new)
        live = self._tokens.pop(page, None)
        if live is not None:
            self._tokens[new] = live

    def prolong(self, seconds: float) -> None:
        """All live leases last longer by that."""
        self._batches = [(expires + seconds, first, count) for expires, first, count in self._batches]

    def live(self) -> Iterator[tuple[int, Lease]]:
        """All that are live, in order of their tokens."""
        return ((token, lease) for token, lease in self._leases.items() if not lease.late)

    def __len__(self) -> int:
        return len(self._tokens)

    @property
    def late(self) -> int:
        """How many are late."""
        return len(self._late)

    # -- keeping -----------------------------------------------------------------------------------------------------

    def columns(self) -> dict[str, NDArray[Any]]:
        """Everything."""
        tokens = sorted(self._leases)
        leases = [self._leases[t] for t in tokens]
        width = max((len(lease.counts) for lease in leases), default=0)
        counts = b"".join(lease.counts.ljust(width, b"\0") for lease in leases)
        return {
            "next_token": np.array([self.next_token]),
            "tokens": np.array(tokens, dtype=np.int64),
            "pages": np.array([lease.page for lease in leases], dtype=np.int64),
            "heard": np.array([lease.heard for lease in leases], dtype=np.float64),
            "late": np.array([lease.late for lease in leases], dtype=np.uint8),
            "late_order": np.array(list(self._late), dtype=np.int64),
            "counts": np.frombuffer(counts, dtype=np.uint8),
            "batches": np.array(sorted(self._batches), dtype=np.float64).reshape(-1),
        }

    @classmethod
    def from_columns(cls, columns: dict[str, NDArray[Any]]) -> Self:
        """What `columns` was taken of."""
        leases = cls()
        leases.next_token = int(columns["next_token"][0])
        tokens = columns["tokens"].tolist()
        whole = columns["counts"].tobytes()
        width = len(whole) // len(tokens) if tokens else 0
        rows = zip(tokens, columns["pages"].tolist(), columns["heard"].tolist(), columns["late"].tolist(), strict=True)
        for k, (token, page, heard, late) in enumerate(rows):
            leases._leases[token] = Lease(page, whole[k * width : (k + 1) * width], heard, bool(late))
            if not late:
                leases._tokens[page] = token
        leases._late = dict.fromkeys(columns["late_order"].tolist())
        leases._batches = [(row[0], int(row[1]), int(row[2])) for row in columns["batches"].reshape(-1, 3).tolist()]
        heapq.heapify(leases._batches)
        return leases
