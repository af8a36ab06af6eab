"""A page that lives under another URL from now on: its history goes along."""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.arguments import Ids
from recrawl.frontier.kept.backoff import MOST_PAGE_WAIT, PAGE_WAIT, wait_of
from recrawl.urls import host_of
from recrawl.urls.folders import folder_keys

if TYPE_CHECKING:
    from recrawl.frontier.state import State


def move(state: "State", page: int, late: bool, url: str) -> int | None:
    """The page has moved to `url`; its number then, None where there was a page already, which is the one then.

    `late`: the answer came after the lease had ended, so that the page is not held.
    """
    one = np.array([page])
    if not late:
        state.pairing.failed(one, state.now)
    if int(state.urls.find([url])[0]) >= 0:
        state.remove(one)
        return None
    if keeps_host(state, page, state.urls.texts(one)[0], url):
        state.urls.remove(one)
        state.urls.add(one, [url])
        state.pairing.refolder(one, folder_keys([url]), state.now)
    else:
        page = _to_another_host(state, page, url)
    if state.leases.token_of(page) is None:
        _wait_for_the_next(state, np.array([page]))
    return page


def keeps_host(state: "State", page: int, old: str, new: str) -> bool:
    """Whether politeness counts for the same host as before: of one host, or of a group that was told."""
    return host_of(old) == host_of(new) or state.hosts.names[int(state.book.host[page])] != host_of(old)


def _wait_for_the_next(state: "State", one: Ids) -> None:
    """Fetched from its new place at once; but who moves again and again, without being there, has to wait."""
    again = state.book.moves[one]
    state.book.moves[one] += again < 255
    when = -np.inf
    if again[0]:
        when = state.now + float(wait_of(one, again, PAGE_WAIT, MOST_PAGE_WAIT)[0])
        state.pairing.hold(one, state.now)
        state.pairing.failed(one, state.now, when)
    state.wait_again(one, when)


def _to_another_host(state: "State", page: int, url: str) -> int:
    """Hosts are for life to the scheduler, so the page gets a new number."""
    one, now = np.array([page]), state.now
    host = state.host(host_of(url))
    state.touch(state.pairing.scheduler.next_free(1))
    new = state.pairing.move(page, host, now, int(folder_keys([url])[0]))
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
    state.leases.rename(page, new)
    state.remove(one)
    return new
