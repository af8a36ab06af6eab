import csv
from pathlib import Path

import pytest

from recrawl.cli.main import main
from recrawl.histories.shipped import STEM
from recrawl.real.found import POLICIES


@pytest.mark.slow
def test_a_small_run_writes_tables_pictures_and_both_reports(tmp_path, capsys):
    out = tmp_path / "deep" / "real"
    argv = ["reproduce", "real", "--quick", "--pages", "40", "--years", "0.5", "--out", str(out), "--workers", "1"]
    assert main(argv) == 0
    names = ["bandwidth.png", "real.csv", "report.html", "report.md", "stale.png"]
    assert sorted(path.name for path in out.iterdir()) == names
    assert capsys.readouterr().out.startswith("freshness, pareto importance, fair signals:\nkubernetes_website, 0.05")
    with (out / "real.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["policy"] for row in rows} == set(POLICIES)
    assert {row["which"] for row in rows} == {"throughout", "come and go"}
    assert all(0.0 <= float(row["mean"]) <= 1.0 for row in rows)
    first = (out / "real.csv").read_bytes()
    assert main([*argv[:-1], "2"]) == 0
    assert (out / "real.csv").read_bytes() == first, "no number depends on the workers"


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["real", "noisy"], "real must stand alone; run the figures of the paper by themselves"),
        (["real", "--reps", "5"], "--repetitions is for the figures of the paper; drop it"),
        (["noisy", "--pages", "5"], "--pages is for real histories; write 'recrawl reproduce real'"),
        (["real", "--pages", "1"], "pages must be at least 2, got 1"),
        (["real", "--years", "0"], "years must be > 0, got 0"),
        (
            ["real", "--histories", "nowhere"],
            "--histories must be a folder with NAME.pages.csv.gz files, got 'nowhere'",
        ),
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(argv, expected, capsys):
    assert main(["reproduce", *argv]) == 2
    assert capsys.readouterr().err == f"recrawl: error: {expected}\n"


def test_a_history_that_is_not_there_is_named_before_anything_runs(tmp_path, capsys):
    assert main(["reproduce", "real", "--history", "nothing", "--out", str(tmp_path / "out")]) == 2
    assert "nothing.pages.csv.gz" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_of_histories_gives_each_once():
    from recrawl.cli.main import command_line
    from recrawl.cli.reproduce_real import _stems

    args = command_line().parse_args(["reproduce", "real", "--histories", str(Path(STEM).parent), "--history", STEM])
    assert _stems(args) == (STEM,)
