"""Columns that grow together: one row for each page, or for each host."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.arguments import Ids


class Table:
    """Arrays of one length, by name; a class of tables names them in COLUMNS."""

    COLUMNS: ClassVar[dict[str, type[Any]]]

    def __init__(self) -> None:
        for name, kind in self.COLUMNS.items():
            setattr(self, name, roomy.zeros((0,), kind))

    def make_room(self, rows: int) -> None:
        """Have that many rows at least; a few more each time, so that growing costs O(1) a row."""
        held = self.rows
        if rows > held:
            rows = max(rows, held + held // 32, 16)
            for name in self.COLUMNS:
                setattr(self, name, roomy.longer(getattr(self, name), rows))

    @property
    def rows(self) -> int:
        """How many rows there are, used or not."""
        return len(getattr(self, next(iter(self.COLUMNS))))

    def clear(self, which: Ids) -> None:
        """Make rows zero."""
        for name in self.COLUMNS:
            getattr(self, name)[which] = 0

    def copy(self, old: int, new: int) -> None:
        """What is known of one row is known of another."""
        for name in self.COLUMNS:
            getattr(self, name)[new] = getattr(self, name)[old]

    def columns(self, which: slice | Ids) -> dict[str, NDArray[Any]]:
        """Copies of all columns, of these rows."""
        return {name: np.array(getattr(self, name)[which]) for name in self.COLUMNS}

    def set_columns(self, which: slice | Ids, columns: dict[str, NDArray[Any]]) -> None:
        """Put back what `columns` gave."""
        for name in self.COLUMNS:
            getattr(self, name)[which] = columns[name]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(getattr(self, name).nbytes for name in self.COLUMNS)
