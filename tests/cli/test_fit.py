import json
import re

import numpy as np
import pytest

from recrawl.cli.main import main
from recrawl.files.pages import read
from recrawl.model import Pages
from recrawl.paper.trials import appendix


@pytest.fixture
def log(tmp_path):
    """30 pages of three hosts, 40 crawls each; the last two rows are malformed."""
    rng = np.random.default_rng(5)
    lines = ["page,time,kind,changed"]
    for i in range(30):
        page = Pages.from_quality(0.2 + 0.02 * i, 1.0, 0.7, 0.6)
        trial = appendix.crawl(rng, page, 0.5, 80.0)
        time = np.cumsum(trial.elapsed)
        url = f"https://{'abc'[i % 3]}.example/{i}"
        for t, length, n, z in zip(time, *trial[1:], strict=True):
            lines += [f"{url},{float(s)!r},signal," for s in rng.uniform(t - length, t, size=int(n))]
            lines.append(f"{url},{float(t)!r},crawl,{int(z)}")
    path = tmp_path / "log.csv"
    path.write_text("\n".join([*lines, "x,never,crawl,1", "x,1,crawl,perhaps"]) + "\n", encoding="utf-8")
    return str(path)


def test_everything_is_shown_and_written(log, tmp_path, capsys):
    out, plot = str(tmp_path / "pages.csv"), tmp_path / "calibration.png"
    assert main(["fit", log, "--start", "0", "--by", "host", "--out", out, "--plot", str(plot)]) == 0
    shown = capsys.readouterr()
    parts = (
        "2 left out",
        "30: ",
        "a.example",
        "change rate: changes of a page per unit of time",
        "chance of a change, predicted for each half of the crawls from the other half",
        "predicted  observed",
        "note: 1 row left out: time must be a number, or a date throughout",
        ": changed must be 0, 1 or blank, got 'perhaps'",
        f"wrote 30 pages to {out}",
    )
    assert [part for part in parts if part not in shown.out] == []
    assert shown.err == ""
    assert plot.read_bytes()[:4] == b"\x89PNG"
    file = read(out)
    assert len(file.pages) == 30
    assert file.urls[0].startswith("https://a.example/")
    # 1,200 crawls in all: the mean rate is known to a few percent.
    assert file.pages.change_rate.mean() == pytest.approx(0.49, rel=0.15)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_plan_reads_what_fit_wrote(log, suffix, tmp_path, capsys):
    out = str(tmp_path / f"pages.{suffix}")
    assert main(["fit", log, "--out", out]) == 0
    assert main(["plan", out, "--rate", "5", "--no-curve"]) == 0
    shown = capsys.readouterr().out
    assert "pages               30" in shown
    assert "ignored columns" not in shown  # fit wrote them itself


def test_json_holds_the_same(log, capsys):
    assert main(["fit", log, "--by", "host", "--json"]) == 0
    shown = capsys.readouterr()
    got = json.loads(shown.out)
    assert (got["pages"], set(got["groups"])) == (30, {"a.example", "b.example", "c.example"})
    assert sum(got["malformed"].values()) == 2
    assert len(got["calibration"]["predicted"]) == 10
    assert "note: 1 row left out" in shown.err


@pytest.fixture
def sources(tmp_path):
    """2,000 crawls of ten pages; two sources hear of 60% and 30% of the changes, at most .002 apart."""
    rng = np.random.default_rng(6)
    crawls, signals = ["page,time,changed"], ["page,time,source"]
    for page in range(10):
        changes = np.sort(rng.uniform(0.0, 200.0, size=rng.poisson(160.0)))
        changed = np.histogram(changes, np.arange(201.0))[0] > 0
        crawls += [f"{page},{k + 1},{int(z)}" for k, z in enumerate(changed)]
        for name, recall, false in (("feed", 0.6, 0.2), ("map", 0.3, 0.5)):
            told = changes[rng.random(len(changes)) < recall]
            told = np.minimum(told + rng.uniform(0.0, 0.002, size=len(told)), np.ceil(told))
            noise = rng.uniform(0.0, 200.0, size=rng.poisson(200.0 * false))
            signals += [f"{page},{t!r},{name}" for t in np.concatenate((told, noise)).tolist()]
    (tmp_path / "crawls.csv").write_text("\n".join(crawls) + "\n", encoding="utf-8")
    (tmp_path / "signals.csv").write_text("\n".join(signals) + "\n", encoding="utf-8")
    return ["fit", str(tmp_path / "crawls.csv"), "--signals", str(tmp_path / "signals.csv"), "--start", "0"]


