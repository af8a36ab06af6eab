"""A uniform sample of URLs with importance and change rate."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import DataError, InputError, MissingExtraError

COLUMNS = ("importance", "change_rate", "complete")


@dataclass(frozen=True)
class UrlSample:
    """Importance, changes per day, and whether the URL has a sitemap its publishers called reliable ("complete")."""

    importance: NDArray[np.float64]
    change_rate: NDArray[np.float64]
    complete: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.importance)


def read_sample(path: str, size: int, seed: int) -> UrlSample:
    """``size`` URLs drawn uniformly and without repeats from a file of `recrawl dataset`, read batch by batch."""
    file = open_sample(path, size)
    chosen = np.sort(np.random.default_rng(seed).choice(file.metadata.num_rows, size, replace=False))
    return _take(file.iter_batches(columns=list(COLUMNS)), chosen)


def open_sample(path: str, size: int) -> Any:
    """The file, or why no sample of this size can be drawn from it; cheap, so that a long run can ask first."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"cannot be read as Parquet: {error}; make it with 'recrawl dataset'", path) from error
    missing = [name for name in COLUMNS if name not in file.schema_arrow.names]
    if missing:
        raise DataError(f"column {missing[0]} is missing; make the file with 'recrawl dataset'", path)
    rows = file.metadata.num_rows
    if size > rows:
        raise InputError(f"size must be at most the {rows:,} URLs of {path}, got {size:,}", argument="size")
    return file


def _take(batches: object, chosen: NDArray[np.int64]) -> UrlSample:
    parts: dict[str, list[NDArray[np.float64]]] = {name: [] for name in COLUMNS}
    first = 0
    for batch in batches:  # type: ignore[attr-defined]
        low, high = np.searchsorted(chosen, [first, first + len(batch)])
        for name, part in parts.items():
            column = batch.column(name).to_numpy(zero_copy_only=False)
            part.append(column[chosen[low:high] - first].astype(np.float64))
        first += len(batch)
    importance, rate, complete = (np.concatenate(part) for part in parts.values())
    return UrlSample(importance, rate, complete.astype(bool))
