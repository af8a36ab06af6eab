import argparse
import csv
import json
import pathlib
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

import recrawl
import recrawl.files.pages
from recrawl.cli.example import example_pages
from recrawl.cli.main import main
from recrawl.cli.simulate import command as simulate
from recrawl.cli.simulate import runs as simulating
from recrawl.sim import Constant, Exponential, Poisson, compare
from tests.processes import finished

PAGES = "url,change_rate,importance,recall,false_signal_rate\n" + "".join(
    f"https://example.org/{i},{0.1 + 0.2 * i:.1f},{1 + i % 3},{(i % 5) / 5},{0.1 + 0.05 * (i % 4):.2f}\n"
    for i in range(20)
)
QUICK = ["--rate", "5", "--horizon", "40", "--repetitions", "2", "--workers", "1"]
TRACE = "page,time,kind\n" + "".join(
    f"https://example.org/{i % 20},{i / 10},{('change', 'signal', 'request')[i % 3]}\n" for i in range(300)
)


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.csv"
    path.write_text(PAGES, encoding="utf-8")
    return str(path)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(TRACE, encoding="utf-8")
    return str(path)


def json_of(argv, capsys):
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def error_of(argv, capsys):
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_the_figures_are_those_of_the_library(pages, capsys):
    got = json_of(["simulate", pages, *QUICK, "--policy", "greedy", "lds", "--seed", "3"], capsys)
    read = recrawl.files.pages.read(pages).pages
    expected = compare(read, ["greedy", "lds"], 5.0, 40.0, repetitions=2, seed=3, warmup=8.0, workers=1)
    assert [row["policy"] for row in got["policies"]] == ["greedy", "lds"]
    for row in got["policies"]:
        name = row["policy"]
        for key, estimate in (("freshness", expected.of(name)), ("difference", expected.difference(name, "greedy"))):
            assert (row[key], row[f"{key}_standard_error"]) == (estimate.mean, estimate.standard_error)
        assert row["share_of_optimum"] == expected.share_of_optimum(name).mean
        assert row["redundant_share"] == expected.redundant_share(name).mean
    assert (got["pages"], got["rate"], got["horizon"], got["warmup"], got["seeds"]) == (20, 5.0, 40.0, 8.0, [3, 4])


def test_text_has_a_line_for_each_policy(pages, capsys):
    assert main(["simulate", pages, *QUICK]) == 0
    captured = capsys.readouterr()
    rows = [line.split()[0] for line in captured.out.splitlines() if "%" in line]
    assert rows == ["greedy-ncis", "greedy", "lds", "proportional", "uniform"]
    assert "worlds      2, seeds 0 to 1\n" in captured.out
    assert captured.err == ""  # no bar where there is no terminal


def test_the_example_is_short_unless_told_otherwise():
    parser = argparse.ArgumentParser()
    simulate.add_command(parser.add_subparsers())
    for argv, expected in (([], simulate.EXAMPLE_HORIZON), (["--horizon", "7"], 7.0)):
        args = parser.parse_args(["simulate", "--example", *argv])
        simulate._check(args)
        assert args.horizon == expected


def test_example_needs_no_file(capsys):
    got = json_of(
        ["simulate", "--example", "--horizon", "5", "--repetitions", "1", "--policy", "uniform", "--warmup", "0"],
        capsys,
    )
    expected = recrawl.simulate(example_pages(), "uniform", 100.0, 5.0).freshness
    assert got["policies"][0]["freshness"] == expected
    assert got["policies"][0]["freshness_standard_error"] is None


