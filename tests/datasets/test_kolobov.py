import os

import numpy as np
import pyarrow.parquet as pq
import pytest

from recrawl.datasets import kolobov, tsv
from recrawl.datasets.kolobov import COMPLETE, HISTORY, IMPORTANCE, cached, convert
from recrawl.datasets.sample import read_sample
from recrawl.errors import DataError, InputError
from tests.datasets.histories import write_dataset


@pytest.fixture
def folder(tmp_path):
    write_dataset(tmp_path)
    return tmp_path


def table(path):
    return {name: column.to_numpy(zero_copy_only=False) for name, column in _columns(pq.read_table(path))}


def _columns(read):
    return [(name, read.column(name).combine_chunks()) for name in read.column_names]


def test_every_url_is_there_with_its_importance(tmp_path):
    ids, importance, _, _ = write_dataset(tmp_path)
    summary = convert(tmp_path, tmp_path / "out.parquet")
    got = table(tmp_path / "out.parquet")
    assert dict(zip(got["url_id"], got["importance"], strict=True)) == dict(zip(ids, importance, strict=True))
    assert (summary.urls, summary.without_importance, summary.without_history) == (len(ids), 0, 0)


def test_published_rates_are_taken_as_they_are(tmp_path):
    ids, _, rates, labelled = write_dataset(tmp_path)
    convert(tmp_path, tmp_path / "out.parquet")
    got = table(tmp_path / "out.parquet")
    assert set(got["url_id"][got["complete"]]) == set(labelled)
    truth = dict(zip(ids, rates, strict=True))
    assert all(truth[i] == r for i, r, c in zip(*map(got.get, ("url_id", "change_rate", "complete")), strict=True) if c)


def test_estimates_are_near_the_truth(tmp_path):
    ids, _, rates, _ = write_dataset(tmp_path, complete=0.01)
    convert(tmp_path, tmp_path / "out.parquet")
    got = table(tmp_path / "out.parquet")
    truth = np.array([dict(zip(ids, rates, strict=True))[i] for i in got["url_id"]])
    # Seed 0. 98 crawls about a day apart see some 10 changes at the median rate: a log-error of 1/sqrt(10). The mean
    # of 200 such errors has standard deviation .03; smoothing shifts it by about +.1. False alarms beyond .25: < 1e-6.
    assert abs(np.log(got["change_rate"] / truth).mean()) < 0.25


def test_many_chunks_give_the_same_file(folder, monkeypatch):
    convert(folder, folder / "one.parquet")
    monkeypatch.setattr(tsv, "CHUNK", 7)
    convert(folder, folder / "many.parquet")
    assert pq.read_table(folder / "one.parquet").equals(pq.read_table(folder / "many.parquet"))
    assert pq.ParquetFile(folder / "many.parquet").num_row_groups == pytest.approx(200 / 7, abs=1.0)


def test_a_published_rate_without_a_history_is_kept(folder):
    with (folder / IMPORTANCE).open("a") as file:
        file.write("999999\t5\n")
    with (folder / COMPLETE).open("a") as file:
        file.write("999999\t0.25\n")
    summary = convert(folder, folder / "out.parquet")
    got = table(folder / "out.parquet")
    assert (summary.urls, got["url_id"][-1], got["change_rate"][-1]) == (201, 999999, 0.25)


