"""Writes the history that comes with the package: `python tools/ship_history.py STEM`, STEM that of kubernetes_website.

Its last four years, times to a ten-thousandth of a day, and the same bytes each time.
"""

import csv
import gzip
import io
import math
import sys
from collections.abc import Iterable
from pathlib import Path

from recrawl.histories.files import CHANGES, PAGES, read_history
from recrawl.histories.shipped import STEM

DAYS = 4 * 365.25


def main(source: str) -> None:
    """Cut the history and write its two tables."""
    history = read_history(source).last(DAYS)
    born, gone = history.created.tolist(), history.removed.tolist()
    pages = ((k, path, _days(born[k]), _days(gone[k])) for k, path in enumerate(history.paths))
    _write(Path(f"{STEM}{PAGES}.gz"), ("page", "path", "created", "removed"), pages)
    both = zip(history.change_pages.tolist(), history.change_times.tolist(), strict=True)
    _write(Path(f"{STEM}{CHANGES}.gz"), ("page", "time"), ((page, _days(time)) for page, time in both))


def _days(time: float) -> str:
    return f"{time:.4f}".rstrip("0").rstrip(".") if math.isfinite(time) else ""


def _write(path: Path, head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(head)
    table.writerows(rows)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.getvalue().encode())
    print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
