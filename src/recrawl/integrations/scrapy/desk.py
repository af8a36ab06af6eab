"""`Desk`: where leases are taken and outcomes handed in; it keeps the frontier's calls out of the reactor.

`lease`, `flush`, `open` and `close` block, and are for threads: one works, others wait.  All else is for the reactor's
thread and returns at once.  What both touch are a dict and deques, whose single operations are atomic.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from recrawl.clock import seconds
from recrawl.errors import InputError, RecrawlError
from recrawl.frontier import LeasedPage
from recrawl.integrations.scrapy.door import AnyFrontier, opened
from recrawl.integrations.scrapy.options import Options
from recrawl.integrations.scrapy.outcomes import FAILED, Outcome, columns

logger = logging.getLogger(__name__)
FAILURES = (RecrawlError, OSError)
"""What may go away by itself: a full disk, a server that is not there."""
AT_ONCE = 1000
"""Outcomes and pages handed in with one call at most."""


@dataclass(slots=True, eq=False)
class Lease:
    """A page that was leased and not answered for, and how far Scrapy is with it."""

    page: LeasedPage
    until: float
    """When it expires, by this process's clock."""
    outcome: Outcome | None = None
    """Of a copy, until callback and pipelines are done."""
    meta: dict[str, Any] = field(default_factory=dict)
    items: int = 0
    """Items under way in the pipelines."""
    called: bool = False
    """Whether the callback has ended."""
    failed: bool = False
    """Whether the callback or a pipeline raised."""


class Desk:
    """Leases and outcomes of one crawl."""

    def __init__(self, options: Options, opener: Callable[[Options], AnyFrontier] = opened) -> None:
        self._options, self._opener = options, opener
        self._frontier: AnyFrontier | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._live: dict[int, Lease] = {}
        self._outcomes: deque[Outcome] = deque()
        self._pages: deque[str] = deque()

    # -- for threads ---------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the frontier, unless the crawl has ended before its thread came to that."""
        with self._lock:
            if not self._closed:
                self._frontier = self._opener(self._options)

    def lease(self, n: int) -> tuple[list[Lease], float]:
        """Up to n pages, and seconds after which to ask again; none once it is closed.  They stand in the table."""
        with self._lock:
            if self._frontier is None:
                return [], 1.0
            until = seconds() + self._options.lease
            batch = self._frontier.lease(n, seconds=self._options.lease)
            leases = [Lease(page, until) for page in batch]
            self._live.update((lease.page.token, lease) for lease in leases)
            return leases, batch.wait

    def flush(self) -> None:
        """Hand in what has come together.  What could not be handed in is kept, and the error raised."""
        with self._lock:
            self._hand_in()

    def close(self) -> None:
        """Hand in the rest, give back what was not fetched, and let go of the frontier."""
        with self._lock:
            self._closed = True
            frontier = self._frontier
            if frontier is None:
                return
            try:
                self._hand_in()
                frontier.give_back(list(self._live))
            except FAILURES as error:
                logger.warning(
                    "%d outcomes could not be told (%s): these pages, and %d that are leased, will be fetched again",
                    len(self._outcomes), error, len(self._live),
                )  # fmt: skip
            finally:
                self._frontier = None
                self._live.clear()
                frontier.close()

    def _hand_in(self) -> None:
        # Pages first: those that a page led to must be known before that page counts as fetched.
        while self._frontier is not None and self._pages:
            pages = [self._pages[k] for k in range(min(len(self._pages), AT_ONCE))]
            self._frontier.add(pages, skip_bad=True)
            _drop(self._pages, len(pages))
        while self._frontier is not None and self._outcomes:
            rows = [self._outcomes[k] for k in range(min(len(self._outcomes), AT_ONCE))]
            for row in rows:
                row.compared(self._options.rules)
            self._complete(self._frontier, rows)
            _drop(self._outcomes, len(rows))

    def _complete(self, frontier: AnyFrontier, rows: list[Outcome]) -> None:
        try:
            frontier.complete([row.token for row in rows], **columns(rows))
        except InputError as error:  # nothing was done: one of them is wrong
            if len(rows) == 1:
                logger.warning("an outcome was refused, and its page counts as failed: %s", error)
                frontier.complete([rows[0].token], status=FAILED)
                return
            for row in rows:
                self._complete(frontier, [row])

    # -- for the reactor's thread --------------------------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        """Whether there is something to be handed in."""
        return bool(self._pages or self._outcomes)

    def held(self) -> int:
        """How many leases are live.  Those that nobody answered for in twice their time are forgotten."""
        now = seconds()
        for token, lease in list(self._live.items()):
            if lease.until + self._options.lease < now:
                self._live.pop(token, None)
        return sum(lease.until >= now for lease in list(self._live.values()))

    def find(self, token: object) -> Lease | None:
        """The lease of a token that was not answered for."""
        return self._live.get(token) if isinstance(token, int) else None

    def expired(self, lease: Lease) -> bool:
        """Whether the page may be someone else's by now."""
        return lease.until < seconds()

    def tell(self, outcome: Outcome) -> bool:
        """An outcome, to be handed in with the next flush; False where the lease was answered for before."""
        if self._live.pop(outcome.token, None) is None:
            return False
        self._outcomes.append(outcome)
        return True

    def add(self, url: str) -> None:
        """A page that was found, to be handed in with the next flush."""
        self._pages.append(url)


def _drop(queue: "deque[Any]", n: int) -> None:
    for _ in range(n):
        queue.popleft()