def test_what_is_left_out_is_counted(folder):
    with (folder / IMPORTANCE).open("a") as file:
        file.write("999998\t5\n")
    with (folder / HISTORY).open("a") as file:
        file.write("999999\t0.5\t[[1.0, 1]]\n")
    summary = convert(folder, folder / "out.parquet")
    assert (summary.urls, summary.without_importance, summary.without_history) == (200, 1, 1)


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        (IMPORTANCE, "7", ":201: must have 2 tab-separated cells, URL_ID and importance; got 1"),
        (IMPORTANCE, "seven\t1", ":201: URL_ID must be a whole number, got 'seven'"),
        (IMPORTANCE, "7\thigh", ":201: importance must be a number, got 'high'"),
        (IMPORTANCE, "7\tnan", ":201: importance must be finite and at least 0, got 'nan'"),
        (HISTORY, "7\t1.0", ":201: must have 3 tab-separated cells, URL_ID, offset and history; got 2"),
        (
            HISTORY,
            "7\t1.0\t[[1.0, 0], [",
            ":201: history must be a JSON list of [gap in days, 0 or 1], got '[[1.0, 0], ['",
        ),
        (
            HISTORY,
            "7\t1.0\t[[1.0, 0, 1], [1.0, 0, 1]]",
            ":201: history must be a JSON list of [gap in days, 0 or 1], got '[[1.0, 0, 1], [1.0, 0, 1]]'",
        ),
        (HISTORY, "7\t1.0\t[[1.0]]", ":201: history must be a JSON list of [gap in days, 0 or 1], got '[[1.0]]'"),
        (
            HISTORY,
            "7\t1.0\t[[1.0, 2]]",
            ":201: history must be a JSON list of [gap in days, 0 or 1]; the second of a pair was 2",
        ),
        (HISTORY, "7\t1.0\t[[-1.0, 0]]", ":201: history must be a JSON list of [gap in days, 0 or 1]; a gap was -1"),
        (HISTORY, "7\t-1\t[[1.0, 0]]", ":201: offset must be finite and at least 0, got '-1'"),
    ],
)
def test_a_bad_line_is_named(folder, name, line, expected, monkeypatch):
    monkeypatch.setattr(tsv, "CHUNK", 64)
    with (folder / name).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError) as caught:
        convert(folder, folder / "out.parquet")
    assert str(caught.value) == str(folder / name) + expected
    assert sorted(path.name for path in folder.iterdir()) == sorted([IMPORTANCE, HISTORY, COMPLETE])


@pytest.mark.parametrize("name", [IMPORTANCE, HISTORY, COMPLETE])
def test_a_repeated_id_is_named(folder, name):
    lines = (folder / name).read_text().splitlines(keepends=True)
    with (folder / name).open("a") as file:
        file.write(lines[0])
    with pytest.raises(DataError, match=rf":{len(lines) + 1}: URL_ID \d+ appears twice"):
        convert(folder, folder / "out.parquet")


def test_a_missing_file_is_named(folder):
    (folder / HISTORY).unlink()
    with pytest.raises(DataError, match=f"{HISTORY}: is missing; the folder must hold {IMPORTANCE}"):
        convert(folder, folder / "out.parquet")


def test_an_empty_file_is_refused(folder):
    (folder / IMPORTANCE).write_text("")
    with pytest.raises(DataError, match="is empty"):
        convert(folder, folder / "out.parquet")


def test_files_that_do_not_belong_together(folder):
    (folder / HISTORY).write_text("9\t1.0\t[[1.0, 1]]\n")
    (folder / COMPLETE).write_text("9\t1.0\n")
    with pytest.raises(DataError, match="do the files belong together"):
        convert(folder, folder / "out.parquet")


def test_the_cache_is_stale_when_a_file_is_newer(folder):
    out = folder / kolobov.CACHE
    assert not cached(folder, out)
    convert(folder, out)
    assert cached(folder, out)
    later = out.stat().st_mtime + 10.0
    os.utime(folder / COMPLETE, (later, later))
    assert not cached(folder, out)


def test_a_sample_is_uniform_without_repeats_and_by_seed(folder, monkeypatch):
    monkeypatch.setattr(tsv, "CHUNK", 64)
    convert(folder, folder / "out.parquet")
    everything = read_sample(str(folder / "out.parquet"), 200, seed=0)
    got = table(folder / "out.parquet")
    assert everything.change_rate.tolist() == got["change_rate"].tolist()
    few = read_sample(str(folder / "out.parquet"), 50, seed=1)
    again = read_sample(str(folder / "out.parquet"), 50, seed=1)
    other = read_sample(str(folder / "out.parquet"), 50, seed=2)
    assert few.change_rate.tolist() == again.change_rate.tolist() != other.change_rate.tolist()
    assert len(few) == 50
    assert few.complete.dtype == bool


def test_a_sample_larger_than_the_data_is_refused(folder):
    convert(folder, folder / "out.parquet")
    with pytest.raises(InputError, match="size must be at most the 200 URLs"):
        read_sample(str(folder / "out.parquet"), 201, seed=0)


def test_another_parquet_file_is_refused(tmp_path):
    import pyarrow as pa

    pq.write_table(pa.table({"importance": [1.0]}), tmp_path / "other.parquet")
    with pytest.raises(DataError, match="column change_rate is missing"):
        read_sample(str(tmp_path / "other.parquet"), 1, seed=0)
