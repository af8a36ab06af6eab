"""Change rates and signal quality from what crawls found."""

from recrawl.learn.calibration import Calibration, calibration
from recrawl.learn.fit import Fit, Interval, fit
from recrawl.learn.fit_pages import PageFits, fit_pages
from recrawl.learn.latency import Latency, latency
from recrawl.learn.log import CrawlLog
from recrawl.learn.log_file import LogFile, read_log
from recrawl.learn.naive import Naive, naive
from recrawl.learn.sources import SourceFit, fit_sources, together

__all__ = [
    "Calibration",
    "CrawlLog",
    "Fit",
    "Interval",
    "Latency",
    "LogFile",
    "Naive",
    "PageFits",
    "SourceFit",
    "calibration",
    "fit",
    "fit_pages",
    "fit_sources",
    "latency",
    "naive",
    "read_log",
    "together",
]
