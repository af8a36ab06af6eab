"""`recrawl plan`: what it says is what the optimum is."""

import json
import math

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.cli.example import example_pages
from recrawl.cli.main import main
from recrawl.model import Pages
from recrawl.optimal import optimum
from recrawl.optimal import plan as planning
from recrawl.optimal.plan import make_plan


class Silent:
    def stage(self, name):
        pass

    def step(self, iteration, error):
        pass


def json_of(argv, capsys):
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_example_needs_no_file(capsys):
    assert main(["plan", "--example"]) == 0
    out = capsys.readouterr().out
    assert "pages               1,000 (built-in example)\n" in out
    assert "crawl rate          100 per unit of time\n" in out


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
