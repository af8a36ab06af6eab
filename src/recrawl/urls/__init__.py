"""URLs: one spelling for each, and a compact table that finds them."""

from recrawl.urls.normal import Refused, host_of, normalise, normalise_all, origin_of
from recrawl.urls.table import UrlTable

__all__ = ["Refused", "UrlTable", "host_of", "normalise", "normalise_all", "origin_of"]
