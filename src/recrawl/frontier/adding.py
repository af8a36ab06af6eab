"""Pages that come, and settings of pages that were there."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recrawl.arguments import MOST_COUNT, Ids, Values
from recrawl.errors import RecrawlError
from recrawl.frontier.facts import Fact, texts_from_columns
from recrawl.frontier.kept.book import NEW
from recrawl.frontier.kept.firsts import rank_of
from recrawl.learn import Hints
from recrawl.learn.online.layout import MOST_UNIT
from recrawl.urls import host_of
from recrawl.urls.folders import folder_keys

if TYPE_CHECKING:
    from recrawl.frontier.state import State

LEAST_UNIT = 60.0
"""Before the first outcome no average page is expected to be fetched more often than once in this many seconds."""
HINT_SPREAD = 5.0
"""Hints of how often a page changes are typically off by this factor."""


def add(state: "State", fact: Fact) -> dict[str, Any]:
    """Pages that are new, and pages that were known and are to be seen otherwise."""
    columns, now = fact.columns, state.now
    urls = texts_from_columns("urls", columns)
    if urls:
        groups = texts_from_columns("groups", columns) if "groups" in columns else map(host_of, urls)
        ids = _add_new(state, urls, list(groups), columns["importance"], columns["every"], columns["max_age"], now)
        if not np.array_equal(ids, columns["ids"]):  # every later fact names pages by their numbers
            raise RecrawlError(f"the journal numbers these pages {columns['ids']!r:.60}, this recrawl {ids!r:.60}")
    known = columns["known"]
    if len(known):
        state.touch(known)
        _update(state, known, columns["known_importance"], columns["known_max_age"], now)
    return {"new": len(urls), "known": fact.fields["known"]}


def _add_new(
    state: "State", urls: list[str], groups: list[str], importance: Values, every: Values, max_age: Values, now: float
) -> Ids:
    hosts = np.array([state.host(name) for name in groups], dtype=np.int64)
    missing = np.isnan(importance)
    if missing.any():
        importance = np.where(missing, _usual_importance(state), importance)
    hints = None if np.isnan(every).all() else Hints(1.0 / every, spread=HINT_SPREAD)
    ages = np.where(np.isnan(max_age), np.inf, max_age)
    _expect(state, len(urls), every)
    state.touch(state.pairing.scheduler.next_free(len(urls)))
    ids = state.pairing.add(
        len(urls),
        now,
        hosts=hosts,
        prior=hints,
        importance=importance,
        max_age=ages,
        fetched=False,
        folders=folder_keys(urls),
    )
    state.make_room()
    state.urls.add(ids, urls)
    book = state.book
    book.clear(ids)
    book.state[ids], book.host[ids] = NEW, hosts
    np.add.at(state.hosts.pages, hosts, 1)
    state.sources.forget(ids)
    if state.settings.discovery is not None:
        _queue(state, ids)
    state.count("added", len(ids))
    return ids


def _queue(state: "State", ids: Ids) -> None:
    """Have pages wait for a first visit outside the scheduler."""
    pages = state.pairing.learner.pages(ids)
    worth = np.divide(pages.importance, pages.change_rate, where=pages.change_rate > 0, out=np.zeros(len(ids)))
    ranks = [rank_of(value) for value in worth.tolist()]
    state.book.rank[ids] = ranks
    state.pairing.muted[ids] = True
    state.pairing.believe(ids, state.now)
    state.firsts.push(ids.tolist(), state.book.host[ids].tolist(), ranks)


def _update(state: "State", ids: Ids, importance: Values, max_age: Values, now: float) -> None:
    given = ~np.isnan(importance)
    if given.any():
        state.pairing.learner.reweigh(ids[given], importance[given], now)
        state.pairing.believe(ids[given], now)
    given = ~np.isnan(max_age)
    if given.any():
        state.pairing.scheduler.set_max_age(ids[given], max_age[given], now)


def _usual_importance(state: "State") -> float:
    """That of an average page; requests can lift it beyond what may be given."""
    return min(float(state.pairing.learner.check_new(1).importance[0]), MOST_COUNT) if len(state.urls) else 1.0


def _expect(state: "State", more: int, every: Values) -> None:
    """Before the first outcome only the rate tells how often an average page will be crawled, or else hints."""
    learner, rate = state.pairing.learner, state.limit.rate
    if rate and not learner.outcomes:
        learner.expect_unit(min(max((len(state.urls) + more) / rate, LEAST_UNIT), MOST_UNIT))
    elif rate is None and not learner.outcomes and not np.isnan(every).all():
        learner.expect_unit(min(max(float(np.exp(np.nanmean(np.log(every)))), LEAST_UNIT), MOST_UNIT))
