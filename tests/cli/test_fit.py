import json

import numpy as np
import pytest

from recrawl.cli.main import main
from recrawl.cli.pages_file import read
from recrawl.learn import appendix
from recrawl.model import Pages


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
    assert "pages              30" in capsys.readouterr().out


def test_json_holds_the_same(log, capsys):
    assert main(["fit", log, "--by", "host", "--json"]) == 0
    shown = capsys.readouterr()
    got = json.loads(shown.out)
    assert (got["pages"], set(got["groups"])) == (30, {"a.example", "b.example", "c.example"})
    assert sum(got["malformed"].values()) == 2
    assert len(got["calibration"]["predicted"]) == 10
    assert "note: 1 row left out" in shown.err


def test_sources_are_told_apart(tmp_path, capsys):
    rng = np.random.default_rng(6)
    crawls, signals = ["page,time,changed"], ["page,time,source"]
    for k in range(1, 401):
        true, false = rng.poisson(0.4), rng.poisson(0.4)
        crawls.append(f"a,{k},{int(true > 0)}")
        signals += [f"a,{k - 0.5},feed"] * true + [f"a,{k - 0.5},map"] * false
    (tmp_path / "crawls.csv").write_text("\n".join(crawls) + "\n", encoding="utf-8")
    (tmp_path / "signals.csv").write_text("\n".join(signals) + "\n", encoding="utf-8")
    assert main(["fit", str(tmp_path / "crawls.csv"), "--signals", str(tmp_path / "signals.csv"), "--start", "0"]) == 0
    out = capsys.readouterr().out
    assert "precision 1.000" in out
    assert "precision 0.000" in out


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
    assert "half within 0.5, nine in ten within 0.5; of 26 signals" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--out", "pages.txt"], "--out must end in .csv or .parquet"),
        (["--plot", "plot.svg"], "--plot must end in .png"),
        (["--start", "inf"], "start must be a finite number, as times are in"),
        (["--start", "2024-05-01"], "start must be a finite number, as times are in"),
        (["--by", "team"], "has no column team to group by"),
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
