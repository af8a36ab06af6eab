"""The best continuous policy for a bandwidth: `recrawl.optimum`."""

from recrawl.optimal.optimum import Optimum, optimum

__all__ = ["Optimum", "optimum"]
