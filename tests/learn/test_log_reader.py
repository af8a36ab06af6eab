"""Whole chunks are taken as their rows one by one would be."""

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.errors import DataError
from recrawl.learn.logs.reader import LogReader

NUMBERS = ["1", "2.5", "3"]
DATES = ["2024-05-01", "2024-05-02T12:00:00Z", " 2024-05-03 "]
COLUMNS = {
    "page": (["a", "b", "c"], [""]),
    "time": (NUMBERS, ["", " ", " 2", "\t1", "1_0", "nan", "inf", "soon", "٣", *DATES]),
    "changed": (["0", "1", "", "true", "No"], ["2", " 1", "nan", "0.0"]),
    "elapsed": ([*NUMBERS, ""], ["0", "-1", "1e400", " 2", "x"]),
    "signals": (["0", "1", "2.0", ""], ["-1", "inf", "nan", "1.5", " 2", "x"]),
    "kind": (["crawl", "signal"], ["visit", "", "Crawl"]),
    "source": (["feed", "map", ""], []),
    "happened": ([""], ["0", "9", "soon", "-inf", "2024-05-01"]),
    "team": (["red", "blue", ""], []),
}
LAYOUTS = [tuple(COLUMNS), ("page", "changed", "time"), ("page", "changed", "elapsed", "signals", "kind")]


@st.composite
def tables(draw):
    """Columns in use, and rows of plain cells with at most two odd ones: more would hide each other."""
    names = draw(st.sampled_from(LAYOUTS))
    plain = {name: COLUMNS[name][0] for name in names}
    if draw(st.booleans()):
        plain["time"] = DATES
    cells = st.tuples(*(st.sampled_from(plain[name]) for name in names))
    rows = [list(row) for row in draw(st.lists(cells, min_size=1, max_size=6))]
    for name in draw(st.lists(st.sampled_from([n for n in names if COLUMNS[n][1]]), max_size=2)):
        row = draw(st.integers(0, len(rows) - 1))
        rows[row][names.index(name)] = draw(st.sampled_from(COLUMNS[name][1]))
    return names, rows


class RowByRow(LogReader):
    def _whole(self, *_):
        return False


def taken(reader, path):
    """All that a reader holds after a file; the message where it refuses the file."""
    try:
        reader.read(path, "team" if "team" in Path(path).read_text(encoding="utf-8") else None)
    except DataError as error:
        return str(error)
    crawls, signals = reader.crawls, reader.signals
    columns = [crawls.page, crawls.time, crawls.changed, crawls.elapsed, crawls.signals, crawls.line]
    columns += [signals.page, signals.time, signals._source, signals.happened, signals.told]
    labels = list(reader.labels.items())
    odd = dict(reader.malformed.reasons), reader.malformed.examples
    timer = reader.timer and reader.timer.__name__
    return [repr(c) for c in columns], list(reader.ids), labels, signals.sources, odd, reader.rows, timer


def same(names, rows):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "log.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([names, *rows])
        assert taken(LogReader(), path) == taken(RowByRow(), path)


@settings(deadline=None, max_examples=300)
@given(tables())
def test_whole_chunks_equal_their_slow_twin(table):
    same(*table)


@pytest.mark.parametrize("kind", ["crawl", "signal"])
@pytest.mark.parametrize("name", [name for name, (_, odd) in COLUMNS.items() if odd])
def test_one_odd_cell_alone_is_seen_by_both(name, kind):
    for cell in COLUMNS[name][1]:
        row = {n: plain[0] for n, (plain, _) in COLUMNS.items()} | {"kind": kind}
        same(list(COLUMNS), [list(row.values()), list((row | {name: cell}).values())])


@pytest.mark.parametrize("rows", ["a,1,0\na,2,1\n", "a,2024-05-01,\nb,2024-05-02,yes\n"])
def test_plain_chunks_are_taken_whole(rows, tmp_path, monkeypatch):
    """Else the twin test would hold nothing."""
    path = tmp_path / "log.csv"
    path.write_text(f"page,time,changed\n{rows}", encoding="utf-8")
    monkeypatch.delattr(LogReader, "_row")
    reader = LogReader()
    reader.read(str(path), None)
    assert len(reader.crawls.page) == 2
