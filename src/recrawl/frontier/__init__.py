"""The durable frontier: pages by URL, leased at a rate, learned about, and never lost."""

from recrawl.frontier.answers import (
    Added,
    Batch,
    Completed,
    Freshness,
    Heard,
    HostView,
    LeasedPage,
    PageView,
    Requested,
    Validators,
)
from recrawl.frontier.frontier import Frontier
from recrawl.frontier.settings import Settings
from recrawl.frontier.warming import warm_up

__all__ = [
    "Added",
    "Batch",
    "Completed",
    "Freshness",
    "Frontier",
    "Heard",
    "HostView",
    "LeasedPage",
    "PageView",
    "Requested",
    "Settings",
    "Validators",
    "warm_up",
]
