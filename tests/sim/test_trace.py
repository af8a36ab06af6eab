"""Recorded events: read as they are, and refused with the line where they cannot be."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.errors import DataError, InputError
from recrawl.sim import Constant, Trace, World, read_trace

CSV = "page,time,kind\n0,0.5,change\n0,0.6,signal\n1,0.75,request\n0,1,request\n1,1,change\n"
PAGES = recrawl.Pages.from_rates([1.0, 1.0], 1.0, 0.5, 0.1)


def written(tmp_path, text, name="trace.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def as_rows(trace):
    return list(zip(trace.pages.tolist(), trace.times.tolist(), trace.kinds.tolist(), strict=True))


ROWS = [(0, 0.5, 0), (0, 0.6, 1), (1, 0.75, 2), (0, 1.0, 2), (1, 1.0, 0)]


def parquet(tmp_path, page=(0, 0, 1, 0, 1), time=(0.5, 0.6, 0.75, 1.0, 1.0), kind=None):
    kind = kind or ["change", "signal", "request", "request", "change"]
    path = str(tmp_path / "trace.parquet")
    pq.write_table(pa.table({"page": list(page), "time": list(time), "kind": kind}), path)
    return path


def test_csv_is_read(tmp_path):
    assert as_rows(read_trace(written(tmp_path, CSV), 2)) == ROWS


def test_columns_may_come_in_any_order_with_others_between(tmp_path):
    text = "kind,host,time,page\nchange,x,0.5,1\n"
    assert as_rows(read_trace(written(tmp_path, text), 2)) == [(1, 0.5, 0)]


def test_gzip_is_unpacked(tmp_path):
    path = tmp_path / "trace.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert as_rows(read_trace(str(path), 2)) == ROWS


def test_parquet_is_read(tmp_path):
    assert as_rows(read_trace(parquet(tmp_path), 2)) == ROWS


def test_pages_may_be_named(tmp_path):
    names = ["https://a.example/", "https://b.example/"]
    text = f"page,time,kind\n{names[1]},1,change\n"
    assert as_rows(read_trace(written(tmp_path, text), 2, names)) == [(1, 1.0, 0)]
    path = parquet(tmp_path, page=[names[0], names[1], names[1], names[0], names[0]])
    assert read_trace(path, 2, names).pages.tolist() == [0, 1, 1, 0, 0]


def test_a_long_file_is_read_in_parts(tmp_path):
    n = 70_000
    text = "page,time,kind\n" + "".join(f"{k % 2},{k},change\n" for k in range(n))
    assert read_trace(written(tmp_path, text), 2).times.tolist() == list(range(n))
    bad = text + "0,5,change\n"
    with pytest.raises(DataError, match=rf"trace.csv:{n + 2}: time must not go back, got 5 after 69999; sort"):
        read_trace(written(tmp_path, bad), 2)


BAD = [
    ("", "is empty; it needs a header line"),
    ("page,time,kind\n", "has no events"),
    ("page,when,kind\n0,1,change\n", ":1: column time is missing; found: page, when, kind"),
    ("page,time,kind,time\n0,1,change,1\n", ":1: column time appears 2 times; keep one"),
    (
        "page,time,kind\n0,2,change\n\n1,1.5,change\n",
        ":4: time must not go back, got 1.5 after 2; sort the trace by time",
    ),
    ("page,time,kind\n0,1,changed\n", ":2: kind must be one of change, signal, request, got 'changed'"),
    ("page,time,kind\n0,1,change\n2,1,change\n", r":3: page must be in \[0, 2\), a row of the pages, got '2'"),
    (f"page,time,kind\n{'9' * 5000},1,change\n", r":2: page must be in \[0, 2\)"),
    ("page,time,kind\n-1,1,change\n", r":2: page must be in \[0, 2\)"),
    ("page,time,kind\nx,1,change\n", r":2: page must be in \[0, 2\), a row of the pages, got 'x'"),
    ("page,time,kind\n0,-1,change\n", ":2: time must be finite and >= 0, got -1.0"),
    ("page,time,kind\n0,inf,change\n", ":2: time must be finite and >= 0, got inf"),
    ("page,time,kind\n0,nan,change\n", ":2: time must be finite and >= 0, got nan"),
    ("page,time,kind\n0,soon,change\n", ":2: time must be a number, got 'soon'"),
    ("page,time,kind\n0,,change\n", ":2: time is blank; write a number"),
    ("page,time,kind\n0,1_0,change\n", ":2: time must be a number, got '1_0'"),
    ("page,time,kind\n0,1\n", ":2: has 2 cells, but the header has 3"),
    ('page,time,kind\n"0,1,change\n', "is not valid CSV"),
]


@pytest.mark.parametrize(("text", "match"), BAD, ids=[match for _, match in BAD])
def test_a_bad_csv_is_refused_by_line(tmp_path, text, match):
    with pytest.raises(DataError, match=match):
        read_trace(written(tmp_path, text), 2)


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ({"kind": ["change", "signal", "request", "boo", "change"]}, ":4: kind must be one of .*, got 'boo'"),
        ({"kind": ["change", None, "request", "change", "change"]}, ":2: kind must be one of .*, got None"),
        ({"page": (0, 0, 2, 0, 1)}, r":3: page must be in \[0, 2\), a row of the pages, got 2"),
        ({"page": (0, 0, None, 0, 1)}, r":3: page must be in \[0, 2\), a row of the pages, got None"),
        ({"page": ("a", "b", "a", "b", "a")}, "page must be whole numbers, rows of the pages, got type string"),
        ({"time": (0.5, 0.4, 0.75, 1.0, 1.0)}, ":2: time must not go back, got 0.4 after 0.5"),
        ({"time": (0.5, None, 0.75, 1.0, 1.0)}, ":2: time must be finite and >= 0, got nan"),
        ({"time": ("a", "b", "c", "d", "e")}, "time must be a column of numbers, got type string"),
        ({"kind": [["change"]] * 5}, "kind must be a column of text, got type list"),
    ],
)
def test_a_bad_parquet_file_is_refused_by_row(tmp_path, columns, match):
    with pytest.raises(DataError, match=match):
        read_trace(parquet(tmp_path, **columns), 2)


def test_in_parquet_too_the_page_may_be_a_url(tmp_path):
    path = tmp_path / "trace.parquet"
    pq.write_table(pa.table({"url": ["b", "a"], "time": [1.0, 2.0], "kind": ["change", "signal"]}), path)
    assert read_trace(path, 2, ["a", "b"]).pages.tolist() == [1, 0]


def test_a_page_without_its_name_is_refused(tmp_path):
    with pytest.raises(DataError, match=":2: page must be a url of the pages file, got '0'"):
        read_trace(written(tmp_path, CSV), 2, ["a", "b"])


@pytest.mark.parametrize("name", ["missing.csv", "missing.parquet"])
def test_a_file_that_is_not_there_is_refused(tmp_path, name):
    with pytest.raises(DataError, match="cannot be read"):
        read_trace(str(tmp_path / name), 2)


def test_what_is_no_parquet_or_gzip_or_text_is_refused(tmp_path):
    with pytest.raises(DataError, match="is not a Parquet file"):
        read_trace(written(tmp_path, CSV, "trace.parquet"), 2)
    with pytest.raises(DataError, match="is not a gzip file"):
        read_trace(written(tmp_path, CSV, "trace.csv.gz"), 2)
    path = tmp_path / "latin.csv"
    path.write_bytes(b"page,time,kind\n\xe9,1,change\n")
    with pytest.raises(DataError, match="must be UTF-8"):
        read_trace(str(path), 2)


def test_columns_in_memory_are_checked_alike():
    with pytest.raises(InputError, match="kind must be one of change, signal, request, got 'x' in row 1"):
        Trace.of([0, 0], [1.0, 2.0], ["change", "x"], 1)
    with pytest.raises(InputError, match="columns of one length"):
        Trace.of([0, 0], [1.0], ["change"], 1)
    with pytest.raises(InputError, match="pages must be whole numbers, rows of the pages, got float64"):
        Trace.of([0.5], [1.0], ["change"], 1)
    with pytest.raises(InputError, match="must have events"):
        Trace.of([], [], [], 1)


def test_a_run_on_a_trace_by_hand(tmp_path):
    # Crawls at 0.75 (page 0, signalled) and at 1.5. Page 0 is stale in (.5, .75), page 1 from 1 on until its crawl.
    run = recrawl.simulate(PAGES, "greedy-cis", rate=4 / 3, horizon=2.0, trace=written(tmp_path, CSV))
    assert (run.crawl_times.tolist(), run.crawl_pages.tolist()) == ([0.75, 1.5], [0, 1])
    assert run.page_freshness.tolist() == [0.875, 0.75]
    assert run.accuracy == 1.0
    assert run.outcomes.signals.tolist() == [1, 0]


def test_a_signal_at_0_comes_before_the_crawl_at_0():
    trace = Trace.of([1, 1, 0], [0.0, 0.0, 2.0], ["signal", "change", "change"], 2)
    run = recrawl.simulate(PAGES, "greedy-ncis", rate=1.0, trace=trace)
    silent = recrawl.simulate(PAGES, "greedy-ncis", rate=1.0, trace=Trace.of([0], [2.0], ["change"], 2))
    assert run.crawl_pages.tolist() == silent.crawl_pages.tolist()
    assert (run.outcomes.signals.sum(), run.page_freshness[1]) == (0, 1.0)


def test_whole_numbers_of_any_width_are_read_from_parquet(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    times = [1_700_000_000_000_000_001, 1_700_000_000_000_000_002]  # nanoseconds: more than a float holds exactly
    columns = {"page": pa.array([0, 1], pa.uint64()), "time": times, "kind": ["change", "signal"]}
    pq.write_table(pa.table(columns), tmp_path / "wide.parquet")
    got = read_trace(tmp_path / "wide.parquet", 2)
    assert (got.pages.tolist(), got.times.tolist()) == ([0, 1], [1.7e18, 1.7e18])


def test_the_horizon_is_the_last_event_unless_given(tmp_path):
    path = written(tmp_path, CSV)
    assert recrawl.simulate(PAGES, rate=1.0, trace=path).horizon == 1.0
    shorter = recrawl.simulate(PAGES, rate=10.0, trace=path, horizon=0.7)
    assert (len(shorter.world.changes), len(shorter.world.requests)) == (1, 0)


def test_a_traced_world_is_the_world_it_was_taken_from():
    pages = paper_mix(30, seed=4)
    world = World.draw(pages, 40.0, seed=4)
    parts = [
        (world.changes.pages, world.changes.times, "change"),
        (world.signal_pages, world.signal_times, "signal"),
        (world.requests.pages, world.requests.times, "request"),
    ]
    whose, times = (np.concatenate([part[k] for part in parts]) for k in range(2))
    kinds = np.concatenate([np.full(len(part[1]), part[2]) for part in parts])
    order = np.argsort(times, kind="stable")
    trace = Trace.of(whose[order], times[order], kinds[order], 30)
    drawn = recrawl.simulate(pages, rate=5.0, world=world)
    traced = recrawl.simulate(pages, rate=5.0, trace=trace, horizon=40.0)
    assert traced.crawl_pages.tolist() == drawn.crawl_pages.tolist()
    assert (traced.freshness, traced.accuracy) == (drawn.freshness, drawn.accuracy)


def test_a_trace_has_its_own_delays(tmp_path):
    with pytest.raises(InputError, match="latency must be left out with a trace"):
        recrawl.simulate(PAGES, rate=1.0, trace=written(tmp_path, CSV), latency=Constant(1.0))


def test_a_horizon_before_the_first_event_is_refused():
    with pytest.raises(InputError, match="horizon must not be before the first event, at 5, got 2"):
        recrawl.simulate(PAGES, rate=1.0, horizon=2.0, trace=Trace.of([0], [5.0], ["change"], 2))


def test_a_trace_at_time_0_alone_has_no_length(tmp_path):
    with pytest.raises(InputError, match="horizon must be finite and > 0, got 0"):
        recrawl.simulate(PAGES, rate=1.0, trace=written(tmp_path, "page,time,kind\n0,0,change\n"))
