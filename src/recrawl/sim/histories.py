"""Worlds from real histories: the pages and changes are what they were, the signals are drawn or derived.

A unit of time is a day.
"""

import numpy as np

from recrawl.errors import InputError
from recrawl.histories import History
from recrawl.histories.signals import Quality, Signals
from recrawl.model import Pages
from recrawl.sim.events import Events, Times
from recrawl.sim.presence import Presence
from recrawl.sim.world import World


def world_of(history: History, signals: Signals | None = None, announced: Times | None = None) -> World:
    """The world of a history.

    Pages that are there throughout make a world for `simulate`.  For others `announced` says when a crawler hears of
    each page (inf: never); see `coming_and_going`.

    >>> from recrawl.sim import simulate
    >>> pages, times = np.array([0, 1, 0]), np.array([1.0, 2.0, 6.0])
    >>> history = History("h", ("a", "b"), np.zeros(2), np.full(2, np.inf), pages, times, end=10.0)
    >>> simulate(true_pages(history, np.ones(2)), "uniform", rate=2.0, world=world_of(history)).crawls.tolist()
    [10, 10]
    """
    coming = (history.created > 0.0) | np.isfinite(history.removed)
    if announced is None and coming.any():
        raise InputError(
            f"history must have pages that are there throughout, got {int(coming.sum())} that come or go; "
            "take History.alive_throughout, or say when they are announced",
            argument="history",
        )
    heard = Signals.none() if signals is None else signals
    inside = (heard.arrivals > 0.0) & (heard.arrivals <= history.end)
    changes = Events.grouped(history.change_pages, history.change_times, len(history))
    nobody = Events(np.zeros(len(history) + 1, dtype=np.int64), np.empty(0))
    return World(
        history.end,
        changes,
        heard.arrivals[inside],
        heard.pages[inside],
        heard.true[inside],
        given_requests=nobody,
        presence=None if announced is None else Presence(history.created, history.removed, announced),
    )


def true_pages(
    history: History, importance: Times, quality: Quality | None = None, least_changes: float = 0.0
) -> Pages:
    """What hindsight knows of the pages: their mean change rates and the quality of their signals (None: no signals).

    A page that never changed has the rate 0: in hindsight there was no reason to crawl it again.  Where pages come
    there would be none to crawl it once, either; `least_changes` is what a page is given at the least, in all its time.
    """
    rates = history.change_rates
    if least_changes > 0.0:
        days = np.minimum(history.removed, history.end) - history.created
        rates = np.maximum(rates, least_changes / np.maximum(days, 1.0))
    if quality is None:
        return Pages.from_rates(rates, importance)
    return Pages.from_rates(rates, importance, quality.recall, quality.false_rates(history))
