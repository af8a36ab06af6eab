"""What Scrapy says of a fetch, as a row of the arguments of `Frontier.complete`."""

import math
from dataclasses import dataclass
from typing import Any

from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Response

from recrawl.clock import wall_seconds
from recrawl.compare import Rules, digest, extract
from recrawl.errors import InputError
from recrawl.frontier import Validators
from recrawl.signals.http_dates import retry_after
from recrawl.urls import host_of, normalise

FAILED, GONE = 406, 410
"""Statuses that stand for a page that failed through no fault of its host, and for one that left."""
PERMANENT = (301, 308)
NO_CONTENT = (204, 205)
"""Answers that have no content: nothing is wrong with the host, but there is no version of the page."""
NOT_MODIFIED = 304
FAULTS: tuple[tuple[type[BaseException], str], ...] = (
    (DownloadTimeoutError, "timeout"),
    (TimeoutError, "timeout"),
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "refused"),
    (ResponseDataLossError, "truncated"),
    (DownloadFailedError, "connection"),
    (OSError, "connection"),
)
"""Errors that are a host's fault, by name.  All others are the page's: robots.txt forbids it, it is too large, ..."""
LEASE, FIRST = "recrawl_lease", "recrawl_first"
"""What requests say in `meta`: the token, and whether the page was never fetched before."""
STATUS, CHANGED, DIGEST = "recrawl_status", "recrawl_changed", "recrawl_digest"
"""What a callback may say in `response.meta`."""


@dataclass(slots=True)
class Outcome:
    """One row; of a copy also what it is compared by, so that comparing can be done in a thread."""

    token: int
    status: int | None = None
    error: str | None = None
    changed: bool | None = None
    digest: str | bytes | int | None = None
    validators: Validators | None = None
    retry_after: float = math.nan
    moved_to: str | None = None
    copy: tuple[str, bytes, str] | None = None
    """URL, body and content type of a copy whose digest was not given."""

    @property
    def is_copy(self) -> bool:
        """Whether there is a version of the page."""
        return self.status is not None and 200 <= self.status < 300

    def compared(self, rules: Rules) -> None:
        """Find the digest, where there is a copy and nobody gave one."""
        if self.copy is not None:
            url, body, kind = self.copy
            self.digest, self.copy = digest(extract(rules.of(url), body, kind)), None


def columns(rows: list[Outcome]) -> dict[str, Any]:
    """The arguments of `Frontier.complete` for many rows."""
    names = ("status", "error", "changed", "digest", "validators", "retry_after", "moved_to")
    return {name: [getattr(row, name) for row in rows] for name in names}


def of_response(token: int, response: Response) -> Outcome:
    """What an answer says; what a callback says of it comes later (`said`)."""
    row = Outcome(token, response.status if 100 <= response.status <= 599 else FAILED)
    if row.status in NO_CONTENT or _is_unasked_part(response):
        row.status = FAILED
    if row.is_copy:
        row.validators = Validators(_header(response, "ETag"), _header(response, "Last-Modified"))
        row.copy = response.url, response.body, _header(response, "Content-Type")
    elif response.status in PERMANENT:
        row.moved_to = target(response)
        row.status = response.status if row.moved_to else FAILED
    elif response.status in (429, 503) and (wait := _header(response, "Retry-After")):
        seconds = retry_after(wait, wall_seconds())
        row.retry_after = math.nan if seconds is None or seconds < 0.0 else seconds
    if response.request is not None and not row.is_copy and _elsewhere(response.request):
        row.status = row.status if row.status in (304, 404, 410) else FAILED
        row.moved_to = None
    return row


def _is_unasked_part(response: Response) -> bool:
    """Whether it is a part of the page, although nobody asked for a range."""
    return response.status == 206 and (response.request is None or "Range" not in response.request.headers)


def said(row: Outcome, meta: dict[str, Any]) -> None:
    """Let what the callback says go before what was found."""
    if meta.get(STATUS) is not None:
        row.status = meta[STATUS]
        if not (isinstance(row.status, int) and 200 <= row.status < 300):
            row.validators = row.copy = None
            return
    row.changed = meta.get(CHANGED)
    if meta.get(DIGEST) is not None:
        row.digest, row.copy = meta[DIGEST], None


def of_error(token: int, error: BaseException | None, request: Request) -> Outcome:
    """What a download that brought no answer says."""
    for kind, name in FAULTS:
        if isinstance(error, kind) and not _elsewhere(request):
            return Outcome(token, error=name)
    return Outcome(token, FAILED)


def target(response: Response) -> str | None:
    """Where a redirect leads, where that is a URL a frontier takes."""
    location = _header(response, "Location")
    try:
        return normalise(location, base=response.url) if location else None
    except (InputError, ValueError):
        return None


def _elsewhere(request: Request) -> bool:
    """Whether redirects have led to another host, which is not to blame the first for."""
    came = request.meta.get("redirect_urls") or (request.url,)
    return host_of(came[0]) != host_of(request.url)


def _header(response: Response, name: str) -> str:
    raw = response.headers.get(name) or b""
    text = raw.decode("latin-1").strip()
    return text if text.isprintable() else ""
