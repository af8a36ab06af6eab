import pytest

from recrawl.cli.main import main
from recrawl.datasets.kolobov import CACHE, IMPORTANCE
from recrawl.datasets.sample import read_sample
from tests.datasets.histories import write_dataset


def test_it_writes_into_the_folder_and_says_what(tmp_path, capsys):
    _, _, _, labelled = write_dataset(tmp_path)
    assert main(["dataset", "kolobov", str(tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())  # broken to fit the terminal
    assert f"wrote 200 URLs to {tmp_path / CACHE}" in out
    assert f"{len(labelled)} of them" in out
    assert len(read_sample(str(tmp_path / CACHE), 200, seed=0)) == 200


def test_the_second_time_nothing_is_done(tmp_path, capsys):
    write_dataset(tmp_path)
    main(["dataset", "kolobov", str(tmp_path)])
    capsys.readouterr()
    assert main(["dataset", "kolobov", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / CACHE} is up to date\n"


def test_out_is_honoured(tmp_path):
    write_dataset(tmp_path)
    assert main(["dataset", "kolobov", str(tmp_path), "--out", str(tmp_path / "x.parquet")]) == 0
    assert (tmp_path / "x.parquet").exists()
    assert not (tmp_path / CACHE).exists()


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["kolobow", "."], "unknown dataset 'kolobow'; known: kolobov, git, sitemaps, feeds"),
        (["kolobov", "nowhere"], "DIR must be a folder, got 'nowhere'"),
        (
            ["kolobov", ".", "--since", "2020-01-01"],
            "--since must not be given with kolobov; it is for git, sitemaps, feeds",
        ),
        (["sitemaps", ".", "--paths", "*.md"], "--paths must not be given with sitemaps; it is for git"),
        (["git", "nowhere"], "DIR must be a folder with a git repository, got 'nowhere'"),
        (["feeds", "nowhere"], "DIR must be a folder, got 'nowhere'"),
        (["git", ".", "--since", "soon"], "--since must be a date such as 2022-01-01, got 'soon'"),
        (["git", ".", "--since", ""], "--since must be a date such as 2022-01-01, got ''"),
        (["git", ".", "--out", "no/x"], "--out must be in an existing folder, got 'no/x.pages.csv.gz'"),
        (["kolobov", ".", "--out", "x.csv"], "--out must end in .parquet, got 'x.csv'"),
    ],
)
def test_wrong_arguments_are_one_line_and_status_2(argv, expected, capsys):
    assert main(["dataset", *argv]) == 2
    assert capsys.readouterr().err == f"recrawl: error: {expected}\n"


def test_a_bad_line_is_named(tmp_path, capsys):
    write_dataset(tmp_path)
    with (tmp_path / IMPORTANCE).open("a") as file:
        file.write("7\thigh\n")
    assert main(["dataset", "kolobov", str(tmp_path)]) == 2
    got = capsys.readouterr().err
    assert got == f"recrawl: error: {tmp_path / IMPORTANCE}:201: importance must be a number, got 'high'\n"
