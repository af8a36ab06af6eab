"""What the dashboard shows: plain functions of a frontier and the parameters of the request, by name.

Theory of operation
-------------------
1. A view looks at the frontier for a few milliseconds at a time (`Frontier.look`).  What takes longer is done on a
   sample of pages, or on all of them a slice at a time, and kept for a while.
2. What a frontier does not keep is remembered here, bounded and in memory (memory.py): samples of freshness and
   counters over time, predictions and what became of them, and the last events.  `watch` begins to remember; a server
   calls it at its start, and `tick` every few seconds.  A view that is asked for also does both.
3. Answers are dicts of what JSON has: numbers that are not known are None, never NaN.  Times are in seconds since 1970,
   rates are per second, shares are from 0 to 1.
"""

from collections.abc import Callable, Mapping
from typing import Any

from recrawl.frontier import Frontier
from recrawl.server.views.calibration import calibration
from recrawl.server.views.curve import curve
from recrawl.server.views.hosts import hosts
from recrawl.server.views.memory import tick, watch
from recrawl.server.views.overview import overview
from recrawl.server.views.page import page
from recrawl.server.views.search import search
from recrawl.server.views.series import series
from recrawl.server.views.sources import sources

View = Callable[[Frontier, Mapping[str, str]], dict[str, Any]]

VIEWS: dict[str, View] = {
    "overview": overview,
    "series": series,
    "curve": curve,
    "hosts": hosts,
    "sources": sources,
    "calibration": calibration,
    "page": page,
    "search": search,
}

__all__ = ["VIEWS", "View", "tick", "watch"]
