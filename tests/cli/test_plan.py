import csv
import io
import json
import math
import os
import sys

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.cli import curve, planning
from recrawl.cli.curve import Curve, draw
from recrawl.cli.example import example_pages
from recrawl.cli.main import main
from recrawl.cli.planning import make_plan
from recrawl.cli.progress import Progress
from recrawl.errors import InfeasibleError, InputError
from recrawl.model import Pages
from recrawl.optimal import optimum

SMALL = "url,change_rate,importance,recall,false_signal_rate\n" + "".join(
    f"https://example.org/{i},{0.1 + 0.2 * i:.1f},{1 + i % 3},{(i % 5) / 5},{0.1 + 0.05 * (i % 4):.2f}\n"
    for i in range(20)
)


class Silent:
    def stage(self, name):
        pass

    def step(self, iteration, error):
        pass


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "pages.csv"
    path.write_text(SMALL, encoding="utf-8")
    return str(path)


def json_of(argv, capsys):
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_example_needs_no_file(capsys):
    assert main(["plan", "--example"]) == 0
    out = capsys.readouterr().out
    assert "pages              1,000 (built-in example)\n" in out
    assert "crawl rate         100 per unit of time\n" in out


def test_text_has_every_part(small, capsys):
    assert main(["plan", small, "--rate", "5"]) == 0
    captured = capsys.readouterr()
    parts = (
        "summed change rate",
        "best freshness",
        "pages that get nothing",
        "The signals save",
        "best freshness against crawl rate",
    )
    assert [part for part in parts if part not in captured.out] == []
    assert captured.err == ""


def test_text_fits_into_100_columns(small, capsys):
    main(["plan", small, "--rate", "5"])
    lines = capsys.readouterr().out.splitlines()
    # The line that names the file is as long as its path.
    assert max(len(line) for line in lines if small not in line) <= 100


def test_the_numbers_are_those_of_the_optimum(capsys):
    got = json_of(["plan", "--example", "--no-curve"], capsys)
    pages = example_pages()
    expected = {
        "with_signals": optimum(pages, 100.0).freshness,
        "without_signals": optimum(pages, 100.0, use_signals=False).freshness,
    }
    assert got["freshness"] == pytest.approx(expected, rel=1e-12)


def test_pages_that_get_nothing_are_counted(capsys):
    got = json_of(["plan", "--example", "--no-curve"], capsys)["pages_that_get_nothing"]
    pages = example_pages()
    expected = {
        "with_signals": int((optimum(pages, 100.0).rates == 0).sum()),
        "without_signals": int((optimum(pages, 100.0, use_signals=False).rates == 0).sum()),
    }
    assert got == expected
    assert expected["without_signals"] > 0


def test_at_the_equal_rate_signals_are_as_fresh(capsys):
    got = json_of(["plan", "--example", "--no-curve"], capsys)
    assert 0.0 < got["saved"] < 1.0
    at_equal_rate = optimum(example_pages(), got["equal_rate"]).freshness
    # The search stops at 1e-5 of the rate, and freshness grows more slowly than the rate.
    assert at_equal_rate == pytest.approx(got["freshness"]["without_signals"], rel=1e-4)


def test_saved_is_the_part_of_the_rate_no_longer_needed(small, capsys):
    got = json_of(["plan", small, "--rate", "5", "--no-curve"], capsys)
    assert got["saved"] == pytest.approx(1.0 - got["equal_rate"] / 5.0, rel=1e-12)


