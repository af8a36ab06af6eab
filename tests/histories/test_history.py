"""Histories: cutting, choosing pages, reading files."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recrawl.errors import DataError, InputError
from recrawl.histories import BULK, History
from recrawl.histories.files import read_history, write_history


def three_pages() -> History:
    return History(
        "three",
        ("a", "b", "c"),
        created=np.array([0.0, 4.0, 0.0]),
        removed=np.array([np.inf, np.inf, 6.0]),
        change_pages=np.array([0, 2, 1, 0]),
        change_times=np.array([1.0, 2.0, 5.0, 9.0]),
        end=10.0,
    )


def test_a_part_counts_from_its_start_and_leaves_out_pages_that_were_not_there() -> None:
    part = three_pages().between(6.0)
    assert part.paths == ("a", "b")
    assert part.change_times.tolist() == [3.0]
    assert part.end == 4.0


def test_a_page_removed_after_the_end_of_a_part_is_still_there() -> None:
    part = three_pages().between(1.0, 5.0)
    assert np.isinf(part.removed).all()
    assert part.created.tolist() == [0.0, 3.0, 0.0]


def test_rates_count_the_time_a_page_was_there() -> None:
    assert three_pages().change_rates.tolist() == [2 / 10, 1 / 6, 1 / 6]


def test_bulk_edits_are_moments_with_many_pages() -> None:
    n = BULK + 1
    pages = np.concatenate((np.arange(n), [0]))
    times = np.concatenate((np.full(n, 2.0), [3.0]))
    history = History("bulk", tuple(map(str, range(n))), np.zeros(n), np.full(n, np.inf), pages, times, 4.0)
    assert history.bulk.tolist() == [True] * n + [False]


def write(folder: Path, pages: str, changes: str) -> Path:
    with gzip.open(folder / "h.pages.csv.gz", "wt") as file:
        file.write(pages)
    with gzip.open(folder / "h.changes.csv.gz", "wt") as file:
        file.write(changes)
    return folder / "h"


def test_files_are_read(tmp_path: Path) -> None:
    stem = write(tmp_path, "page,path,created,removed\n0,a,0,\n1,b,1.5,3\n", "page,time\n1,2\n0,4\n")
    history = read_history(stem)
    assert history.paths == ("a", "b")
    assert history.removed.tolist() == [np.inf, 3.0]
    assert history.end == 4.0
    assert read_history(f"{stem}.changes.csv.gz").name == "h"


@pytest.mark.parametrize(
    ("pages", "changes", "message"),
    [
        ("page,path\n", "page,time\n", "pages.csv.gz:1: must begin with the line page,path,created,removed"),
        ("page,path,created,removed\n1,a,0,\n", "page,time\n", "pages.csv.gz:2: page must be 0"),
        ("page,path,created,removed\n0,a,x,\n", "page,time\n", "pages.csv.gz:2: created must be a number of days"),
        ("page,path,created,removed\n0,a,-1,\n", "page,time\n", "pages.csv.gz:2: created must be >= 0, got -1"),
        ("page,path,created,removed\n0,a,2,1\n", "page,time\n", "pages.csv.gz:2: removed must not be before created"),
        ("page,path,created,removed\n0,a,0,\n", "page,time\n3,1\n", "changes.csv.gz:2: page must be in [0, 1)"),
        ("page,path,created,removed\n0,a,0,\n", "page,time\n0,2\n0,1\n", "changes.csv.gz:3: time must not go back"),
        ("page,path,created,removed\n0,a,0,\n", "page,time\n0\n", "changes.csv.gz:2: must have 2 cells, got 1"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, pages: str, changes: str, message: str) -> None:
    stem = write(tmp_path, pages, changes)
    with pytest.raises(DataError) as raised:
        read_history(stem)
    assert message in str(raised.value)


def test_a_missing_file_says_what_a_history_is(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"NAME\.pages\.csv\.gz and NAME\.changes\.csv\.gz"):
        read_history(tmp_path / "none")


def test_a_part_outside_is_refused() -> None:
    with pytest.raises(InputError, match="start and end must be within"):
        three_pages().between(5.0, 11.0)


def test_what_is_written_is_read_and_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    odd = replace(
        three_pages(), paths=('say "a", b', "two\nlines\r", "ä\u2028"), marked=np.array([True, False, True, False])
    )
    pages, changes = write_history(odd, tmp_path / "odd")
    first = Path(pages).read_bytes(), Path(changes).read_bytes()
    assert (Path(pages).name, Path(changes).name) == ("odd.pages.csv.gz", "odd.changes.csv.gz")
    got = read_history(pages)
    assert got.paths == odd.paths
    assert got.removed.tolist() == odd.removed.tolist()
    assert got.change_times.tolist() == odd.change_times.tolist()
    assert got.bulk.tolist() == [True, False, True, False]
    write_history(got, changes)
    assert first == (Path(pages).read_bytes(), Path(changes).read_bytes())


def test_a_bulk_edit_stays_one_where_few_of_its_pages_are_kept() -> None:
    n = BULK + 1
    history = History(
        "bulk", tuple(map(str, range(n))), np.zeros(n), np.full(n, np.inf), np.arange(n), np.full(n, 2.0), 4.0
    )
    assert history.only(np.arange(2)).bulk.tolist() == [True, True]
    assert history.only(np.arange(2)).between(1.0).bulk.tolist() == [True, True]


def test_a_mark_is_0_or_1(tmp_path: Path) -> None:
    stem = write(tmp_path, "page,path,created,removed\n0,a,0,\n", "page,time,bulk\n0,2,yes\n")
    with pytest.raises(DataError, match=r"changes.csv.gz:2: bulk must be 0 or 1, got 'yes'"):
        read_history(stem)
