"""Calls that only look, as generators of requests (exchange.py).  They take what `Frontier`'s take."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from recrawl.arguments import whole_number
from recrawl.client import reading
from recrawl.client.exchange import Call, Request
from recrawl.client.sending import Urls
from recrawl.errors import InputError
from recrawl.frontier.answers import Freshness, HostView, PageView

if TYPE_CHECKING:
    from recrawl.learn.named.sources import SourceQuality

MOST = 10_000
"""Pages or hosts that the service gives at once."""


def page(url: str) -> Call[PageView | None]:
    """What is known of a page; None where it is not in the frontier."""
    if not isinstance(url, str):
        raise InputError(f"url must be a URL, got {url!r:.80}", argument="url")
    said = (yield _get("/v1/page", url=Urls.of(url, skip_bad=False).texts[0]))["page"]
    return None if said is None else reading.page(said)


def pages(after: int = -1, limit: int = 1000) -> Call[tuple[list[PageView], int]]:
    """Pages by the numbers they have there: up to `limit` beyond number `after`, and where to go on."""
    after, left = whole_number("after", after, -1), whole_number("limit", limit, 1)
    found: list[PageView] = []
    while left > 0:
        said = yield _get("/v1/pages", after=after, limit=min(left, MOST))
        found += map(reading.page, said["pages"])
        after, left = said["after"], left - len(said["pages"])
        if not said["pages"]:
            break
    return found, after


def hosts(after: int = -1, limit: int | None = None) -> Call[list[HostView]]:
    """How hosts are doing, in the order they came: all, or up to `limit` beyond number `after`, counted from 0."""
    after, most = whole_number("after", after, -1), None if limit is None else whole_number("limit", limit, 1)
    found: list[HostView] = []
    while most is None or len(found) < most:
        said = yield _get("/v1/hosts", after=after, limit=MOST if most is None else min(most - len(found), MOST))
        found += map(reading.host, said["hosts"])
        after = said["after"]
        if not said["hosts"]:
            break
    return found


def sources(host: str | None = None) -> Call[list["SourceQuality"]]:
    """What was learned of sources of signals, on all hosts or on one."""
    if host is not None and not isinstance(host, str):
        raise InputError(f"host must be one of the frontier's, got {host!r:.80}", argument="host")
    said = yield _get("/v1/sources", **({} if host is None else {"host": host}))
    return [reading.source(each) for each in said["sources"]]


def rate() -> Call[float | None]:
    """Pages a second; None for no limit."""
    found: float | None = (yield _get("/v1/rate"))["rate"]
    return found


def statistics() -> Call[dict[str, int]]:
    """Counters since the beginning, and how many pages, hosts, leases and so on there are now."""
    found: dict[str, int] = (yield _get("/v1/statistics"))["counts"]
    return found


def freshness() -> Call[Freshness]:
    """How fresh the copies are, as far as is known."""
    return reading.freshness((yield _get("/v1/statistics"))["freshness"])


def _get(path: str, **query: Any) -> Request:
    try:
        return Request("GET", f"{path}?{urlencode(query)}" if query else path)
    except UnicodeEncodeError:  # surrogates that stand alone
        name, value = next((name, value) for name, value in query.items() if isinstance(value, str))
        raise InputError(f"{name} must be text that can be written as UTF-8, got {value!r:.80}", name) from None
