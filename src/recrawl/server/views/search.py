"""Pages by a part of their URL."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.clock import seconds
from recrawl.errors import RecrawlError
from recrawl.frontier import Frontier
from recrawl.frontier.kept.book import STATES
from recrawl.frontier.state import State
from recrawl.server.views.plain import count_of, text_of

SLICE = 20_000
"""Pages whose URLs are copied before others get their turn: 1 to 3 ms."""
MOST_SECONDS = 1.5


def search(frontier: Frontier, params: Mapping[str, str]) -> dict[str, Any]:
    """Up to `limit` pages whose URL contains `q`, upper and lower case alike; the page with this very URL comes first.

    URLs are looked through from page `after` on, for a second and a half at most; `next` says where to go on.
    """
    wanted = text_of(params, "q")
    limit = count_of(params, "limit", 20, 100)
    start = 0 if "after" not in params else count_of(params, "after", 1, 999_999_999)
    found = [] if start else _exact(frontier, wanted)
    needle = wanted.lower().encode("utf-8", "surrogatepass")
    until = seconds() + MOST_SECONDS
    known = frontier.look(lambda state, _: len(state.pairing.learner))
    at = start
    while at < known and len(found) < limit and seconds() < until:
        sizes, texts = frontier.look(partial(_urls, start=at, stop=min(at + SLICE, known)))
        for page in _matches(sizes, texts.tobytes().lower(), needle):
            at_page = at + page
            if at_page not in found:
                found.append(at_page)
            if len(found) == limit:
                at = at_page + 1
                break
        else:
            at += SLICE
    rows = frontier.look(lambda state, now: _rows(state, found, now))
    return {"q": wanted, "pages": rows, "next": at if at < known else None, "looked_at": min(at, known), "all": known}


def _urls(state: State, _: float, start: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    return state.urls.columns(start, stop)


def _exact(frontier: Frontier, url: str) -> list[int]:
    try:
        page = frontier.page(url)
    except RecrawlError:  # not a whole URL
        return []
    return [] if page is None else frontier.look(lambda state, _: state.urls.find([page.url]).tolist())


def _matches(sizes: NDArray[np.int32], texts: bytes, needle: bytes) -> list[int]:
    """Rows of the texts that contain the needle."""
    rows = np.flatnonzero(sizes >= 0)
    ends = np.cumsum(sizes[rows])
    found, at = [], texts.find(needle)
    while at >= 0:
        k = int(np.searchsorted(ends, at, side="right"))
        if at + len(needle) <= ends[k]:
            found.append(int(rows[k]))
            at = texts.find(needle, int(ends[k]))
        else:  # it begins in one text and ends in another
            at = texts.find(needle, at + 1)
    return found


def _rows(state: State, pages: list[int], now: float) -> list[dict[str, Any]]:
    ids = np.array(pages, dtype=np.int64)
    ids = ids[state.book.state[ids] > 0]
    if not len(ids):
        return []
    fresh = np.exp(-state.pairing.scheduler.staleness(ids, now))
    return [
        {
            "url": url,
            "state": STATES[int(state.book.state[i])],
            "fresh": float(chance) if STATES[int(state.book.state[i])] == "copy" else None,
            "fetched": float(state.book.fetched[i]) or None,
        }
        for url, i, chance in zip(state.urls.texts(ids), ids.tolist(), fresh, strict=True)
    ]
