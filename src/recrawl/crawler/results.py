"""What came of a leased page, and how the frontier is told."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from recrawl.compare import versions
from recrawl.compare.extract import digest_of_body
from recrawl.fetch.fetched import Fetched
from recrawl.frontier.answers import Validators
from recrawl.urls import host_of

OF_THE_PAGE = frozenset(
    {
        "too-large",
        "headers-too-large",
        "bad-encoding",
        "bomb",
        "bad-redirect",
        "redirect-loop",
        "too-many-redirects",
        "robots",
        "host-asked-to-wait",
        "port-refused",
        "no-content",
        "left-out",
    }
)
"""Faults that say something of the page, not of its host: the page waits, the host is not blamed."""
NO_CONTENT = (204, 205)
"""Statuses of answers that have no content: nothing is wrong with the host, but there is no version of the page."""
FAILED, GONE = 406, 410
"""Statuses that stand for a page that failed through no fault of its host, and for one that left."""
PREPARED = 65_536
"""Bytes of the largest body that is worked on while others wait: half a millisecond."""


class Prepared(NamedTuple):
    """What is needed of a first copy, found out by who fetched it."""

    digest: str
    packed: bytes


class Result(NamedTuple):
    """What came of one leased page: an answer or a fault, or the reason why it was not asked for."""

    url: str
    token: int
    first: bool
    at: float
    """When it was asked for, in seconds since 1970."""
    fetched: Fetched | None
    refused: str = ""
    """robots: its robots.txt forbids it; robots-unreachable: the site could not say what is forbidden; left-out: the
    settings do not name its site any more."""
    retry_after: float | None = None
    prepared: Prepared | None = None

    @property
    def status(self) -> int | None:
        """The HTTP status, where there was a proper one."""
        status = None if self.fetched is None else self.fetched.status
        return status if status is not None and 100 <= status <= 599 else None

    @property
    def fault(self) -> str:
        """The name of what went wrong; nothing where there was an answer."""
        if self.refused:
            return self.refused
        if self.fetched is None:
            return "internal"
        if self.fetched.error:
            return self.fetched.error
        if self.fetched.status in NO_CONTENT:
            return "no-content"
        return "" if self.status is not None else "bad-response"

    @property
    def is_copy(self) -> bool:
        """Whether there is a version of the page."""
        status = self.status
        return status is not None and 200 <= status < 300 and not self.fault

    @property
    def size(self) -> int:
        """Bytes that it holds in memory."""
        packed = b"" if self.prepared is None else self.prepared.packed
        return 0 if self.fetched is None else len(self.fetched.body) + len(self.fetched.raw) + len(packed)


def prepared(result: Result) -> Result:
    """With what is needed of a first copy, unless that is large.

    Python lets other threads run while it hashes or deflates.  In the thread that hands over, each such moment would
    have it wait for the event loop, and both would pay for changing places twice a page.
    """
    if not (result.first and result.is_copy and result.fetched is not None and len(result.fetched.body) <= PREPARED):
        return result
    body = result.fetched.body
    return result._replace(prepared=Prepared(digest_of_body(body), versions.deflated(body)))


@dataclass(slots=True)
class Answer:
    """What the frontier is told of one lease: a row of the arguments of `Frontier.complete`."""

    token: int
    at: float
    status: int | None = None
    error: str | None = None
    digest: bytes | str | None = None
    validators: Validators | None = None
    retry_after: float | None = None
    moved_to: str | None = None


def answer(result: Result) -> Answer:
    """The row for a result, without what comparing finds out."""
    row = Answer(result.token, result.at)
    wait = result.retry_after if result.fetched is None else result.fetched.retry_after
    if wait is not None and math.isfinite(wait) and wait >= 0.0:
        row.retry_after = wait
    fault = result.fault
    if fault:
        if fault in OF_THE_PAGE or (result.fetched is not None and _elsewhere(result.fetched)):
            row.status = FAILED
        else:
            row.error = fault
        return row
    row.status = result.status
    if result.is_copy and result.fetched is not None:
        row.validators = Validators(_printable(result.fetched.etag), _printable(result.fetched.last_modified))
    return row


def columns(rows: list[Answer]) -> dict[str, Any]:
    """The arguments of `Frontier.complete` for many rows; without those of which nothing is said."""
    said: dict[str, list[Any]] = {
        "error": [row.error for row in rows],
        "digest": [row.digest for row in rows],
        "validators": [row.validators for row in rows],
        "retry_after": [row.retry_after for row in rows],
        "moved_to": [row.moved_to for row in rows],
    }
    found: dict[str, Any] = {name: values for name, values in said.items() if any(v is not None for v in values)}
    return {"status": [row.status for row in rows], "at": [row.at for row in rows], **found}


def _elsewhere(fetched: Fetched) -> bool:
    """Whether a fault happened on another host, which a redirect led to."""
    return host_of(fetched.final_url) != host_of(fetched.url)


def _printable(text: str) -> str:
    return text if text.isprintable() else ""
