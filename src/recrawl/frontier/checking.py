"""Whether the parts of a state agree with each other; for tests, and for operators who ask."""

from typing import TYPE_CHECKING

import numpy as np

from recrawl.frontier.kept.book import NONE

if TYPE_CHECKING:
    from recrawl.arguments import Ids
    from recrawl.frontier.state import State


def problems(state: "State") -> list[str]:
    """What does not agree, in words; nothing where all is well.  Looks at every page."""
    pages = np.flatnonzero(state.book.state != NONE)
    return [*_engine(state, pages), *_urls(state, pages), *_leases(state, pages), *_hosts(state, pages)]


def _engine(state: "State", pages: "Ids") -> list[str]:
    found = []
    try:
        state.pairing.scheduler.check()
    except AssertionError as error:
        found.append(f"the scheduler: {error}")
    for name, size in (("scheduler", len(state.pairing.scheduler)), ("table of URLs", len(state.urls))):
        if size != len(pages):
            found.append(f"the {name} has {size:,} pages, the book {len(pages):,}")
    return [*found, *(f"neighbours: {what}" for what in state.neighbours.problems(pages))]


def _urls(state: "State", pages: "Ids") -> list[str]:
    try:
        wrong = pages[state.urls.find(state.urls.texts(pages)) != pages]
    except ValueError as error:
        return [f"a page has no URL: {error}"]
    return [f"{len(wrong):,} URLs do not lead to their page, the first to page {wrong[0]}"] if len(wrong) else []


def _leases(state: "State", pages: "Ids") -> list[str]:
    known, found = set(pages.tolist()), []
    live = list(state.leases.live())
    for token, lease in live:
        if lease.page not in known:
            found.append(f"lease {token} is of page {lease.page}, which is not there")
        elif state.leases.token_of(lease.page) != token:
            found.append(f"page {lease.page} is leased twice")
    held = set(state.pairing.in_flight())
    if held != {lease.page for _, lease in live}:
        found.append(f"{len(held):,} pages are in flight, {len(live):,} are leased")
    return found


def _hosts(state: "State", pages: "Ids") -> list[str]:
    hosts, found = state.hosts, []
    counts = np.bincount(state.book.host[pages], minlength=len(hosts))[: len(hosts)]
    wrong = np.flatnonzero(counts != hosts.pages[: len(hosts)]).tolist()
    found += [f"host {hosts.names[k]} counts {hosts.pages[k]:,} pages, and has {counts[k]:,}" for k in wrong[:3]]
    leased = np.zeros(len(hosts), dtype=np.int64)
    for _, lease in state.leases.live():
        leased[state.book.host[lease.page]] += 1
    for host in np.flatnonzero(leased).tolist():
        in_flight = state.pairing.scheduler.host_state(host)[1]
        if in_flight != leased[host]:
            found.append(f"host {hosts.names[host]} has {in_flight:,} pages in flight, and {leased[host]:,} leased")
    return found