def test_sources_are_told_apart_and_coincidences_count_once(sources, capsys):
    assert main([*sources, "--coincidence", "0.002", "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    feed, other = got["sources"]["feed"], got["sources"]["map"]
    # Four standard errors, false alarm 6e-5 a number, and a little for signals that coincide by chance.
    for found, recall, precision in ((feed, 0.6, 0.48 / 0.68), (other, 0.3, 0.24 / 0.74)):
        assert found["recall"] == pytest.approx(recall, rel=0.03, abs=4 * found["recall_error"])
        assert found["precision"] == pytest.approx(precision, rel=0.03, abs=4 * found["precision_error"])
        assert 0.005 < found["precision_error"] < 0.05
    assert got["coincidences"] == pytest.approx(0.18 * 1600, rel=0.25)  # four standard deviations
    assert main(sources) == 0
    out = capsys.readouterr().out
    assert "signals by source (each judged by itself; pages alike), +- standard error:" in out
    assert re.search(r"several at once +0 *\n", out)  # none at the very same moment
    assert "try a longer --coincidence" in out


def test_a_source_that_never_lies_and_one_that_always_does(tmp_path, capsys):
    rng = np.random.default_rng(6)
    crawls, signals = ["page,time,changed"], ["page,time,source"]
    for k in range(1, 401):
        true, false = rng.poisson(0.4), rng.poisson(0.4)
        crawls.append(f"a,{k},{int(true > 0)}")
        signals += [f"a,{k - 0.5},feed"] * true + [f"a,{k - 0.3},map"] * false
    (tmp_path / "crawls.csv").write_text("\n".join(crawls) + "\n", encoding="utf-8")
    (tmp_path / "signals.csv").write_text("\n".join(signals) + "\n", encoding="utf-8")
    assert main(["fit", str(tmp_path / "crawls.csv"), "--signals", str(tmp_path / "signals.csv"), "--start", "0"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"feed +\d+ +\d+ +1.000 \+- \? +1.000 \+- \?\n", out)
    assert re.search(r"map .*  0.000 \+- \S+\n", out)


def test_sources_that_cannot_be_told_are_one_line(tmp_path, capsys):
    rows = [f"a,{k},crawl,1," for k in range(1, 9)] + ["a,1.5,signal,,feed", "a,2.5,signal,,map"]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["page,time,kind,changed,source", *rows]) + "\n", encoding="utf-8")
    assert main(["fit", str(log)]) == 0
    assert "\nby source: the sources cannot be told: every interval changed" in capsys.readouterr().out
    assert main(["fit", str(log), "--json"]) == 0
    assert "every interval changed" in json.loads(capsys.readouterr().out)["sources_undetermined"]


def test_a_coincidence_without_sources_is_noted(log, capsys):
    assert main(["fit", log, "--coincidence", "1"]) == 0
    assert "note: --coincidence does nothing: the log does not name two to eight sources" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_existing_pages_file_is_the_frame(log, suffix, tmp_path, capsys):
    first, new, alien = "https://a.example/0", "https://c.example/new", "https://z.example/"
    pages, out = tmp_path / "pages.csv", str(tmp_path / f"learned.{suffix}")
    pages.write_text(
        f"url,change_rate,importance\n{alien},1,5\nhttps://c.example/29,1,2\n{new},1,3\n{first},1,0.5\n",
        encoding="utf-8",
    )
    assert main(["fit", log, "--start", "0", "--by", "host", "--pages", str(pages), "--out", out]) == 0
    shown = capsys.readouterr().out
    assert f"note: 2 pages of {pages} not in the log: estimated as their group, or as all pages" in shown
    assert f"note: 28 pages of the log not in {pages}: left out" in shown
    got = read(out)
    assert list(got.urls) == [alien, "https://c.example/29", new, first]
    assert got.pages.importance.tolist() == [5.0, 2.0, 3.0, 0.5]
    everything = str(tmp_path / "all.csv")
    assert main(["fit", log, "--start", "0", "--by", "host", "--out", everything]) == 0
    plain = capsys.readouterr().out
    expected = read(everything)
    rate = dict(zip(expected.urls, expected.pages.change_rate.tolist(), strict=True))
    # How far groups lean on the population, and so every estimate, is the same with the other pages in.
    assert got.pages.change_rate[[1, 3]].tolist() == pytest.approx([rate["https://c.example/29"], rate[first]])
    assert min(rate.values()) < got.pages.change_rate[0] < max(rate.values())
    assert got.pages.change_rate[2] != got.pages.change_rate[0]  # its host's, and everyone's
    assert got.pages.recall[0] > 0.0
    assert shown.split("note:", 1)[0] == plain.split("note:", 1)[0]  # the report is about the log


def test_pages_without_urls_are_their_rows(tmp_path):
    log, pages, out = (str(tmp_path / name) for name in ("log.csv", "pages.csv", "out.csv"))
    (tmp_path / "log.csv").write_text("page,elapsed,signals,changed\n1,1,0,1\n1,1,0,0\n", encoding="utf-8")
    (tmp_path / "pages.csv").write_text("change_rate,importance\n1,3\n1,4\n", encoding="utf-8")
    assert main(["fit", log, "--pages", pages, "--out", out]) == 0
    assert (list(read(out).urls), read(out).pages.importance.tolist()) == (["0", "1"], [3.0, 4.0])


def test_a_pages_file_of_other_pages_is_refused(log, small, tmp_path, capsys):
    assert main(["fit", log, "--pages", small, "--out", str(tmp_path / "out.csv")]) == 2
    assert "has no page of the log; pages are matched by name, such as" in capsys.readouterr().err
    assert main(["fit", log, "--pages", small]) == 2
    assert "--pages says what --out writes; give --out FILE, too" in capsys.readouterr().err
    assert main(["fit", log, "--pages", small, "--out", small]) == 2
    assert "must not be the pages file" in capsys.readouterr().err


def test_latency_is_shown_where_signals_say_when_it_happened(tmp_path, capsys):
    rows = [f"a,2024-01-{k:02d},crawl,{k % 2},{''}" for k in range(1, 29)]
    rows += [f"a,2024-01-{k:02d}T12:00,signal,,2024-01-{k:02d}" for k in range(2, 28)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["page,time,kind,changed,happened", *rows]) + "\n", encoding="utf-8")
    assert main(["fit", str(log), "--start", "2023-12-31", "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert got["intervals"] == 28  # the first crawl ends one that began at the start
    assert got["latency"]["signals"] == 26
    assert got["latency"]["mean"] == got["latency"]["median"] == pytest.approx(0.5)
    assert main(["fit", str(log), "--start", "5"]) == 2
    assert "start must be a date, as times are in" in capsys.readouterr().err
    assert main(["fit", str(log)]) == 0
    out = capsys.readouterr().out
    assert "half within 0.5, nine in ten within 0.5 days; of 26 signals" in out
    assert "change rate: changes of a page per day" in out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--out", "pages.txt"], "--out must end in .csv or .parquet"),
        (["--plot", "plot.gif"], "--plot must end in .png"),
        (["--start", "inf"], "start must be a finite number, as times are in"),
        (["--start", "2024-05-01"], "start must be a finite number, as times are in"),
        (["--by", "team"], "has no column team to group by"),
        (["--coincidence", "-1"], "coincidence must be finite and >= 0, got -1.0"),
    ],
)
def test_complaints_are_one_line_and_status_2(log, argv, message, capsys):
    assert main(["fit", log, *argv]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_the_log_is_never_overwritten(log, capsys):
    assert main(["fit", log, "--out", log]) == 2
    assert "must not be" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["log.csv", "link.csv"])
