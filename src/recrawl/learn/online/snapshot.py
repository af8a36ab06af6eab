"""A learner in one file."""

import os

from recrawl.learn.online.layout import SCRATCH, Memory, empty_memory
from recrawl.state_file import StateFormat

_FORMAT = StateFormat(b"RCLEARN\0", 4, "learner")


def save(path: str | os.PathLike[str], memory: Memory) -> None:
    """Write all arrays."""
    _FORMAT.save(path, {}, {name: array for name, array in memory._asdict().items() if name not in SCRATCH})


def load(path: str | os.PathLike[str]) -> Memory:
    """Read what `save` wrote, or refuse it with a reason."""
    _, arrays = _FORMAT.load(path)
    return empty_memory()._replace(**arrays)
