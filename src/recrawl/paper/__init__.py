"""Every experiment of the paper, run again: one module a figure, each with a table, a plot and a computed verdict."""

from recrawl.paper.catalogue import NAMES, get
from recrawl.paper.report.result import Result
from recrawl.paper.settings import Settings

__all__ = ["NAMES", "Result", "Settings", "get"]
