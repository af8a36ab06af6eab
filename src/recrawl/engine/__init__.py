"""Who is crawled next: `scan.py` is the definition, `scheduler.py` the fast one, exactly equal."""

from recrawl.engine.pacer import Pacer
from recrawl.engine.scan import Scan
from recrawl.engine.scheduler import Scheduler

__all__ = ["Pacer", "Scan", "Scheduler"]
