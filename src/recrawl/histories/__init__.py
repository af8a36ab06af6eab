"""What real pages did: when each came, changed and went.  Read from files, made from git and other archives."""

from recrawl.histories.history import BULK, History
from recrawl.histories.shipped import shipped

__all__ = ["BULK", "History", "shipped"]
