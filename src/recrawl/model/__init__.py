"""The maths of a page: pure functions of numbers."""

from recrawl.model.functions import crawl_value, cycle_freshness, cycle_length, staleness, threshold
from recrawl.model.pages import Pages
from recrawl.model.sources import Sources

__all__ = ["Pages", "Sources", "crawl_value", "cycle_freshness", "cycle_length", "staleness", "threshold"]
