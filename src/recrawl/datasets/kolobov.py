"""The crawl histories Kolobov, Peres, Lu and Horvitz published, as a table of importance and change rate.

18.5 million URLs come in three tab-separated files without headers:

=================================== ===========================================================
urlid_imp.txt                       URL_ID, importance
urlid_offset_history.txt            URL_ID, day of the first crawl, [[gap in days, changed], ...]
urlid_chrate_compl_obs_hist.txt     URL_ID, changes per day; the 4% with a reliable sitemap
=================================== ===========================================================

Only ids, importance and the published rates are held in memory (about 0.5 GB for all of it); histories stream through.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from recrawl.datasets import tsv
from recrawl.datasets.change_rates import change_rates
from recrawl.errors import DataError, MissingExtraError
from recrawl.files.whole import whole

IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"
FILES = (IMPORTANCE, HISTORY, COMPLETE)
CACHE = "kolobov.parquet"


@dataclass(frozen=True)
class Summary:
    """What was written, and what was left out."""

    path: Path
    urls: int
    complete: int
    complete_importance: float
    without_importance: int = 0
    without_history: int = 0


@dataclass(frozen=True)
class Batch:
    """Some URLs, ready to be written."""

    url_id: NDArray[np.int64]
    importance: NDArray[np.float64]
    change_rate: NDArray[np.float64]
    complete: NDArray[np.bool_]


class _ById:
    """Numbers by URL id, of which each may appear once."""

    def __init__(self, path: Path, what: str, lowest: float) -> None:
        ids: list[NDArray[np.int64]] = []
        values: list[NDArray[np.float64]] = []
        for _, records in tsv.chunks(path, tsv.id_and_number(what, lowest)):
            ids.append(np.array([record[0] for record in records], dtype=np.int64))
            values.append(np.array([record[1] for record in records]))
        if not ids:
            raise DataError("is empty; copy it again", str(path))
        unsorted = np.concatenate(ids)
        order = np.argsort(unsorted, kind="stable")
        self.ids = unsorted[order]
        self.values = np.concatenate(values)[order]
        again = np.flatnonzero(self.ids[1:] == self.ids[:-1])
        if again.size:
            line = int(order[again + 1].min()) + 1
            raise DataError(f"URL_ID {unsorted[line - 1]} appears twice", str(path), line)
        self.seen = np.zeros(len(self.ids), dtype=bool)

    def find(self, ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where each id stands, and whether it stands there at all."""
        place = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return place, self.ids[place] == ids


def cached(folder: Path, out: Path) -> bool:
    """Whether ``out`` was made from these files and none has changed since."""
    files = [folder / name for name in FILES]
    if not out.exists() or not all(file.is_file() for file in files):
        return False
    return all(out.stat().st_mtime >= file.stat().st_mtime for file in files)


def convert(folder: Path, out: Path, watch: Callable[[int], None] = lambda _: None) -> Summary:
    """Read the three files of ``folder`` and write ``out``, one row a URL: url_id, importance, change_rate, complete.

    ``watch`` is told how many URLs are done.  The file appears under its name only when it is whole.
    """
    for name in FILES:
        if not (folder / name).is_file():
            raise DataError(f"is missing; the folder must hold {', '.join(FILES)}", str(folder / name))
    importance = _ById(folder / IMPORTANCE, "importance", 0.0)
    published = _ById(folder / COMPLETE, "change rate", 0.0)
    unknown = 0
    urls = complete = 0
    weight = weight_complete = 0.0
    with whole(out) as file, _Writer(file) as writer:
        for batch, left_out in _batches(folder / HISTORY, importance, published):
            writer.write(batch)
            unknown += left_out
            urls += len(batch.url_id)
            complete += int(batch.complete.sum())
            weight += float(batch.importance.sum())
            weight_complete += float(batch.importance[batch.complete].sum())
            watch(urls)
        if urls == 0:
            raise DataError(f"names no URL of {IMPORTANCE}; do the files belong together?", str(folder / HISTORY))
    share = weight_complete / weight if weight > 0.0 else 0.0
    return Summary(out, urls, complete, share, unknown, int((~importance.seen).sum()))


def _batches(path: Path, importance: _ById, published: _ById) -> Iterator[tuple[Batch, int]]:
    """The URLs with a history, then those of which only the published rate is known."""
    for first, records in tsv.chunks(path, tsv.history):
        ids = np.array([record.url_id for record in records], dtype=np.int64)
        place, known = importance.find(ids)
        _mark_seen(path, first, ids, place, known, importance.seen)
        kept = [record for record, is_known in zip(records, known, strict=True) if is_known]
        yield _batch(ids[known], _estimates(kept), importance, published), int((~known).sum())
    rest = published.ids[importance.find(published.ids)[1]]
    rest = rest[~importance.seen[importance.find(rest)[0]]]
    importance.seen[importance.find(rest)[0]] = True
    yield _batch(rest, np.zeros(len(rest)), importance, published), 0


def _mark_seen(
    path: Path,
    first: int,
    ids: NDArray[np.int64],
    place: NDArray[np.int64],
    known: NDArray[np.bool_],
    seen: NDArray[np.bool_],
) -> None:
    _, first_of_id = np.unique(ids, return_index=True)
    repeated = np.ones(len(ids), dtype=bool)
    repeated[first_of_id] = False
    repeated |= known & seen[place]
    if repeated.any():
        row = int(np.argmax(repeated))
        raise DataError(f"URL_ID {ids[row]} appears twice", str(path), first + row)
    seen[place[known]] = True


def _estimates(records: Sequence[tsv.History]) -> NDArray[np.float64]:
    out = np.empty(len(records))
    starts = np.zeros(len(records) + 1, dtype=np.int64)
    np.cumsum([len(record.gaps) for record in records], out=starts[1:])
    gaps = np.concatenate([np.empty(0), *(record.gaps for record in records)])
    changed = np.concatenate([np.empty(0, dtype=bool), *(record.changed for record in records)])
    change_rates(gaps, changed, starts, out)
    return out


def _batch(ids: NDArray[np.int64], estimated: NDArray[np.float64], importance: _ById, published: _ById) -> Batch:
    """Published rates stand in for the estimates where there are any, as in the authors' own experiments."""
    place, complete = published.find(ids)
    rate = np.where(complete, published.values[place], estimated)
    return Batch(ids, importance.values[importance.find(ids)[0]], rate, complete)


class _Writer:
    """Writes batches as row groups."""

    def __init__(self, file: BinaryIO) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtraError("writing Parquet", "parquet") from error
        self._pa = pa
        kinds = {"url_id": pa.int64(), "importance": pa.float64(), "change_rate": pa.float64(), "complete": pa.bool_()}
        self._schema = pa.schema(list(kinds.items()))
        self._file = pq.ParquetWriter(file, self._schema)

    def __enter__(self) -> "_Writer":
        return self

    def __exit__(self, *raised: object) -> None:
        self._file.close()

    def write(self, batch: Batch) -> None:
        """Append one batch."""
        if len(batch.url_id):
            self._file.write_table(self._pa.table(vars(batch), schema=self._schema))
