"""Change rates and signal quality from what crawls found."""

from recrawl.learn.fit.fit import Fit, Interval, fit
from recrawl.learn.fit.naive import Naive, naive
from recrawl.learn.fit.sources import SourceFit, fit_sources, together
from recrawl.learn.hints import Hints
from recrawl.learn.latency import Latency, latency
from recrawl.learn.logs.log import CrawlLog
from recrawl.learn.logs.read import LogFile, read_log
from recrawl.learn.online.learner import Learner, Uncertainty
from recrawl.learn.pages.calibration import Calibration, calibration
from recrawl.learn.pages.fit_pages import fit_pages
from recrawl.learn.pages.page_fits import PageFits

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
