"""A page that lives under another URL from now on: its history goes along."""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.urls import host_of

if TYPE_CHECKING:
    from recrawl.frontier.state import State


def move(state: "State", page: int, late: bool, url: str) -> int | None:
    """The page has moved to `url`; its number then, None where there was a page already, which is the one then.

    `late`: the answer came after the lease had ended, so that the page is not held.
    """
    one = np.array([page])
    if not late:
        state.pairing.failed(one, state.now)
    there = int(state.urls.find([url])[0])
    if there >= 0:
        state.remove(one)
        return None
    old = state.urls.texts(one)[0]
    if host_of(url) == host_of(old):
        state.urls.remove(one)
        state.urls.add(one, [url])
        if state.leases.token_of(page) is None:
            state.wait_again(one, -np.inf)
        return page
    return _to_another_host(state, page, url)


def _to_another_host(state: "State", page: int, url: str) -> int:
    """Hosts are for life to the scheduler, so the page gets a new number."""
    one, now = np.array([page]), state.now
    host = state.host(host_of(url))
    state.touch(state.pairing.scheduler.next_free(1))
    new = state.pairing.move(page, host, now)
    state.make_room()
    also = np.array([new])
    state.urls.add(also, [url])
    state.book.copy(page, new)
    state.book.host[new] = host
    state.hosts.pages[host] += 1
    state.sources.move(page, new)
    state.validators.put(also, state.validators.get(one))
    if len(state.pairing.muted):
        state.pairing.muted[new] = state.pairing.muted[page]
    state.pairing.believe(also, now)
    token = state.leases.token_of(page)
    state.leases.rename(page, new)
    state.remove(one)
    if token is None:
        state.wait_again(also, -np.inf)
    return new