def test_out_writes_the_table(pages, tmp_path, capsys):
    for name in ("table.csv", "table.parquet"):
        path = str(tmp_path / name)
        got = json_of(["simulate", pages, *QUICK, "--policy", "greedy", "nutch", "--out", path], capsys)
        if name.endswith("csv"):
            with open(path, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            assert [float(row["freshness"]) for row in rows] == [row["freshness"] for row in got["policies"]]
        else:
            assert pq.read_table(path).to_pylist() == got["policies"]


@pytest.mark.parametrize("repetitions", ["1", "2"])
def test_plot_is_a_small_picture(pages, tmp_path, repetitions):
    path = tmp_path / "policies.png"
    assert main(["simulate", pages, *QUICK, "--repetitions", repetitions, "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size < 100_000


def first_run(pages, **keywords):
    read = recrawl.files.pages.read(pages)
    return read, recrawl.simulate(read.pages, "greedy-ncis", 5.0, 40.0, warmup=8.0, **keywords)


@pytest.mark.parametrize("name", ["log.csv", "log.parquet"])
def test_log_is_what_a_crawler_would_have_recorded(pages, tmp_path, name):
    path = str(tmp_path / name)
    assert main(["simulate", pages, *QUICK, "--log", path]) == 0
    if name.endswith("csv"):
        with open(path, encoding="utf-8", newline="") as file:
            rows = [{key: cell or None for key, cell in row.items()} for row in csv.DictReader(file)]
    else:
        rows = pq.read_table(path).to_pylist()
    read, run = first_run(pages)
    times = [float(row["time"]) for row in rows]
    assert times == sorted(times)
    crawls = [row for row in rows if row["kind"] == "crawl"]
    got = [(row["page"], float(row["elapsed"]), int(row["signals"]), int(row["changed"])) for row in crawls]
    urls = [read.urls[page] for page in run.crawl_pages]
    assert got == list(zip(urls, *(seen.tolist() for seen in run.outcomes), strict=True))
    signals = [row for row in rows if row["kind"] == "signal"]
    assert [row["page"] for row in signals] == [read.urls[page] for page in run.world.signal_pages]
    assert {row["changed"] for row in signals} == {None}
    # the signals of a page between two of its crawls are those the second crawl counts
    page = crawls[-1]["page"]
    last = max(k for k, row in enumerate(rows) if row["kind"] == "crawl" and row["page"] == page)
    before = max((k for k, r in enumerate(rows[:last]) if r["kind"] == "crawl" and r["page"] == page), default=-1)
    between = sum(r["kind"] == "signal" and r["page"] == page for r in rows[before + 1 : last])
    assert int(rows[last]["signals"]) == between


def test_a_trace_is_one_world_with_its_own_requests(pages, trace, capsys):
    argv = ["simulate", pages, "--rate", "5", "--trace", trace, "--policy", "greedy-ncis", "uniform"]
    got = json_of(argv, capsys)
    read = recrawl.files.pages.read(pages)
    events = recrawl.sim.read_trace(trace, 20, read.urls)
    expected = recrawl.simulate(read.pages, "uniform", 5.0, trace=events, warmup=29.9 / 5.0)
    assert got["horizon"] == 29.9
    assert (got["policies"][1]["freshness"], got["policies"][1]["accuracy"]) == (expected.freshness, expected.accuracy)
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "accuracy" in out
    assert "±" not in out


def test_late_and_discarded_signals_reach_the_runs(pages, capsys):
    plain, late, dropped = (
        json_of(["simulate", pages, *QUICK, "--policy", "greedy-ncis", *more], capsys)["policies"][0]["freshness"]
        for more in ([], ["--latency", "constant:3"], ["--latency", "constant:3", "--discard", "2"])
    )
    assert len({plain, late, dropped}) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("constant:0.5", Constant(0.5)),
        ("exponential:2", Exponential(2.0)),
        ("ticks:6", Poisson(6.0, 0.01)),
    ],
)
def test_delays_are_read(text, expected):
    assert simulating.parse_latency(text, rate=100.0) == expected


def test_a_run_is_long_enough_to_settle():
    assert simulating.horizon(None, rate=100.0, pages=1000, trace=None) == 1000.0
    assert simulating.horizon(None, rate=100.0, pages=10**6, trace=None) == 200_000.0
    assert simulating.horizon(7.0, rate=100.0, pages=1000, trace=None) == 7.0


BAD = [
    ([], "give either a pages file or --example"),
    (["PAGES", "--example"], "give either a pages file or --example"),
    (["PAGES"], "--rate is missing"),
    (["PAGES", "--rate", "0"], "--rate must be positive and finite, got 0"),
    (["PAGES", "--rate", "5", "--horizon", "-1"], "--horizon must be positive and finite, got -1"),
    (["PAGES", "--rate", "5", "--repetitions", "0"], "--repetitions must be at least 1, got 0"),
    (["PAGES", "--rate", "5", "--seed", "-1"], "--seed must not be negative, got -1"),
    (["PAGES", "--rate", "5", "--warmup", "40", "--horizon", "40"], "warmup must be in [0, 40)"),
    (["PAGES", "--rate", "5", "--policy", "gredy"], "policy must be one of greedy, "),
    (["PAGES", "--rate", "5", "--policy", "lds", "lds"], "--policy must not repeat, got lds twice"),
    (
        ["PAGES", "--rate", "5", "--latency", "weibull:1"],
        "--latency must be constant:D, exponential:MEAN or ticks:MEAN",
    ),
    (["PAGES", "--rate", "5", "--latency", "constant:-1"], "got 'constant:-1'; e.g. exponential:0.5"),
    (["PAGES", "--rate", "5", "--trace", "TRACE", "--repetitions", "3"], "--repetitions must be 1 with --trace"),
    (
        ["PAGES", "--rate", "5", "--trace", "TRACE", "--latency", "constant:1"],
        "--latency must be left out with --trace",
    ),
    (["PAGES", "--rate", "5", "--trace", "missing.csv"], "missing.csv: cannot be read"),
    (["PAGES", "--rate", "5", "--out", "table.txt"], "--out must end in .csv or .parquet"),
    (["PAGES", "--rate", "5", "--log", "PAGES"], "--log must not be the pages file"),
    (["PAGES", "--rate", "5", "--plot", "p.jpg"], "--plot must end in .png"),
    (["missing.csv", "--rate", "5"], "missing.csv: cannot be read"),
]


@pytest.mark.parametrize(("argv", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_line(argv, message, pages, trace, capsys):
    places = {"PAGES": pages, "TRACE": trace}
    err = error_of(["simulate", *(places.get(word, word) for word in argv)], capsys)
    assert err.startswith("recrawl: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_an_empty_file_and_a_trace_out_of_order_name_their_line(pages, tmp_path, capsys):
    empty = tmp_path / "empty.csv"
    empty.write_text("", encoding="utf-8")
    assert "empty.csv: is empty" in error_of(["simulate", str(empty), "--rate", "5"], capsys)
    assert "empty.csv: is empty" in error_of(["simulate", pages, "--rate", "5", "--trace", str(empty)], capsys)
    rows = TRACE.splitlines()
    rows[5], rows[6] = rows[6], rows[5]
    back = tmp_path / "back.csv"
    back.write_text("\n".join(rows), encoding="utf-8")
    err = error_of(["simulate", pages, "--rate", "5", "--trace", str(back)], capsys)
    assert "back.csv:7: time must not go back, got 0.4 after 0.5; sort the trace by time" in err


def test_nothing_is_written_over_the_trace_or_twice(pages, trace, tmp_path, capsys):
    before = pathlib.Path(trace).read_text()
    for argv, expected in (
        (["--trace", trace, "--out", trace], "--out must not be the trace, got"),
        (["--trace", trace, "--log", trace], "--log must not be the trace, got"),
        (["--out", str(tmp_path / "a.csv"), "--log", str(tmp_path / "a.csv")], "--log must not be the file of --out"),
    ):
        assert main(["simulate", pages, "--rate", "5", *argv]) == 2
        assert expected in capsys.readouterr().err
    assert pathlib.Path(trace).read_text() == before


def test_help_teaches(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    out = capsys.readouterr().out
    for name in recrawl.sim.names():
        assert name in out, name
    assert max(map(len, out.splitlines())) <= 120


def test_the_number_of_workers_does_not_matter_across_processes(pages):
    argv = ["simulate", pages, *QUICK[:-2], "--repetitions", "3", "--json"]
    outs = {finished([sys.executable, "-m", "recrawl", *argv, "--workers", workers]).stdout for workers in ("1", "2")}
    assert len(outs) == 1
    assert np.isfinite(json.loads(outs.pop())["optimum"])


def test_policies_that_learn_stand_beside_those_that_know(pages, capsys):
    got = json_of(["simulate", pages, *QUICK, "--policy", "greedy-ncis", "greedy-ncis:learn"], capsys)
    assert [row["policy"] for row in got["policies"]] == ["greedy-ncis", "greedy-ncis:learn"]
    read = recrawl.files.pages.read(pages).pages
    expected = compare(read, ["greedy-ncis:learn"], 5.0, 40.0, repetitions=2, warmup=8.0, workers=1)
    assert got["policies"][1]["freshness"] == expected.of("greedy-ncis:learn").mean


def test_rules_that_cannot_learn_are_refused(pages, capsys):
    assert "policy must weigh pages anew at each crawl to learn, as greedy-ncis does" in error_of(
        ["simulate", pages, *QUICK, "--policy", "lds:learn"], capsys
    )
