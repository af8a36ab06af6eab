"""The maths of a page: pure functions of numbers."""

from recrawl.model.functions import crawl_value, cycle_freshness, cycle_length, staleness, threshold
from recrawl.model.pages import Pages

__all__ = ["Pages", "crawl_value", "cycle_freshness", "cycle_length", "staleness", "threshold"]
