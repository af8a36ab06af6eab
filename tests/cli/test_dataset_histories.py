"""``recrawl dataset git``, ``sitemaps`` and ``feeds``."""

import pytest

from recrawl.cli.dataset.command import DOCUMENTS
from recrawl.cli.main import main
from recrawl.histories import git
from recrawl.histories.files import read_history
from tests.histories.repositories import Repository


@pytest.fixture
def clone(tmp_path):
    """Four days of two pages."""
    repository = Repository(tmp_path / "clone")
    repository.commit(0, {"a.md": "1", "b.md": "1", "x.json": "1"})
    repository.commit(1, {"a.md": "2", "x.json": "2"})
    repository.commit(4, {"a.md": "3"})
    return repository.folder


def test_a_clone_becomes_a_history_in_the_folder_one_is_in(clone, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["dataset", "git", "clone"]) == 0
    got = capsys.readouterr()
    assert got.err == ""
    assert got.out.splitlines() == [
        "wrote clone.pages.csv.gz and clone.changes.csv.gz",
        "span           4.0 days, 2020-09-13 to 2020-09-17",
        "changes        2, 0% of them in bulk edits of more than 50 pages",
        "pages          2, 2 of them there at the end",
        "never changed  1 of them (50%)",
        "share of pages           10%  25%  50%    75%    90%    99%",
        "changes a year, at most    0    0    0  182.6  182.6  182.6",
        "next: recrawl reproduce real --history clone",
    ]
    history = read_history("clone")
    assert history.paths == ("a.md", "b.md")
    assert history.change_times.tolist() == [1.0, 4.0]


def test_paths_since_and_out_are_honoured(clone, tmp_path, capsys):
    out = str(tmp_path / "my history")
    argv = ["dataset", "git", str(clone), "--paths", "*.json", "--paths", "a.*", "--since", "2020-09-15", "--out", out]
    assert main(argv) == 0
    assert capsys.readouterr().out.endswith(f"next: recrawl reproduce real --history '{out}'\n")
    history = read_history(out)
    assert history.paths == ("a.md", "x.json")
    assert history.change_times.round(2).tolist() == [2.52]  # committed at 12:26 of the 17th


def test_a_folder_after_the_paths_is_said_to_belong_before_them(clone, capsys):
    assert main(["dataset", "git", "--paths", "*.md", str(clone)]) == 2
    expected = "the following arguments are required: DIR; write DIR before --paths, which takes all that follows it"
    assert capsys.readouterr().err == f"recrawl: error: {expected} for patterns; see 'recrawl dataset --help'\n"


def test_a_folder_may_stand_after_other_options(clone, tmp_path):
    assert main(["dataset", "git", "--paths", "*.md", "--out", str(tmp_path), str(clone)]) == 0


def test_a_history_that_policies_cannot_be_run_on_says_why(tmp_path, capsys):
    repository = Repository(tmp_path / "one")
    repository.commit(0, {"a.md": "1", "b.md": "1"})
    assert main(["dataset", "git", str(repository.folder), "--out", str(tmp_path)]) == 0
    why = "history must last for some time, got one, in which nothing happened after its beginning"
    assert capsys.readouterr().out.endswith(f"note: it is not for recrawl reproduce real: {why}\n")
    assert main(["reproduce", "real", "--history", str(tmp_path / "one"), "--out", str(tmp_path / "report")]) == 2
    assert capsys.readouterr().err == f"recrawl: error: {why}\n"
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("out", ["", ".pages.csv.gz"])
def test_an_out_that_is_no_name_is_refused(out, clone, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main(["dataset", "git", str(clone), "--out", out]) == 2
    assert f"--out must be a folder or the beginning of both names, got {out!r}" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_out_may_be_a_folder(clone, tmp_path):
    assert main(["dataset", "git", str(clone), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "clone.changes.csv.gz").exists()


def test_a_date_after_the_end_is_refused(clone, capsys):
    assert main(["dataset", "git", str(clone), "--since", "2021-01-01", "--out", str(clone)]) == 2
    expected = "--since must be before the last thing that happened to a page, 2020-09-17, got 2021-01-01"
    assert capsys.readouterr().err == f"recrawl: error: {expected}\n"
    assert not (clone / "clone.pages.csv.gz").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sitemaps", "<urlset><url><loc>https://example.org/a</loc><lastmod>{}</lastmod></url></urlset>"),
        ("feeds", "<feed><entry><id>https://example.org/a</id><updated>{}</updated></entry></feed>"),
    ],
)
def test_archives_become_histories(name, text, tmp_path, capsys):
    archive = tmp_path / "archive"
    archive.mkdir()
    for day in ("2024-05-01", "2024-05-03", "2024-05-05"):
        (archive / f"{day}.xml").write_text(text.format(day))
    (archive / "latest.xml").write_text(text.format("2024-05-05"))
    assert main(["dataset", name, str(archive), "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "changes        2" in out
    assert "note: left out 1 file without a date in the path, such as latest.xml" in out
    assert read_history(tmp_path / "archive").change_times.tolist() == [2.0, 4.0]


def test_the_default_paths_are_told(capsys):
    assert tuple(DOCUMENTS.split()) == git.DOCUMENTS
    with pytest.raises(SystemExit):
        main(["dataset", "--help"])
    assert DOCUMENTS in capsys.readouterr().out
