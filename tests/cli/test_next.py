"""`recrawl next`: which pages now."""

import json

import numpy as np
import pytest

from recrawl.cli.main import main
from recrawl.learn import fit_pages, read_log
from recrawl.policies import get

LOG = """url,time,kind,changed
a,1,crawl,0
b,1,crawl,1
c,1,crawl,0
a,2,crawl,1
b,2,crawl,1
c,2,crawl,0
b,3,crawl,1
a,3,signal,
a,3.5,signal,
b,2.5,signal,
d,3,signal,
"""


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    return str(path)


def test_prints_names_of_the_highest_values_first(log, capsys):
    assert main(["next", log, "-n", "3"]) == 0
    got = capsys.readouterr().out.split()
    file = read_log(log)
    fitted = fit_pages(file.log, observed_time=file.observed_time, n_signals=file.n_signals)
    elapsed, signals = {"a": 1.5, "b": 0.5, "c": 1.5}, {"a": 2, "b": 0, "c": 0}
    values = {}
    for k, name in enumerate(fitted.names):
        page = fitted.pages[k : k + 1]
        x = (np.inf, 0) if name == "d" else (elapsed[name], signals[name])  # d has no crawl: certainly stale
        values[name] = float(get("greedy-ncis").value(page, *x)[0])
    assert got == sorted(values, key=lambda name: -values[name])[:3]


def test_says_how_many_and_as_of_when(log, capsys):
    main(["next", log, "-n", "2", "--now", "10"])
    assert "2 of 4 pages, as of 10" in capsys.readouterr().err


def test_json_and_out_hold_what_the_decision_rests_on(log, capsys, tmp_path):
    out = tmp_path / "due.csv"
    assert main(["next", log, "--json", "--out", str(out)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["now"] == 3.5
    assert {row["url"]: (row["elapsed"], row["signals"]) for row in told["pages"]} == {
        "a": (1.5, 2),
        "b": (0.5, 0),
        "c": (1.5, 0),
        "d": (None, 1),
    }
    assert out.read_text().splitlines()[0] == "url,value,elapsed,signals"
    assert [row["value"] for row in told["pages"]] == sorted((row["value"] for row in told["pages"]), reverse=True)


def test_from_a_pages_file_with_the_last_crawls(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text(
        "url,change_rate,crawled,signals_since\nold,1,0,0\nnew,1,9,\nnever,1,,\nslow,0.01,5,1\n", encoding="utf-8"
    )
    main(["next", str(path), "--json"])
    rows = {row["url"]: row for row in json.loads(capsys.readouterr().out)["pages"]}
    assert (rows["old"]["elapsed"], rows["never"]["elapsed"]) == (9.0, None)
    assert "new" not in rows  # crawled just now: worth nothing
    assert rows["never"]["value"] == pytest.approx(1.0)  # importance / change rate


def test_a_pages_file_without_crawls_says_what_is_assumed(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("url,change_rate,importance\na,1,1\nb,1,5\n")
    assert main(["next", str(path), "-n", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["b"]
    assert "all pages are taken to be crawled one unit of time ago" in err


def test_dates_count_in_days_up_to_the_present(tmp_path, capsys, monkeypatch):
    from recrawl import clock

    path = tmp_path / "log.csv"
    path.write_text("url,time,changed\na,1970-01-01,0\na,1970-01-02,1\nb,1970-01-01,1\nb,1970-01-03,1\n")
    monkeypatch.setattr(clock, "wall_seconds", lambda: 4 * 86_400.0)
    main(["next", str(path), "--json"])
    out, err = capsys.readouterr()
    assert {row["url"]: row["elapsed"] for row in json.loads(out)["pages"]} == {"a": 3.0, "b": 2.0}
    assert "as of 1970-01-05 00:00" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "0"], "-n must be at least 1, got 0"),
        (["--now", "soon"], "--now must be a number, as the times in the file are, got 'soon'"),
        (["--policy", "best"], "policy must be one of"),
        (["--signals", "none.csv"], "none.csv"),
    ],
)
def test_bad_requests_are_one_line(log, capsys, arguments, message):
    assert main(["next", log, *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("url,change_rate,crawled\na,1,soon\nb,1,2\n", ":2: crawled must be a time like the others, got 'soon'"),
        ("url,change_rate,signals_since\na,1,-1\n", ":2: signals_since must be a whole number >= 0, got '-1'"),
    ],
)
def test_bad_cells_are_named_by_their_line(tmp_path, capsys, text, message):
    path = tmp_path / "pages.csv"
    path.write_text(text)
    assert main(["next", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_fit_writes_how_pages_stand(log, tmp_path, capsys):
    pages = tmp_path / "pages.csv"
    assert main(["fit", log, "--out", str(pages)]) == 0
    assert main(["next", log]) == 0
    capsys.readouterr()
    main(["next", log, "--json"])
    from_log = json.loads(capsys.readouterr().out)
    main(["next", str(pages), "--now", "3.5", "--json"])
    out, err = capsys.readouterr()
    from_pages = json.loads(out)
    values = [[row.pop("value") for row in told["pages"]] for told in (from_pages, from_log)]
    assert from_pages == from_log
    assert values[0] == pytest.approx(values[1], rel=1e-12)  # rates are written, weights are held
    assert "ignored" not in err


def test_a_moment_before_the_last_crawls_is_noted(log, capsys):
    main(["next", log, "--now", "1.5", "-n", "9"])
    err = capsys.readouterr().err
    assert "3 pages were crawled after --now, and count as crawled just then" in err
    assert "no other page is worth a crawl at this moment" in err


def test_pages_that_do_not_matter_are_refused_as_everywhere(tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("url,change_rate,importance\na,1,0\nb,2,0\n")
    assert main(["next", str(path)]) == 2
    assert "importance must" in capsys.readouterr().err


def test_a_log_of_which_nothing_is_usable_says_why(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text("url,time,changed\na,1,updated\na,2,same\n")
    for command in ("next", "fit"):
        assert main([command, str(path)]) == 2
        assert f"{path}:2: changed must be" in capsys.readouterr().err
