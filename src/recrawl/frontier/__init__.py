"""The durable frontier: pages by URL, leased at a rate, learned about, and never lost.

The names below load when they are first used: `Frontier` brings the engine and the learner.  Who only needs the
answers' types need not wait for it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recrawl.frontier.answers import (
        Added,
        Batch,
        Completed,
        Freshness,
        Heard,
        HostSet,
        HostView,
        LeasedPage,
        PageView,
        Requested,
        Validators,
    )
    from recrawl.frontier.frontier import Frontier
    from recrawl.frontier.settings import Settings
    from recrawl.frontier.warming import start_at_once, warm_up

__all__ = [
    "Added",
    "Batch",
    "Completed",
    "Freshness",
    "Frontier",
    "Heard",
    "HostSet",
    "HostView",
    "LeasedPage",
    "PageView",
    "Requested",
    "Settings",
    "Validators",
    "start_at_once",
    "warm_up",
]

_HOMES = {"Frontier": "frontier", "Settings": "settings", "start_at_once": "warming", "warm_up": "warming"}
"""Where names are that are no answers."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'answers')}"), name)
