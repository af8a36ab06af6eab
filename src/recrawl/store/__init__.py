"""Durable facts: a journal that only grows, and snapshots that let it start anew."""

from recrawl.store.checking import JournalReport, Report, SnapshotReport, check
from recrawl.store.memory import MemoryStore
from recrawl.store.protocol import Group, Store
from recrawl.store.read_only import ReadOnlyStore, reading
from recrawl.store.salvaging import salvage
from recrawl.store.sqlite import SqliteStore

__all__ = [
    "Group",
    "JournalReport",
    "MemoryStore",
    "ReadOnlyStore",
    "Report",
    "SnapshotReport",
    "SqliteStore",
    "Store",
    "check",
    "reading",
    "salvage",
]
