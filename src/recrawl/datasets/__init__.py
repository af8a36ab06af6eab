"""Published data on how pages change, turned into rates; and a stand-in for when they are not at hand."""

from recrawl.datasets.sample import UrlSample, read_sample
from recrawl.datasets.stand_in import stand_in

__all__ = ["UrlSample", "read_sample", "stand_in"]
