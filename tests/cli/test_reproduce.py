import pytest

from recrawl.cli.main import main
from recrawl.paper import catalogue


def test_list_names_every_figure(capsys):
    assert main(["reproduce", "--list"]) == 0
    got = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert got == [*catalogue.NAMES, "real"]


def test_a_figure_writes_its_files_and_both_reports(tmp_path, capsys):
    out = tmp_path / "deep" / "report"
    assert main(["reproduce", "value", "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "report.md", "value.csv", "value.png"]
    printed = capsys.readouterr().out
    assert printed.startswith("value            replicates in part")
    assert printed.split()[-4:] == ["wrote", str(out / "report.md"), "and", str(out / "report.html")]


def test_a_repeated_name_runs_once(tmp_path, capsys):
    assert main(["reproduce", "value", "value", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("replicates in part") == 1


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["vlaue"], f"unknown figure 'vlaue'; known: {', '.join(catalogue.NAMES)}; and real"),
        (["value", "--repetitions", "0"], "repetitions must be at least 1, got 0; 2 or more give standard errors"),
        (["value", "--quick", "--reps", "5"], "--quick sets the repetitions itself; drop it or --repetitions"),
        (["value", "--seed", "-1"], "seed must not be negative, got -1"),
        (["value", "--workers", "0"], "workers must be at least 1, got 0"),
        (
            ["semisynthetic", "--dataset", "nowhere.parquet"],
            "--dataset must be a file made by 'recrawl dataset', got 'nowhere.parquet'; leave it out for the stand-in",
        ),
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(argv, expected, capsys):
    assert main(["reproduce", *argv]) == 2
    assert capsys.readouterr().err == f"recrawl: error: {expected}\n"


def test_out_must_not_be_a_file(tmp_path, capsys):
    path = tmp_path / "taken"
    path.write_text("")
    assert main(["reproduce", "value", "--out", str(path)]) == 2
    assert "--out must be a folder" in capsys.readouterr().err


def test_a_dataset_that_will_not_do_is_refused_before_the_first_figure(tmp_path, capsys):
    import pyarrow as pa
    import pyarrow.parquet as pq

    small, text = tmp_path / "small.parquet", tmp_path / "text.parquet"
    pq.write_table(pa.table({"importance": [1.0], "change_rate": [1.0], "complete": [True]}), small)
    text.write_text("no table")
    out = tmp_path / "report"
    for path, expected in ((small, "--dataset is too small: size must be at most the 1 URLs"), (text, "as Parquet")):
        assert main(["reproduce", "value", "semisynthetic", "--dataset", str(path), "--out", str(out)]) == 2
        assert expected in capsys.readouterr().err
    assert not out.exists()
