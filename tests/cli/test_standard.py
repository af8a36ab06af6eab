"""`-`: stdin among the files that are read, stdout among those that are written."""

import io
import sys

import pytest

from recrawl.cli.main import main

PAGES = "url,change_rate\na,1\nb,2\n"
LOG = "page,time,changed\na,1,0\na,2,1\na,3,0\n"
EVENTS = "page,time,kind\na,1,change\nb,2,signal\n"


@pytest.fixture
def given(monkeypatch):
    """Puts a text into stdin."""

    def put(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.csv"
    path.write_text(PAGES, encoding="utf-8")
    return str(path)


def test_pages_come_from_stdin(given, capsys):
    given(PAGES)
    assert main(["plan", "-", "--rate", "1", "--no-curve"]) == 0
    assert capsys.readouterr().out.startswith("pages               2 (stdin)\n")
    assert not sys.stdin.buffer.closed


def test_a_wrong_line_of_stdin_is_named(given, capsys):
    given("change_rate\n1\nmany\n")
    assert main(["plan", "-", "--rate", "1"]) == 2
    assert capsys.readouterr().err == "recrawl: error: stdin:3: change_rate must be a number, got 'many'\n"


def test_a_log_comes_from_stdin_and_pages_go_to_stdout(given, capsys):
    given(LOG)
    assert main(["fit", "-", "--out", "-"]) == 0
    got = capsys.readouterr()
    assert [line.split(",")[0] for line in got.out.splitlines()] == ["url", "a"]
    assert got.err.startswith("log        3 rows (stdin)")
    assert "note: wrote 1 pages to stdout\n" in got.err


def test_a_trace_comes_from_stdin_and_the_table_goes_to_stdout(pages, given, capsys):
    given(EVENTS)
    assert main(["simulate", pages, "--rate", "1", "--policy", "uniform", "--trace", "-", "--out", "-"]) == 0
    got = capsys.readouterr()
    assert [line.split(",")[0] for line in got.out.splitlines()] == ["policy", "uniform"]
    assert "note: wrote the table to stdout\n" in got.err


def test_a_log_goes_to_stdout(pages, capsys):
    argv = ["simulate", pages, "--rate", "1", "--policy", "uniform", "--horizon", "9", "--reps", "1", "--log", "-"]
    assert main(argv) == 0
    assert capsys.readouterr().out.startswith("page,time,kind,")


def test_a_plan_goes_to_stdout_and_the_report_to_stderr(pages, capsys):
    assert main(["plan", pages, "--rate", "1", "--no-curve", "--out", "-"]) == 0
    got = capsys.readouterr()
    assert got.out.startswith("url,rate,interval,threshold,freshness\na,")
    assert got.err.startswith("pages               2 (")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (
            ["simulate", "-", "--rate", "1", "--trace", "-"],
            "stdin can be one of them only, got the pages file and the trace; name a file for the other",
        ),
        (
            ["plan", "-", "--rate", "1", "--out", "-", "--json"],
            "stdout can be one of them only, got --out - and --json; name a file for the other",
        ),
        (
            ["simulate", "-", "--rate", "1", "--out", "-", "--log", "-"],
            "stdout can be one of them only, got --out - and --log -; name a file for the other",
        ),
        (
            ["next", "-", "--signals", "-"],
            "stdin can be one of them only, got the log and the signal log; name a file for the other",
        ),
        (["plan", "-", "--rate", "1", "--plot", "-"], "--plot must end in .png, .svg or .pdf, got '-'"),
    ],
)
def test_one_stream_is_one_file(argv, expected, capsys):
    assert main(argv) == 2
    assert capsys.readouterr().err == f"recrawl: error: {expected}\n"


@pytest.mark.parametrize(
    "argv", [["--policy", "uniform", "lds", "PAGES"], ["--policy", "uniform", "PAGES", "--seed", "1"]]
)
def test_a_pages_file_behind_the_policies_is_found(argv, pages, capsys):
    argv = [pages if word == "PAGES" else word for word in argv]
    assert main(["simulate", "--rate", "1", "--horizon", "9", "--reps", "1", *argv]) == 0
    assert capsys.readouterr().out.startswith(f"pages       2 ({pages})\n")


def test_simulate_names_the_files_it_wrote(pages, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out, plot, log = (str(tmp_path / name) for name in ("table.csv", "plot.svg", "log.csv"))
    quick = ["--rate", "1", "--policy", "uniform", "--horizon", "9", "--reps", "1"]
    assert main(["simulate", pages, *quick, "--out", out, "--plot", plot, "--log", log]) == 0
    notes = capsys.readouterr().out.splitlines()[-3:]
    assert notes == [
        f"note: wrote the table to {out}",
        f"note: drew the comparison into {plot}",
        f"note: wrote crawls and signals of the first run to {log}",
    ]
