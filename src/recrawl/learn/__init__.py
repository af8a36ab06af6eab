"""Change rates and signal quality from what crawls found."""

from recrawl.learn.fit import Fit, Interval, fit
from recrawl.learn.fit_pages import PageFits, fit_pages
from recrawl.learn.log import CrawlLog
from recrawl.learn.naive import Naive, naive

__all__ = ["CrawlLog", "Fit", "Interval", "Naive", "PageFits", "fit", "fit_pages", "naive"]
