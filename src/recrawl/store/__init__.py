"""Durable facts: a journal that only grows, snapshots that let it start anew, and a shelf of small facts by name."""

from recrawl.store.checking import JournalReport, Report, SnapshotReport, check
from recrawl.store.memory import MemoryStore
from recrawl.store.memory_shelf import MemoryShelf
from recrawl.store.protocol import Group, Store
from recrawl.store.read_only import ReadOnlyStore, reading
from recrawl.store.salvaging import salvage
from recrawl.store.shelf import Shelf
from recrawl.store.shelf_protocol import AnyShelf
from recrawl.store.sqlite import SqliteStore

__all__ = [
    "AnyShelf",
    "Group",
    "JournalReport",
    "MemoryShelf",
    "MemoryStore",
    "ReadOnlyStore",
    "Report",
    "Shelf",
    "SnapshotReport",
    "SqliteStore",
    "Store",
    "check",
    "reading",
    "salvage",
]
