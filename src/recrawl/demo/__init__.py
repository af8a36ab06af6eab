"""The demo: the whole crawler and three rivals in one living web, four years in a minute, and who kept copies fresh."""

from recrawl.demo.course import run
from recrawl.demo.result import Result, Row
from recrawl.demo.settings import Settings

__all__ = ["Result", "Row", "Settings", "run"]
