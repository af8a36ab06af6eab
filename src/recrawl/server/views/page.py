"""One page: what is known of it, what happened to it, how its copy aged, and why it is or is not next."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from recrawl.errors import InputError
from recrawl.frontier import Frontier
from recrawl.frontier.outcomes import RESULTS
from recrawl.frontier.state import State
from recrawl.frontier.views import page as known_of
from recrawl.server.views.aging import aged
from recrawl.server.views.events import CAME, SIGNAL, Event, Events
from recrawl.server.views.memory import tick
from recrawl.server.views.plain import number, text_of
from recrawl.server.views.why import Belief, why

MOST_EVENTS = 500


def page(frontier: Frontier, params: Mapping[str, str]) -> dict[str, Any]:
    """All about the page with `url`; `found` is false where there is none."""
    url = text_of(params, "url", 8192)
    memory = tick(frontier)
    try:
        known = frontier.page(url)
    except InputError as error:
        return {"found": False, "url": url, "reason": str(error)}
    if known is None:
        return {"found": False, "url": url, "reason": "this URL is not in the frontier"}
    return frontier.look(lambda state, now: _told(state, now, known.url, memory.events))


def _told(state: State, now: float, url: str, events: Events) -> dict[str, Any]:
    i = int(state.urls.find([url])[0])
    if i < 0:
        return {"found": False, "url": url, "reason": "this page has just been forgotten"}
    view = known_of(state, i, now)
    belief = Belief.of(state, i, now)
    mine = events.of(i)[-MOST_EVENTS:]
    known = {name: number(value) if isinstance(value, float) else value for name, value in asdict(view).items()}
    del known["validators"], known["digest"]
    return {
        "found": True,
        **known,
        "now": now,
        "level": number(state.level.value),
        "staleness": number(belief.staleness),
        "unsignalled_rate": belief.alpha,
        "signals_since": round(float(state.pairing.learner.heard(np.array([i]))[0]), 3),
        "why": why(state, i, now, view, belief),
        "events": [_event(event, events) for event in mine],
        "events_since": events.begun,
        "aging": aged(mine, view, belief, now),
    }


def _event(event: Event, events: Events) -> dict[str, Any]:
    told: dict[str, Any] = {"time": event.time}
    if event.kind == SIGNAL:
        return told | {
            "what": "signal",
            "source": events.source(event.source),
            "happened": None if math.isnan(event.detail) else event.detail,
        }
    return told | {"what": "moved here" if event.kind == CAME else RESULTS[event.kind]}
