"""Tables as CSV files and as Markdown."""

import csv
from collections.abc import Sequence
from math import isnan
from pathlib import Path

from recrawl.files.whole import whole_text
from recrawl.paper.report.result import Row

LAST = ("mean", "standard_error", "repetitions")


def check(rows: Sequence[Row]) -> None:
    """Every row has the same columns, and ends with mean, standard error and repetitions."""
    if not rows:
        raise ValueError("a table needs at least one row")
    columns = list(rows[0])
    if tuple(columns[-3:]) != LAST:
        raise ValueError(f"the last columns must be {', '.join(LAST)}, got {columns}")
    for row in rows:
        if list(row) != columns:
            raise ValueError(f"all rows must have the columns {columns}, got {list(row)}")


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write a CSV file; numbers in full, so that nothing is lost on the way into another program."""
    check(rows)
    with whole_text(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([_cell(value) for value in row.values()] for row in rows)


def _cell(value: str | int | float) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.9g}"
    return str(value)


def markdown(rows: Sequence[Row], most: int = 30) -> list[str]:
    """The first ``most`` rows as a Markdown table; mean and standard error share a column."""
    check(rows)
    keys = [name for name in rows[0] if name not in LAST]
    lines = ["| " + " | ".join([*(key.replace("_", " ") for key in keys), "mean ± standard error", "n"]) + " |"]
    lines.append("|" + "---|" * (len(keys) + 2))
    for row in rows[:most]:
        cells = [shown(row[key]) for key in keys]
        lines.append("| " + " | ".join([*cells, mean_text(row), str(row["repetitions"])]) + " |")
    return lines


def shown(value: str | int | float) -> str:
    """A key for people."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else value


def mean_text(row: Row) -> str:
    """Mean and standard error, to the digits the error leaves standing."""
    mean, error = float(row["mean"]), float(row["standard_error"])
    if isnan(error):
        return f"{mean:.4g}"
    if error == 0.0:
        return f"{mean:.5g}"
    return f"{mean:.{_digits(error)}f} ± {error:.{_digits(error)}f}"


def _digits(error: float) -> int:
    from math import floor, log10

    return min(max(1 - floor(log10(error)), 0), 8)
