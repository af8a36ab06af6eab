"""One polite fetch: addresses that may be asked, limits, redirects, decompression, politeness.

The names below load when they are first used: the client brings aiohttp, which takes a while to import.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recrawl.fetch.client import Fetcher
    from recrawl.fetch.fetched import FAULTS, Fetched, Hop
    from recrawl.fetch.limits import Limits
    from recrawl.fetch.politeness import Gate

__all__ = ["FAULTS", "Fetched", "Fetcher", "Gate", "Hop", "Limits"]

_HOMES = {
    "FAULTS": "fetched",
    "Fetched": "fetched",
    "Fetcher": "client",
    "Gate": "politeness",
    "Hop": "fetched",
    "Limits": "limits",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