def test_the_log_is_not_its_own_signal_log(name, log, tmp_path, capsys):
    (tmp_path / "link.csv").symlink_to(log)
    assert main(["fit", log, "--signals", str(tmp_path / name)]) == 2
    err = capsys.readouterr().err
    assert "signals must be another file than the log, got" in err
    assert "a log that holds both needs a column kind" in err


def test_crawls_are_no_signals(log, tmp_path, capsys):
    other = tmp_path / "other.csv"
    other.write_text("page,time,changed\na,1,0\n", encoding="utf-8")
    assert main(["fit", log, "--signals", str(other)]) == 2
    assert "has a column changed, as crawls have; give a file of signals" in capsys.readouterr().err


@pytest.fixture
def unsignalled(tmp_path):
    """Two pages, without any signals."""
    path = tmp_path / "crawls.csv"
    path.write_text("page,time,changed\na,1,0\na,2,1\na,3,0\nb,1,0\nb,3,1\n", encoding="utf-8")
    return str(path)


def test_without_signals_the_precision_is_not_a_number(unsignalled, capsys):
    assert main(["fit", unsignalled]) == 0
    assert re.search(r"\nall .* - +0.000\n", capsys.readouterr().out)
    assert main(["fit", unsignalled, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["groups"]["all"]["precision"] is None


def test_what_is_written_without_signals_can_be_planned(unsignalled, tmp_path, capsys):
    out = str(tmp_path / "pages.csv")
    assert main(["fit", unsignalled, "--out", out]) == 0
    assert main(["plan", out, "--rate", "1", "--no-curve"]) == 0
    assert "pages               2" in capsys.readouterr().out


def test_by_source_without_sources_is_noted(unsignalled, sources, capsys):
    assert main(["fit", unsignalled, "--by", "source"]) == 0
    assert "note: --by source does nothing: no signal of the log names its source" in capsys.readouterr().out
    assert main([*sources, "--by", "source"]) == 0
    assert "--by source does nothing" not in capsys.readouterr().out


DATES = "page,time,changed\na,2024-01-01,0\na,2024-01-02T12:00,1\nb,2024-01-01,0\nb,2024-02-01,1\n"


@pytest.mark.parametrize("start", ["2030-01-01", "2024-02-01"])
def test_a_start_after_all_crawls_is_refused_with_the_range_of_the_log(start, tmp_path, capsys):
    log = tmp_path / "log.csv"
    log.write_text(DATES, encoding="utf-8")
    assert main(["fit", str(log), "--start", start]) == 2
    expected = f"start must be before the first crawls; those of {log} are from 2024-01-01 to 2024-02-01\n"
    assert capsys.readouterr().err.endswith(expected)


def test_a_start_after_some_crawls_leaves_them_out_and_says_the_range(unsignalled, tmp_path, capsys):
    assert main(["fit", unsignalled, "--start", "1"]) == 0
    out = capsys.readouterr().out
    assert "2 rows left out: crawl not after the start (start must be before the first crawls; those of " in out
    assert "are from 1 to 3)" in out
