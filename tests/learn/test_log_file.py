"""Log files: every shape, and every row that cannot be used by its line."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recrawl.errors import DataError, InputError
from recrawl.files.malformed import SHOWN
from recrawl.learn import fit_pages, read_log


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return str(path)


def intervals(file):
    log = file.log
    columns = (log.page, log.elapsed, log.signals, log.changed)
    return [(log.names[p], e, n, z) for p, e, n, z in zip(*(c.tolist() for c in columns), strict=True)]


EXPECTED = [("a", 2.0, 1.0, 1.0), ("a", 1.0, 0.0, 0.0), ("b", 3.0, 0.0, 0.0)]

ONE = "page,time,kind,changed\na,1,crawl,\na,2,signal,\na,3,crawl,1\nb,0,crawl,0\na,4,crawl,0\nb,3,crawl,0\n"
CRAWLS = "page,time,changed\na,1,\na,3,1\nb,0,0\na,4,0\nb,3,0\n"


def test_one_file_of_both_kinds(tmp_path):
    file = read_log(written(tmp_path / "log.csv", ONE))
    assert intervals(file) == EXPECTED
    assert (file.rows, file.crawls, file.signals, len(file.malformed)) == (6, 5, 1, 0)


@pytest.mark.parametrize("order", [(2, 3), (3, 2)])
def test_a_failed_fetch_and_its_retry_at_one_moment_are_the_retry(tmp_path, order):
    rows = ["a,0,0", "a,5,0", "a,4,", "a,4,1"]
    kept = [*rows[:2], *(rows[k] for k in order)]
    file = read_log(written(tmp_path / "log.csv", "page,time,changed\n" + "\n".join(kept) + "\n"))
    assert intervals(file) == [("a", 4.0, 0.0, 1.0), ("a", 1.0, 0.0, 0.0)]
    assert len(file.malformed) == 1


def test_a_blank_label_gives_way_to_a_later_one(tmp_path):
    text = "page,time,changed,team\na,0,0,\na,1,1,red\nb,0,0,\nb,1,0,\n"
    file = read_log(written(tmp_path / "log.csv", text), by="team")
    assert file.log.labels["team"] == ["red", "none"]


def test_when_it_happened_gives_the_latency_and_is_checked(tmp_path):
    text = "page,time,happened\na,2,1.5\na,2.5,\nb,9,7\nb,9,9.5\nb,9,soon\nb,9,-inf\n"
    file = read_log(written(tmp_path / "log.csv", CRAWLS), written(tmp_path / "signals.csv", text))
    assert file.latency.values.tolist() == [0.5, 2.0]
    assert file.signals == 3
    assert dict(file.malformed.reasons) == {
        "happened must be finite and not after time": 2,
        "happened must be a time like the others, or blank": 1,
    }
    assert read_log(written(tmp_path / "log.csv", CRAWLS)).latency is None


def test_signals_in_a_file_of_their_own(tmp_path):
    signals = written(tmp_path / "signals.csv", "page,time\na,2\nb,9\n")
    assert intervals(read_log(written(tmp_path / "log.csv", CRAWLS), signals)) == EXPECTED


def test_elapsed_and_signals_as_columns(tmp_path):
    text = "page,elapsed,signals,changed\na,,,1\na,2,1,true\na,1,0,False\nb,3,0,no\n"
    file = read_log(written(tmp_path / "log.csv", text))
    assert intervals(file) == EXPECTED
    assert file.log.first_visits == 1


def test_elapsed_with_a_signal_log(tmp_path):
    text = "page,time,elapsed,changed\na,3,2,1\na,4,1,0\nb,3,3,0\n"
    signals = written(tmp_path / "signals.csv", "page,time\na,2\na,0.5\n")
    assert intervals(read_log(written(tmp_path / "log.csv", text), signals)) == EXPECTED


@pytest.mark.parametrize("signals", ["", ",signals"])
def test_a_crawl_that_compared_nothing_passes_its_time_and_signals_on(tmp_path, signals):
    """The same crawls with and without a column that repeats what the times say."""
    rows = [("a", 1, "", "", 0), ("a", 3, 0, 2, 1), ("a", 4, "", 1, 0), ("a", 6, "", 2, 2), ("a", 7, 1, 1, 0)]
    rows += [("a", 9, "", 2, 0), ("b", 1, "", "", 0), ("b", 2, 1, 1, 0)]
    heard = "a,2,,signal\na,5,,signal\na,6,,signal\n"
    times = "page,time,changed,kind\n" + "".join(f"{p},{t},{z},crawl\n" for p, t, z, _, _ in rows) + heard
    if signals:
        both = "page,time,changed,elapsed,signals\n" + "".join("{},{},{},{},{}\n".format(*row) for row in rows)
    else:
        both = "page,time,changed,kind,elapsed\n" + "".join(f"{p},{t},{z},crawl,{e}\n" for p, t, z, e, _ in rows)
        both += heard.replace("signal", "signal,")
    got, expected = (read_log(written(tmp_path / "log.csv", text)) for text in (both, times))
    assert intervals(got) == intervals(expected) == [("a", 2, 1, 0), ("a", 4, 2, 1), ("b", 1, 0, 1)]
    assert (got.log.unknown, got.log.first_visits) == (expected.log.unknown, expected.log.first_visits) == (3, 2)


def test_a_first_visit_breaks_off_what_was_under_way(tmp_path):
    text = "page,elapsed,signals,changed\na,,,0\na,2,1,\na,,,\na,1,0,1\n"
    assert intervals(read_log(written(tmp_path / "log.csv", text))) == [("a", 1.0, 0.0, 1.0)]


def test_counts_of_signals_go_with_times_too(tmp_path):
    text = "page,time,changed,signals\na,1,0,\na,2,,1\na,4,1,2\n"
    assert intervals(read_log(written(tmp_path / "log.csv", text))) == [("a", 3.0, 3.0, 1.0)]


def test_blank_counts_are_what_the_signals_of_the_file_say(tmp_path):
    text = "page,time,changed,elapsed,signals,kind\na,.5,,,,signal\na,1,0,1,,crawl\na,1.5,,,,signal\na,2,1,1,7,crawl\n"
    file = read_log(written(tmp_path / "log.csv", text))
    assert intervals(file) == [("a", 1.0, 1.0, 0.0), ("a", 1.0, 7.0, 1.0)]
    assert len(file.malformed) == 0


def test_blank_counts_are_malformed_where_nothing_else_tells(tmp_path):
    text = "page,elapsed,signals,changed\na,,,0\na,1,2,\na,1,,\na,3,0,1\na,2,1,0\na,5,,0\n"
    path = written(tmp_path / "log.csv", text)
    file = read_log(path)
    assert intervals(file) == [("a", 2.0, 1.0, 0.0)]
    assert (file.rows, file.crawls) == (6, 3)
    assert sorted(file.malformed.examples) == [
        f"{path}:4: signals is blank",
        f"{path}:5: signals is blank in a crawl before that compared nothing",
        f"{path}:7: signals is blank",
    ]


def test_a_start_beside_elapsed_is_refused(tmp_path):
    path = written(tmp_path / "log.csv", "page,time,elapsed,changed\na,3,2,1\n")
    with pytest.raises(InputError, match=r"start must not be given .*log\.csv does in its column elapsed"):
        read_log(path, start=1.0)


def test_a_crawl_told_twice_counts_once_with_elapsed_too(tmp_path):
    path = written(tmp_path / "log.csv", "page,time,elapsed,changed\na,3,2,1\na,3,2,1\na,4,1,0\n")
    file = read_log(path)
    assert intervals(file) == [("a", 2.0, 0.0, 1.0), ("a", 1.0, 0.0, 0.0)]
    assert file.malformed.examples == [f"{path}:3: second crawl of a page at the same time"]


def test_a_part_of_a_signal_is_malformed(tmp_path):
    file = read_log(written(tmp_path / "log.csv", "page,elapsed,signals,changed\na,1,1.5,0\na,1,2.0,0\n"))
    assert intervals(file) == [("a", 1.0, 2.0, 0.0)]
    assert list(file.malformed.reasons) == ["signals must be a count >= 0"]


def test_a_nan_that_was_written_is_not_called_blank(tmp_path):
    file = read_log(written(tmp_path / "log.csv", "page,elapsed,signals,changed\na,1,nan,0\na,1,2.0,0\n"))
    assert file.malformed.examples[0].endswith("log.csv:2: signals must be a count >= 0, got 'nan'")


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path):
    (tmp_path / "log.csv").write_bytes(b"page,time,changed\na,1,0\n\xe9,1,0\n")
    with pytest.raises(DataError, match=r"log\.csv:3: must be UTF-8 text"):
        read_log(tmp_path / "log.csv")


def test_signals_after_the_last_crawl_are_heard(tmp_path):
    text = "page,time\na,0.5\na,1\na,2\na,9\nc,5\nc,10\n"
    path, signals = written(tmp_path / "log.csv", CRAWLS), written(tmp_path / "signals.csv", text)
    file = read_log(path, signals)
    assert list(file.log.names) == ["a", "b", "c"]
    # The log is from 0 to 10: a is watched from its first crawl at 1, b from 0, and c, never crawled, throughout.
    assert (file.observed_time.tolist(), file.n_signals.tolist()) == ([9.0, 10.0, 10.0], [2.0, 0.0, 2.0])
    file = read_log(path, signals, start=-1)
    assert (file.observed_time.tolist(), file.n_signals.tolist()) == ([11.0, 11.0, 11.0], [4.0, 0.0, 2.0])
    assert read_log(path).observed_time is None


def test_nanoseconds_in_parquet_are_times_like_others(tmp_path):
    day = 86_400_000_000_000
    columns = {"page": ["a", "a", "a"], "changed": [0, 1, 0]}
    for zone in (None, "Europe/Berlin"):
        time = pa.array([1, day + 7, None], pa.timestamp("ns", zone))
        pq.write_table(pa.table({**columns, "time": time}), tmp_path / "log.parquet")
        file = read_log(tmp_path / "log.parquet")
        assert intervals(file) == [("a", pytest.approx(1.0), 0.0, 1.0)]
        assert dict(file.malformed.reasons) == {"time is blank": 1}
    length = pa.array([1, 2, 3], pa.duration("ns"))
    pq.write_table(pa.table({**columns, "elapsed": length}), tmp_path / "log.parquet")
    with pytest.raises(DataError, match=r"has no usable crawl; 3 rows left out, the first: .*"):
        read_log(tmp_path / "log.parquet")


def test_gzip_and_parquet_are_the_same(tmp_path):
    with gzip.open(tmp_path / "log.csv.gz", "wt", encoding="utf-8") as file:
        file.write(ONE)
    rows = [line.split(",") for line in ONE.splitlines()[1:]]
    columns = {
        "page": [row[0] for row in rows],
        "time": [float(row[1]) for row in rows],
        "kind": [row[2] for row in rows],
        "changed": [None if row[3] == "" else row[3] == "1" for row in rows],
    }
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    assert intervals(read_log(str(tmp_path / "log.csv.gz"))) == EXPECTED
    assert intervals(read_log(str(tmp_path / "log.parquet"))) == EXPECTED


def test_dates_are_days(tmp_path):
    text = "url,time,changed\na,2024-02-28,0\na,2024-03-01T12:00:00Z,1\n"
    file = read_log(written(tmp_path / "log.csv", text))
    assert intervals(file) == [("a", 2.5, 0.0, 1.0)]
    assert file.dated


BAD = [
    (",1,crawl,0", "page is blank"),
    ("a,soon,crawl,0", "time must be a number, or a date throughout, got 'soon'"),
    ("a,1_0,crawl,0", "time must be a number, or a date throughout, got '1_0'"),
    ("a,inf,crawl,0", "time must be finite, got 'inf'"),
    ("a,,crawl,0", "time is blank"),
    ("a,nan,crawl,0", "time must be finite, got 'nan'"),
    ("a,9,crawl,2", "changed must be 0, 1 or blank, got '2'"),
    ("a,9,visit,0", "kind must be crawl or signal, got 'visit'"),
    ("a,9", "wrong number of cells, 2 where 4 belong"),
    ("a,4,crawl,0", "second crawl of a page at the same time"),
]


@pytest.mark.parametrize(("row", "reason"), BAD)
def test_a_malformed_row_is_left_out_and_shown_with_its_line(tmp_path, row, reason):
    path = written(tmp_path / "log.csv", f"{ONE}{row}\n")
    file = read_log(path)
    assert intervals(file) == EXPECTED
    assert file.malformed.examples == [f"{path}:8: {reason}"]
    assert (len(file.malformed), file.rows) == (1, 7)


def test_an_odd_first_time_does_not_decide_for_the_rest(tmp_path):
    file = read_log(written(tmp_path / "log.csv", "page,time,changed\nx,soon,1\n,2024-05-01,1\na,2024-05-02,0\n"))
    assert (file.crawls, len(file.malformed), file.dated) == (1, 2, True)


def test_many_malformed_rows_are_counted_and_the_first_shown(tmp_path):
    file = read_log(written(tmp_path / "log.csv", ONE + "a,soon,crawl,0\n" * 9))
    assert len(file.malformed) == 9
    lines = list(file.malformed.lines())
    assert lines[0].startswith("9 rows left out: time must be a number")
    assert len(lines) == 1 + SHOWN + 1
    assert lines[-1] == f"  and {9 - SHOWN} more"


def test_a_line_break_inside_a_cell_keeps_the_lines_right(tmp_path):
    path = written(tmp_path / "log.csv", 'page,time,changed\n"a\nb",1,0\n"a\nb",2,0\nc,soon,0\n')
    assert read_log(path).malformed.examples[0].startswith(f"{path}:6:")


def test_a_host_is_a_column_or_part_of_the_url(tmp_path):
    urls = CRAWLS.replace("\na,", "\nhttps://one.example/x,").replace("\nb,", "\nhttps://two.example/,")
    file = read_log(written(tmp_path / "urls.csv", urls), by="host")
    assert file.log.labels == {"host": ["one.example", "two.example"]}
    column = read_log(written(tmp_path / "log.csv", "page,time,changed,team\na,1,0,red\na,2,0,red\n"), by="team")
    assert column.log.labels == {"team": ["red"]}


def test_sources_are_counted_apart(tmp_path):
    text = "page,time,source\na,1.5,feed\na,2,map\na,2.5,map\na,3.5,feed\n"
    file = read_log(written(tmp_path / "log.csv", CRAWLS), written(tmp_path / "signals.csv", text), by="source")
    assert {name: counts.tolist() for name, counts in file.sources.lone.items()} == {
        "feed": [1, 1, 0],
        "map": [2, 0, 0],
    }
    assert file.log.labels == {"source": ["feed", "none"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("page,time,changed\n", "has a header but no rows"),
        ("page,when,changed\na,1,0\n", "column time is missing; found: page, when, changed"),
        ("where,time,changed\na,1,0\n", "column page is missing"),
        ("page,time\na,1\n", "column changed is missing"),
        ("page,time,changed\na,soon,0\n", "has no usable crawl; 1 row left out, the first: .*"),
        ("page,time,changed\na,0\n", "has no usable crawl; 1 row left out, the first: .*"),
        ("page,time,changed,time\na,1,0,2\n", "column time appears 2 times; keep one"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_log(written(tmp_path / "log.csv", text))


def test_groups_that_are_not_there_are_refused(tmp_path):
    path = written(tmp_path / "log.csv", CRAWLS)
    with pytest.raises(DataError, match="has no column team to group by"):
        read_log(path, by="team")
    with pytest.raises(DataError, match="its pages are not urls"):
        read_log(path, by="host")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.csv: cannot be read: No such file"):
        read_log(str(tmp_path / "none.csv"))


def test_fit_pages_takes_a_path(tmp_path):
    path = written(tmp_path / "log.csv", ONE)
    assert list(fit_pages(path).names) == list(fit_pages(Path(path)).names) == ["a", "b"]
    assert intervals(read_log(Path(path), None)) == EXPECTED


def test_a_path_of_signals_may_be_one_of_the_standard_library(tmp_path):
    written(tmp_path / "log.csv", CRAWLS)
    written(tmp_path / "signals.csv", "page,time\na,2\nb,9\n")
    assert intervals(read_log(tmp_path / "log.csv", tmp_path / "signals.csv")) == EXPECTED
