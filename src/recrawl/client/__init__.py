"""The frontier of a service (`recrawl serve`), called like one in this process: `Client` and `AsyncClient`.

A call is written once, as a generator that yields requests and gets what was answered (telling.py, asking.py); what is
repeated, and when, stands in exchange.py.  Neither knows of sockets.  client.py and asynchronous.py bring the requests
to the service: one waits, the other awaits.

The names load when they are first used, so that who wants one of them need not wait for the other.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recrawl.client.asynchronous import AsyncClient
    from recrawl.client.client import Client

__all__ = ["AsyncClient", "Client"]

_HOMES = {"AsyncClient": "asynchronous", "Client": "client"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
