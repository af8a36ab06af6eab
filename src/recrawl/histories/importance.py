"""How important the pages of a history are: all the same, heavy-tailed by lot, or as a file says."""

import csv
import os

import numpy as np

from recrawl.arguments import above, real
from recrawl.errors import DataError
from recrawl.files import opening
from recrawl.histories.history import History, Times

SHAPE = 1.0
"""Pareto index where none is given, as in Zipf's law: one page in a thousand counts a thousand times the least."""

COLUMNS = ["path", "importance"]


def equal(history: History) -> Times:
    """Every page counts 1."""
    return np.ones(len(history))


def pareto(history: History, rng: np.random.Generator, shape: float = SHAPE) -> Times:
    """P[importance > x] = x^-shape for x >= 1, whatever the page is like."""
    above("shape", shape, 0.0, finite=True)
    return 1.0 + rng.pareto(shape, len(history))


def read_importance(path: str | os.PathLike[str], history: History) -> Times:
    """From a table of path and importance; it may have pages that the history has not, but must have all of these."""
    name = os.fspath(path)
    found: dict[str, float] = {}
    with opening.reading(name), opening.text(name) as file:
        table = csv.reader(file)
        head = next(table, [])
        if head != COLUMNS:
            raise DataError(f"must begin with the line {','.join(COLUMNS)}, got {','.join(head)!r:.80}", name, 1)
        for row in table:
            if len(row) != len(COLUMNS):
                raise DataError(f"must have {len(COLUMNS)} cells, got {len(row)}", name, table.line_num)
            found[row[0]] = _importance(row[1], name, table.line_num)
    missing = [page for page in history.paths if page not in found]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"must have a line for every page, got none for {missing[0]!r}{more}", name)
    return np.array([found[page] for page in history.paths], dtype=np.float64)


def _importance(cell: str, name: str, line: int) -> float:
    try:
        number = real(float(cell))
    except ValueError:
        number = None
    if number is None or not 0.0 <= number < np.inf:
        raise DataError(f"importance must be finite and >= 0, got {cell!r}", name, line)
    return number
