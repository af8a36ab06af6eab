"""Change rates and signal quality from what crawls found."""

from recrawl.learn.calibration import Calibration, calibration
from recrawl.learn.fit import Fit, Interval, fit
from recrawl.learn.fit_pages import fit_pages
from recrawl.learn.hints import Hints
from recrawl.learn.latency import Latency, latency
from recrawl.learn.learner import Learner, Uncertainty
from recrawl.learn.log import CrawlLog
from recrawl.learn.log_file import LogFile, read_log
from recrawl.learn.naive import Naive, naive
from recrawl.learn.page_fits import PageFits
from recrawl.learn.sources import SourceFit, fit_sources, together

__all__ = [
    "Calibration",
    "CrawlLog",
    "Fit",
    "Hints",
    "Interval",
    "Latency",
    "Learner",
    "LogFile",
    "Naive",
    "PageFits",
    "SourceFit",
    "Uncertainty",
    "calibration",
    "fit",
    "fit_pages",
    "fit_sources",
    "latency",
    "naive",
    "read_log",
    "together",
]