def test_without_signals_nothing_is_saved(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate\n1\n2\n3\n", encoding="utf-8")
    assert main(["plan", str(path), "--rate", "1", "--no-curve"]) == 0
    assert "The signals save no crawls here.\n" in capsys.readouterr().out


def test_a_page_that_never_changes_is_planned(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate\n0\n1\n", encoding="utf-8")
    got = json_of(["plan", str(path), "--rate", "1"], capsys)
    assert math.isfinite(got["freshness"]["with_signals"])


def test_the_curve_passes_through_the_chosen_rate(small, capsys):
    got = json_of(["plan", small, "--rate", "5"], capsys)
    middle = len(got["curve"]["rate"]) // 2
    assert got["curve"]["rate"][middle] == pytest.approx(5.0, rel=1e-12)
    for name in ("with_signals", "without_signals"):
        assert got["curve"][name][middle] == pytest.approx(got["freshness"][name], rel=1e-9)


def test_the_curve_rises_and_spans_an_eighth_to_eight_times(small, capsys):
    curve = json_of(["plan", small, "--rate", "5"], capsys)["curve"]
    assert (curve["rate"][0], curve["rate"][-1]) == pytest.approx((5 / 8, 40.0))
    for name in ("with_signals", "without_signals"):
        assert (np.diff(curve[name]) > 0).all()


def test_the_curve_is_never_below_without_signals(small, capsys):
    curve = json_of(["plan", small, "--rate", "5"], capsys)["curve"]
    assert (np.array(curve["with_signals"]) >= np.array(curve["without_signals"]) - 1e-12).all()


def test_floor_leaves_no_page_out(capsys):
    argv = ["plan", "--example", "--floor", "0.05", "--no-curve"]
    assert json_of(argv, capsys)["pages_that_get_nothing"] == {"with_signals": 0, "without_signals": 0}


def test_the_curve_begins_where_the_floor_can_be_kept(small, capsys):
    curve = json_of(["plan", small, "--rate", "5", "--floor", "0.2"], capsys)["curve"]
    assert curve["rate"][0] == pytest.approx(4.0)


def test_an_impossible_floor_is_an_error(small, capsys):
    assert main(["plan", small, "--rate", "5", "--floor", "1"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("recrawl: error: ")
    assert "20" in err  # the rate it would take


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_out_writes_each_page(small, tmp_path, capsys):
    out = tmp_path / "plan.csv"
    assert main(["plan", small, "--rate", "5", "--no-curve", "--out", str(out)]) == 0
    rows = rows_of(out)
    assert list(rows[0]) == ["url", "rate", "interval", "threshold", "freshness"]
    assert [row["url"] for row in rows] == [f"https://example.org/{i}" for i in range(20)]
    assert sum(float(row["rate"]) for row in rows) == pytest.approx(5.0, rel=1e-9)
    assert f"note: wrote 20 pages to {out}\n" in capsys.readouterr().out


def test_out_says_inf_for_pages_never_crawled(tmp_path):
    out = tmp_path / "plan.csv"
    main(["plan", "--example", "--no-curve", "--out", str(out)])
    never = [row for row in rows_of(out) if float(row["rate"]) == 0.0]
    assert {(row["interval"], row["threshold"]) for row in never} == {("inf", "inf")}


def test_out_names_pages_by_row_where_there_are_no_urls(tmp_path):
    out = tmp_path / "plan.csv"
    main(["plan", "--example", "--no-curve", "--out", str(out)])
    assert [row["page"] for row in rows_of(out)] == [str(i) for i in range(1_000)]


def test_out_parquet_holds_the_same_as_csv(small, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    targets = [str(tmp_path / name) for name in ("plan.csv", "plan.parquet")]
    for target in targets:
        main(["plan", small, "--rate", "5", "--no-curve", "--out", target])
    expected = rows_of(targets[0])
    got = parquet.read_table(targets[1]).to_pylist()
    assert [{name: str(value) for name, value in row.items()} for row in got] == expected


def test_plot_is_a_png(small, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    target = tmp_path / "curve.png"
    assert main(["plan", small, "--rate", "5", "--plot", str(target)]) == 0
    assert target.read_bytes().startswith(b"\x89PNG")
    assert f"note: drew the curve into {target}\n" in capsys.readouterr().out


def test_plot_without_matplotlib_names_the_extra(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plan", small, "--rate", "5", "--plot", str(tmp_path / "curve.png")]) == 2
    assert "pip install 'recrawl[plot]'" in capsys.readouterr().err


def test_out_parquet_without_pyarrow_names_the_extra(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert main(["plan", small, "--rate", "5", "--out", str(tmp_path / "plan.parquet")]) == 2
    assert "pip install 'recrawl[parquet]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["plan"], "give either a pages file or --example; see 'recrawl plan --help'"),
        (["plan", "x.csv", "--example"], "give either a pages file or --example; see 'recrawl plan --help'"),
        (["plan", "x.csv"], "--rate is missing; give the crawls per unit of time, e.g. --rate 100"),
        (["plan", "--example", "--rate", "0"], "--rate must be positive and finite, got 0"),
        (["plan", "--example", "--rate", "nan"], "--rate must be positive and finite, got nan"),
        (["plan", "--example", "--rate", "inf"], "--rate must be positive and finite, got inf"),
        (
            ["plan", "--example", "--rate", "1e308"],
            "--rate must be in [1e-300, 1e+300], got 1e+308; use another unit of time",
        ),
        (
            ["plan", "--example", "--rate", "1e-310"],
            "--rate must be in [1e-300, 1e+300], got 1e-310; use another unit of time",
        ),
        (["plan", "--example", "--floor", "-1"], "--floor must be finite and not negative, got -1"),
        (["plan", "--example", "--floor", "1e308"], "--floor must not exceed --rate, got 1e+308 and 100"),
        (["plan", "--example", "--out", "plan.txt"], "--out must end in .csv or .parquet, got 'plan.txt'"),
        (["plan", "--example", "--out", ""], "--out must end in .csv or .parquet, got ''"),
        (["plan", "--example", "--plot", "a.gif"], "--plot must end in .png, got 'a.gif'"),
        (
            ["plan", "--example", "--out", "no/such/plan.csv"],
            "--out must be in an existing folder, got 'no/such/plan.csv'",
        ),
        (
            ["plan", "--example", "--plot", "no/such/a.png"],
            "--plot must be in an existing folder, got 'no/such/a.png'",
        ),
        (
            ["plan", "--example", "--plot", "a.png", "--no-curve"],
            "--plot draws the curve that --no-curve skips; drop one of them",
        ),
        (["plan", "absent.csv", "--rate", "1"], "absent.csv: cannot be read: No such file or directory"),
    ],
)
def test_wrong_requests_are_one_line_and_status_2(argv, expected, capsys):
    status = main(argv)
    assert (status, capsys.readouterr().err) == (2, f"recrawl: error: {expected}\n")


def test_a_bad_row_is_reported_with_its_line(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate,recall\n1,0\n1,2\n", encoding="utf-8")
    assert main(["plan", str(path), "--rate", "1"]) == 2
    assert capsys.readouterr().err.startswith(f"recrawl: error: {path}:3: recall must be in [0, 1], got 2")


@pytest.mark.parametrize(("option", "name"), [("--out", "plan.csv"), ("--plot", "curve.png")])
def test_a_folder_is_no_target(option, name, tmp_path, capsys):
    target = tmp_path / name
    target.mkdir()
    assert main(["plan", "--example", option, str(target)]) == 2
    expected = f"recrawl: error: {option} must be a file, got the folder {str(target)!r}; add a file name\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(("option", "name"), [("--out", "pages.csv"), ("--plot", "pages.png")])
def test_the_pages_file_is_never_written_over(option, name, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(SMALL, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    target = f"{tmp_path}/folder/../{name}"
    assert main(["plan", str(path), "--rate", "5", option, target]) == 2
    expected = f"recrawl: error: {option} must not be the pages file, got {target!r}; name another file\n"
    assert (capsys.readouterr().err, path.read_text(encoding="utf-8")) == (expected, SMALL)


def test_suffixes_of_targets_may_be_in_capitals(small, tmp_path):
    pytest.importorskip("matplotlib")
    parquet = pytest.importorskip("pyarrow.parquet")
    out, plot = tmp_path / "PLAN.PARQUET", tmp_path / "CURVE.PNG"
    assert main(["plan", small, "--rate", "5", "--out", str(out), "--plot", str(plot)]) == 0
    assert parquet.read_table(out).num_rows == 20
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(("option", "name"), [("--out", "plan.csv"), ("--out", "plan.parquet"), ("--plot", "a.png")])
def test_a_full_disk_is_reported_with_the_file(option, name, small, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pyarrow")
    target = tmp_path / name
    target.symlink_to("/dev/full")
    assert main(["plan", small, "--rate", "5", option, str(target)]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"recrawl: error: cannot write {target}: ")
    assert "No space left on device" in err


def refusing(error):
    def solve(*args, **options):
        raise error

    return solve


def test_a_row_the_solver_refuses_is_reported_with_its_line(tmp_path, monkeypatch, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate\n1\n\n2\n", encoding="utf-8")
    error = InputError("change_rate must be less extreme, got 2.0 in row 1; use another unit of time", row=1)
    monkeypatch.setattr(planning, "optimum", refusing(error))
    assert main(["plan", str(path), "--rate", "1"]) == 2
    expected = f"recrawl: error: {path}:4: change_rate must be less extreme, got 2.0; use another unit of time\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize("kind", [InputError, InfeasibleError])
def test_a_request_the_solver_refuses_is_one_line(kind, small, monkeypatch, capsys):
    monkeypatch.setattr(planning, "optimum", refusing(kind("rate must be higher, got 1.0")))
    assert main(["plan", small, "--rate", "1"]) == 2
    assert capsys.readouterr().err == "recrawl: error: rate must be higher, got 1.0\n"


def test_a_rate_the_curve_cannot_reach_names_the_way_out(small, monkeypatch, capsys):
    monkeypatch.setattr(curve, "optimum", refusing(InfeasibleError("rate 8 cannot be spent")))
    assert main(["plan", small, "--rate", "1"]) == 2
    expected = "recrawl: error: no curve from rate/8 to 8 rate, see --no-curve: rate 8 cannot be spent\n"
    assert capsys.readouterr().err == expected


def test_ignored_columns_are_noted(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate,colour\n1,red\n", encoding="utf-8")
    main(["plan", str(path), "--rate", "1", "--no-curve"])
    assert "note: ignored columns: colour\n" in capsys.readouterr().out


def test_json_leaves_notes_to_stderr(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate,colour\n1,red\n", encoding="utf-8")
    main(["plan", str(path), "--rate", "1", "--no-curve", "--json"])
    assert capsys.readouterr().err == "note: ignored columns: colour\n"


def test_many_pages_are_sampled_for_the_saving_and_the_curve(monkeypatch, capsys):
    monkeypatch.setattr(planning, "SAMPLE_PAGES", 400)
    assert main(["plan", "--example"]) == 0
    note = "note: the saving and the curve come from a random sample of 400 pages (seed 0)\n"
    assert note in capsys.readouterr().out


def test_the_sample_is_close_to_the_whole(monkeypatch):
    pages = example_pages(20_000)
    whole = make_plan(pages, 2_000.0, 0.0, curve=False, progress=Silent())
    monkeypatch.setattr(planning, "SAMPLE_PAGES", 5_000)
    sample = make_plan(pages, 2_000.0, 0.0, curve=False, progress=Silent())
    assert (whole.sampled, sample.sampled) == (None, 5_000)
    # A fixed seed, so no false alarms; 5,000 pages leave about 1% of noise.
    assert sample.saved == pytest.approx(whole.saved, abs=0.03)


@pytest.mark.parametrize("rate", ["1e-300", "1e100"])
def test_extreme_rates_are_planned_without_a_warning(rate, small, capsys):
    assert main(["plan", small, "--rate", rate]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "-0%" not in captured.out


def test_the_example_is_the_benchmarks_mix():
    got, expected = example_pages(7, 3), paper_mix(7, 3)
    assert [column.tolist() for column in got.columns] == [column.tolist() for column in expected.columns]


def test_the_example_is_always_the_same():
    first, second = example_pages(), example_pages()
    assert isinstance(first, Pages)
    assert first.change_rate.tobytes() == second.change_rate.tobytes()


RISING = Curve(
    rate=100.0,
    rates=np.geomspace(12.5, 800.0, 15),
    with_signals=np.linspace(0.3, 0.9, 15),
    without_signals=np.linspace(0.1, 0.8, 15),
)


@pytest.mark.parametrize("width", [10, 40, 80, 100, 300])
def test_drawing_fits_its_width(width):
    assert max(map(len, draw(RISING, width))) <= max(40, min(width, 100))


def test_drawing_can_do_with_ascii():
    assert "\n".join(draw(RISING, ascii_only=True)).isascii()


def test_drawing_labels_the_chosen_rate_and_the_ends():
    got = draw(RISING)[-1].split()
    assert got == ["12.5", "25", "50", "100", "200", "400", "800"]


def test_a_flat_curve_can_be_drawn():
    flat = Curve(1.0, np.geomspace(1 / 8, 8.0, 15), np.ones(15), np.ones(15))
    assert len(draw(flat)) == len(draw(RISING))


@pytest.mark.parametrize("level", [0.0, 2e-4, 1.0])
def test_a_flat_curve_stays_between_0_and_100_percent(level):
    flat = Curve(1.0, np.geomspace(1 / 8, 8.0, 15), np.full(15, level), np.full(15, level))
    got = {line.split()[0] for line in draw(flat, ascii_only=True) if "%" in line}
    assert got == {f"{level:.0%}"}


def test_progress_is_silent_off_a_terminal():
    stream = io.StringIO()
    with Progress(stream, delay_s=0.0) as progress:
        progress.stage("solving")
        progress.step(1, 0.5)
    assert stream.getvalue() == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_shows_the_stage_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(stream, delay_s=0.0)
    progress.stage("solving with signals")
    with progress:
        progress._timer.join()
    assert "solving with signals" in stream.getvalue()


def test_progress_of_a_quick_solve_stays_hidden(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress(stream, delay_s=60.0) as progress:
        progress.stage("solving")
    assert "solving" not in stream.getvalue()
