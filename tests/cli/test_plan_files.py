"""`recrawl plan --out` and `--plot`: the files it writes, and those it does not."""

import csv
import os
import sys

import pytest

from recrawl.cli.main import main


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


@pytest.mark.parametrize(("suffix", "begins"), [("svg", b"<?xml"), ("PDF", b"%PDF")])
def test_plots_are_of_the_kind_their_suffix_names(suffix, begins, small, tmp_path):
    pytest.importorskip("matplotlib")
    target = tmp_path / f"curve.{suffix}"
    assert main(["plan", small, "--rate", "5", "--plot", str(target)]) == 0
    assert target.read_bytes().startswith(begins)


def test_plot_without_matplotlib_names_the_extra(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plan", small, "--rate", "5", "--plot", str(tmp_path / "curve.png")]) == 2
    assert "pip install 'recrawl[plot]'" in capsys.readouterr().err


def test_out_parquet_without_pyarrow_names_the_extra(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert main(["plan", small, "--rate", "5", "--out", str(tmp_path / "plan.parquet")]) == 2
    assert "pip install 'recrawl[parquet]'" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "name"), [("--out", "plan.csv"), ("--plot", "curve.png")])
def test_a_folder_is_no_target(option, name, tmp_path, capsys):
    target = tmp_path / name
    target.mkdir()
    assert main(["plan", "--example", option, str(target)]) == 2
    expected = f"recrawl: error: {option} must be a file, got the folder {str(target)!r}; add a file name\n"
    assert capsys.readouterr().err == expected


def test_a_folder_one_may_not_write_in_is_refused_before_the_solving(tmp_path, monkeypatch, capsys):
    target = str(tmp_path / "plan.csv")
    monkeypatch.setattr(os, "access", lambda place, mode: str(place) != os.path.realpath(tmp_path))
    assert main(["plan", "--example", "--out", target]) == 2
    expected = f"recrawl: error: --out must be in a folder you may write in, got {target!r}; name another\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(("option", "name"), [("--out", "pages.csv"), ("--plot", "pages.png")])
def test_the_pages_file_is_never_written_over(option, name, small_text, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(small_text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    target = f"{tmp_path}/folder/../{name}"
    assert main(["plan", str(path), "--rate", "5", option, target]) == 2
    expected = f"recrawl: error: {option} must not be the pages file, got {target!r}; name another file\n"
    assert (capsys.readouterr().err, path.read_text(encoding="utf-8")) == (expected, small_text)


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
