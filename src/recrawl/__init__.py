"""Which page to crawl next, from change rates, importance and noisy change signals.

The names below are the whole public surface. They load on first use, so that ``import recrawl`` costs
nothing before the numbers are needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from recrawl.errors import (
    DataError,
    InfeasibleError,
    InputError,
    InUseError,
    MissingExtraError,
    NotAllowedError,
    RecrawlError,
    StoppedEarlyError,
    StoreFullError,
    UnavailableError,
    UndeterminedError,
)

if TYPE_CHECKING:
    from recrawl import learn, policies, shards, sim
    from recrawl.client import AsyncClient, Client
    from recrawl.engine import Pacer, Scheduler
    from recrawl.frontier import Frontier
    from recrawl.model import Pages, Sources, crawl_value, cycle_freshness, cycle_length, staleness, threshold
    from recrawl.optimal import Optimum, optimum
    from recrawl.sim import simulate

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "Client",
    "DataError",
    "Frontier",
    "InUseError",
    "InfeasibleError",
    "InputError",
    "MissingExtraError",
    "NotAllowedError",
    "Optimum",
    "Pacer",
    "Pages",
    "RecrawlError",
    "Scheduler",
    "Sources",
    "StoppedEarlyError",
    "StoreFullError",
    "UnavailableError",
    "UndeterminedError",
    "__version__",
    "crawl_value",
    "cycle_freshness",
    "cycle_length",
    "learn",
    "optimum",
    "policies",
    "shards",
    "sim",
    "simulate",
    "staleness",
    "threshold",
]

_HOME = {
    "AsyncClient": "recrawl.client",
    "Client": "recrawl.client",
    "Frontier": "recrawl.frontier",
    "Optimum": "recrawl.optimal",
    "Pacer": "recrawl.engine",
    "Pages": "recrawl.model",
    "Scheduler": "recrawl.engine",
    "Sources": "recrawl.model",
    "crawl_value": "recrawl.model",
    "cycle_freshness": "recrawl.model",
    "cycle_length": "recrawl.model",
    "optimum": "recrawl.optimal",
    "simulate": "recrawl.sim",
    "staleness": "recrawl.model",
    "threshold": "recrawl.model",
}


def __getattr__(name: str) -> object:
    if name in ("learn", "policies", "shards", "sim"):
        return import_module(f"recrawl.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'recrawl' has no attribute {name!r}")
    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # the next access is a plain lookup
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
