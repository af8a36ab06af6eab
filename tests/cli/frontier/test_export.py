"""`recrawl export`: what it writes is read by the other commands."""

import csv
import json

import pytest

from recrawl.cli.main import main
from recrawl.frontier import Frontier
from recrawl.learn import read_log


@pytest.fixture
def tables(data, tmp_path, capsys):
    assert main(["export", str(data), "--out", str(tmp_path / "tables")]) == 0
    capsys.readouterr()
    return tmp_path / "tables"


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_pages_are_those_of_the_frontier(tables, data):
    got = {row["url"]: row for row in rows(tables / "pages.csv")}
    with Frontier.open(data) as frontier:
        pages = {page.url: page for page in frontier.pages()[0] if page.state != "gone"}
    assert got.keys() == pages.keys()
    assert "https://new.example/moved" in got
    for url, page in pages.items():
        row = got[url]
        assert (row["host"], row["state"], int(row["crawls"])) == (page.host, page.state, page.fetches)
        assert float(row["change_rate"]) == pytest.approx(86_400.0 * page.change_rate, rel=0.05)


def test_crawls_and_signals_are_a_log(tables):
    log = read_log(tables / "crawls.csv", tables / "signals.csv")
    assert len(log.malformed) == 0
    assert log.dated
    assert log.signals == len(rows(tables / "signals.csv")) > 50
    assert len(log.log) == sum(row["changed"] != "" for row in rows(tables / "crawls.csv"))
    assert log.latency is not None


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export_then_fit_then_simulate(data, tmp_path, capsys, form):
    out = tmp_path / "tables"
    assert main(["export", str(data), "--out", str(out), "--format", form]) == 0
    file = {name: str(out / f"{name}.{form}") for name in ("pages", "crawls", "signals", "trace")}
    fitted = str(tmp_path / "fitted.csv")
    assert main(["fit", file["crawls"], "--signals", file["signals"], "--by", "host", "--out", fitted]) == 0
    assert main(["plan", file["pages"], "--rate", "20", "--no-curve"]) == 0
    assert main(["next", file["pages"], "-n", "3"]) == 0
    assert main(["next", file["crawls"], "--signals", file["signals"], "-n", "3"]) == 0
    capsys.readouterr()
    trace = ["--trace", file["trace"], "--policy", "greedy-ncis", "uniform", "--json"]
    assert main(["simulate", file["pages"], "--rate", "20", *trace]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert "ignored" not in err


def test_the_trace_has_a_change_for_each_that_was_found(tables):
    kinds = [row["kind"] for row in rows(tables / "trace.csv")]
    known = {row["url"] for row in rows(tables / "pages.csv")} | {"https://h1.example/7"}  # which has moved
    found = [row for row in rows(tables / "crawls.csv") if row["changed"] == "1" and row["url"] in known]
    assert kinds.count("change") == len(found) > 50
    times = [float(row["time"]) for row in rows(tables / "trace.csv")]
    assert times == sorted(times)
    assert 0.0 <= times[0] < times[-1] < 31.0


def test_ndjson_has_a_row_a_line(data, tmp_path):
    assert main(["export", str(data), "--out", str(tmp_path / "o"), "--format", "ndjson", "--gone"]) == 0
    got = [json.loads(line) for line in (tmp_path / "o" / "pages.ndjson").read_text().splitlines()]
    assert {row["state"] for row in got} == {"copy", "gone"}


def test_it_says_how_far_the_past_goes_back_and_what_was_left_out(data, tmp_path, capsys):
    main(["export", str(data), "--out", str(tmp_path / "o")])
    out = capsys.readouterr().out
    assert "the past goes back to 2026-01-01" in out
    assert "pages left out because they are gone: 1;" in out


def test_nothing_in_the_folder_changes(data, tmp_path):
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    main(["export", str(data), "--out", str(tmp_path / "o")])
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before


def test_a_folder_in_use_is_refused(data, tmp_path, capsys):
    with Frontier.open(data):
        assert main(["export", str(data), "--out", str(tmp_path / "o")]) == 2
    err = capsys.readouterr().err
    assert "is in use by process" in err
    assert "Frontier.backup" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("folder", "out", "message"),
    [
        ("nowhere", "o", "DIR must be the folder of a frontier, got"),
        (".", "o", "holds no frontier"),
        ("data", "data", "--out must not be DIR itself"),
        ("data", "file", "--out must be a folder, got the file"),
    ],
)
def test_bad_requests_are_one_line(data, tmp_path, capsys, folder, out, message):
    (tmp_path / "file").touch()
    assert main(["export", str(tmp_path / folder), "--out", str(tmp_path / out)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_where_it_fails_there_is_no_half_of_a_file(data, tmp_path, monkeypatch, capsys):
    from recrawl.frontier.export import TraceMaker

    def fail(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TraceMaker, "rows", fail)
    assert main(["export", str(data), "--out", str(tmp_path / "o")]) == 1
    assert list((tmp_path / "o").iterdir()) == []
