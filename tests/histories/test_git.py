"""Histories of real repositories, made with git itself."""

import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories import BULK, History
from recrawl.histories.files import read_history, write_history
from recrawl.histories.git import history_of_git
from tests.histories.repositories import BEGAN, Repository, lines


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def facts(history: History) -> dict[str, tuple[float, float | None, list[float]]]:
    """Each page: created, removed, days of its changes."""
    return {
        path: (
            float(history.created[page]),
            None if np.isinf(history.removed[page]) else float(history.removed[page]),
            history.change_times[history.change_pages == page].tolist(),
        )
        for page, path in enumerate(history.paths)
    }


def got(repository: Repository, *paths: str) -> dict[str, tuple[float, float | None, list[float]]]:
    return facts(history_of_git(str(repository.folder), paths).history)


def test_pages_are_born_change_and_go(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1", "b.md": "1", "code.py": "1"})
    repository.commit(1.5, {"a.md": "2"})
    repository.commit(2, {"code.py": "2"})
    repository.commit(3, {"b.md": None})
    repository.commit(4, {"a.md": "3", "c.rst": "1"})
    assert got(repository) == {"a.md": (0, None, [1.5, 4]), "b.md": (0, 3, []), "c.rst": (4, None, [])}


def test_times_count_from_the_first_commit_of_the_repository(repository: Repository) -> None:
    repository.commit(0, {"code.py": "1"})
    repository.commit(5, {"a.md": "1"})
    made = history_of_git(str(repository.folder))
    assert facts(made.history) == {"a.md": (5, None, [])}
    assert made.began == BEGAN
    assert made.history.name == "repo"


def test_a_rename_is_no_change_and_the_page_goes_by_its_last_path(repository: Repository) -> None:
    repository.commit(0, {"a.md": lines("a")})
    repository.git("mv", "a.md", "b.md")
    repository.commit(1)
    repository.commit(2, {"b.md": lines("a", 31)})
    assert got(repository) == {"b.md": (0, None, [2])}


def test_a_rename_with_an_edit_is_a_change(repository: Repository) -> None:
    repository.commit(0, {"a.md": lines("a")})
    repository.commit(1, {"a.md": None, "deep/er/a.html": lines("a", 31)})
    assert got(repository) == {"deep/er/a.html": (0, None, [1])}


def test_a_rename_from_outside_the_paths_is_a_birth_and_to_outside_the_end(repository: Repository) -> None:
    repository.commit(0, {"draft.txt": lines("a"), "b.md": lines("b")})
    repository.git("mv", "draft.txt", "a.md")
    repository.git("mv", "b.md", "b.txt")
    repository.commit(1)
    assert got(repository, "*.md") == {"b.md": (0, 1, []), "a.md": (1, None, [])}


def test_two_copies_of_a_file_that_goes_are_one_page_moved_and_one_new(repository: Repository) -> None:
    repository.commit(0, {"a.md": lines("a")})
    repository.commit(1, {"a.md": None, "b.md": lines("a"), "c.md": lines("a")})
    history = history_of_git(str(repository.folder)).history
    assert sorted(history.created.tolist()) == [0, 1]
    assert np.isinf(history.removed).all()
    assert set(history.paths) == {"b.md", "c.md"}
    assert not len(history.change_times)


def test_a_page_made_again_is_a_new_page(repository: Repository) -> None:
    for day in range(3):
        repository.commit(2 * day, {"a.md": lines(f"a{day}"), "other.md": lines(f"other{day}")})
        repository.commit(2 * day + 1, {"a.md": None})
    assert got(repository, "a.md") == {"a.md": (0, 1, []), "a.md#2": (2, 3, []), "a.md#3": (4, 5, [])}


def test_a_merge_is_one_step_of_the_branch_it_goes_to(repository: Repository) -> None:
    repository.commit(0, {"a.md": lines("a"), "b.md": lines("b")})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(1, {"a.md": lines("a", 31)})
    repository.commit(2, {"a.md": lines("a", 32), "new.md": lines("new")})
    repository.git("checkout", "-q", "main")
    repository.commit(3, {"b.md": lines("b", 31)})
    repository.git("merge", "-q", "--no-ff", "-m", "m", "side", day=5)
    assert got(repository) == {"a.md": (0, None, [5]), "b.md": (0, None, [3]), "new.md": (5, None, [])}


def test_names_may_be_odd(repository: Repository) -> None:
    names = ["mit leer.md", "zeile\n:100644 x.md", "grün/日本.md", 'q"uote,.md', "tab\t.md", "-dash.md", "cr\r.md"]
    repository.commit(0, dict.fromkeys(names, "1"))
    repository.commit(1, {names[1]: "2", names[2]: "2"})
    expected = {name: (0.0, None, [1.0] if name in names[1:3] else []) for name in names}
    made = history_of_git(str(repository.folder))
    assert facts(made.history) == expected
    write_history(made.history, repository.folder / "out")
    assert facts(read_history(repository.folder / "out")) == expected


def test_a_name_that_is_no_text_is_written_with_its_bytes(repository: Repository) -> None:
    with open(os.fsencode(repository.folder) + b"/\xff.md", "w") as file:
        file.write("1")
    repository.commit(0)
    assert list(got(repository)) == ["\\xff.md"]


def test_modes_links_and_submodules_are_no_changes_and_no_pages(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1", "b.md": "1"})
    (repository.folder / "a.md").chmod(0o755)
    repository.commit(1)
    (repository.folder / "link.md").symlink_to("a.md")
    repository.commit(2)
    (repository.folder / "b.md").unlink()
    (repository.folder / "b.md").symlink_to("a.md")
    repository.commit(3)
    (repository.folder / "b.md").unlink()
    repository.commit(4, {"b.md": "1"})
    assert got(repository) == {"a.md": (0, None, []), "b.md": (0, 3, []), "b.md#2": (4, None, [])}


def test_times_that_go_back_count_from_the_commit_before(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1"})
    repository.commit(5, {"a.md": "2"})
    repository.commit(3, {"a.md": "3"})
    repository.commit(6, {"a.md": "4"})
    made = history_of_git(str(repository.folder))
    assert facts(made.history) == {"a.md": (0, None, [5, 5, 6])}
    assert made.notes == (
        "1 commit with a time before that of an earlier one counts from the earlier one on (up to 2 days back)",
    )


def raw_commit(repository: Repository, committer: str, files: dict[str, str]) -> None:
    """A commit with the line of the committer as given, which git itself would not write."""
    for path, text in files.items():
        repository.write(path, text)
    repository.git("add", "-A")
    lines = [f"tree {repository.git('write-tree')}"]
    if repository.git("for-each-ref", "refs/heads/main"):
        lines.append(f"parent {repository.git('rev-parse', 'main')}")
    lines += ["author a <a@example.org> 1600000000 +0000", f"committer {committer}", "", "x", ""]
    repository.write("raw", "\n".join(lines))
    made = repository.git("hash-object", "-t", "commit", "-w", "--literally", "raw")
    (repository.folder / "raw").unlink()
    repository.git("update-ref", "refs/heads/main", made)


ODD = ["broken", "a <a@b> -5 +0000", "a <a@b> 99999999999999 +0000", "a <a@b> 18446744073709551614 +0000"]


@pytest.mark.parametrize("committer", ODD)
def test_a_time_that_is_no_date_is_that_of_the_commit_before(repository: Repository, committer: str) -> None:
    repository.commit(0, {"a.md": "1"})
    repository.commit(2, {"a.md": "2"})
    raw_commit(repository, committer, {"a.md": "3", "b.md": "1"})
    repository.commit(5, {"a.md": "4"})
    made = history_of_git(str(repository.folder))
    assert facts(made.history) == {"a.md": (0, None, [2, 2, 5]), "b.md": (2, None, [])}
    assert made.notes == ("1 commit with a time that is no date counts at that of the commit before",)


@pytest.mark.parametrize("committer", ODD)
def test_a_first_time_that_is_no_date_is_that_of_the_next_commit(repository: Repository, committer: str) -> None:
    raw_commit(repository, committer, {"a.md": "1"})
    raw_commit(repository, committer, {"a.md": "2"})
    repository.commit(2, {"a.md": "3"})
    repository.commit(5, {"a.md": "4"})
    made = history_of_git(str(repository.folder))
    assert facts(made.history) == {"a.md": (0, None, [0, 0, 3])}
    assert made.began == BEGAN + 2 * 86_400
    assert made.notes == ("2 commits with a time that is no date count at that of the commit before",)


def test_a_repository_without_a_time_is_refused(repository: Repository) -> None:
    raw_commit(repository, ODD[0], {"a.md": "1"})
    assert refused(repository.folder) == (
        f"DIR must have commits with a time of the committer, got '{repository.folder}' with none that is a date"
    )


def test_bulk_edits_go_by_commit_and_not_by_moment(repository: Repository) -> None:
    names = [f"{k:03}.md" for k in range(2 * BULK)]
    repository.commit(0, {name: name for name in names})
    repository.commit(1, dict.fromkeys(names[:BULK], "x"))
    repository.commit(1, dict.fromkeys(names[BULK:], "y"))
    repository.commit(2, dict.fromkeys(names[: BULK + 1], "z"))
    history = history_of_git(str(repository.folder)).history
    assert history.bulk.tolist() == [False] * 2 * BULK + [True] * (BULK + 1)


def test_patterns_choose_the_pages(repository: Repository) -> None:
    repository.commit(0, {path: path for path in ("a.md", "docs/a.md", "docs/x/b.md", "docs/x/b.json", "old/a.md")})
    repository.commit(1, {"folder.md/x.py": "1", "folder.md/y.md": "1", "a.mdx": "1"})
    assert set(got(repository, "*.json")) == {"docs/x/b.json"}
    assert set(got(repository, "*.md", "!docs/")) == {"a.md", "old/a.md", "folder.md/y.md"}
    assert set(got(repository, "docs/", "!*.md")) == {"docs/x/b.json"}
    assert set(got(repository, "[ab].mdx")) == {"a.mdx"}
    assert set(got(repository, "docs/**/*.md")) == {"docs/a.md", "docs/x/b.md"}
    assert set(got(repository, "docs/*.md")) == {"docs/a.md"}
    assert set(got(repository, "docs/x/", "a.md")) == {"docs/x/b.md", "docs/x/b.json", "a.md", "docs/a.md", "old/a.md"}
    assert set(got(repository, "*.md", "!old/**")) == {"a.md", "docs/a.md", "docs/x/b.md", "folder.md/y.md"}


def test_a_bare_clone_gives_the_same(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1"})
    repository.commit(1, {"a.md": "2"})
    repository.git("clone", "-q", "--bare", ".", "../bare.git")
    made = history_of_git(str(repository.folder.parent / "bare.git"))
    assert facts(made.history) == got(repository)
    assert made.history.name == "bare"


def test_settings_of_the_user_make_no_difference(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(0, {"a.md": lines("a"), "b.md": lines("b")})
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(1, {"a.md": None, "moved.md": lines("a", 31)})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "m", "side", day=5)
    expected = got(repository)
    for name, value in {
        "log.diffMerges": "combined",
        "log.follow": "true",
        "log.showRoot": "false",
        "log.showSignature": "true",
        "log.date": "relative",
        "diff.renames": "false",
        "diff.renameLimit": "1",
        "diff.noprefix": "true",
        "diff.external": "false",
        "diff.orderFile": "missing",
        "core.pager": "false",
        "core.quotePath": "true",
        "color.ui": "always",
        "format.pretty": "full",
        "i18n.logOutputEncoding": "UTF-16",
    }.items():
        repository.git("config", name, value)
    repository.write(".git/info/grafts", repository.git("rev-parse", "HEAD"))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
    assert got(repository) == expected == {"moved.md": (0, None, [5]), "b.md": (0, None, [])}


def test_a_part_begins_at_its_date(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1", "b.md": "1"})
    repository.commit(2, {"a.md": "2", "b.md": None})
    repository.commit(9, {"a.md": "3"})
    made = history_of_git(str(repository.folder)).since(BEGAN + 3 * 86_400)
    assert facts(made.history) == {"a.md": (0, None, [6])}
    assert made.began == BEGAN + 3 * 86_400
    assert made.since(0.0) is made
    with pytest.raises(InputError, match="since must be before the last thing that happened to a page, 2020-09-22"):
        made.since(BEGAN + 20 * 86_400)


def test_progress_counts_commits(repository: Repository) -> None:
    for day in range(3):
        repository.commit(day, {"a.md": str(day)})
    seen: list[tuple[int, int]] = []
    history_of_git(str(repository.folder), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def refused(folder: Path, *paths: str) -> str:
    with pytest.raises(InputError) as raised:
        history_of_git(str(folder), paths)
    return str(raised.value)


def test_what_is_no_repository_is_refused(tmp_path: Path, repository: Repository) -> None:
    assert "DIR must be a folder with a git repository, got" in refused(tmp_path / "none")
    assert "it has none; clone one with git clone" in refused(tmp_path)
    (repository.folder / "docs").mkdir()
    assert "name that, with --paths 'docs/**'" in refused(repository.folder / "docs")


def test_an_empty_repository_is_refused(repository: Repository) -> None:
    assert "DIR must have commits" in refused(repository.folder)


def test_a_shallow_clone_is_refused_with_the_way_out(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1"})
    repository.commit(1, {"a.md": "2"})
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.folder}", "../shallow")
    shallow = repository.folder.parent / "shallow"
    assert refused(shallow).endswith(f"got the shallow clone '{shallow}'; run: git -C {shallow} fetch --unshallow")


def test_no_pages_says_what_there_is(repository: Repository) -> None:
    repository.commit(0, {"a.py": "1", "b.py": "1", "c.toml": "1"})
    assert refused(repository.folder, "*.md", "docs/") == (
        "--paths must match files of the repository, got '*.md' 'docs/', which none ever did; "
        "its most common files are *.py, *.toml"
    )


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["../x"], "--paths must stay inside the repository, got '../x'; patterns begin at its top folder"),
        (["*.md", "!docs/../../x"], "--paths must stay inside the repository, got '!docs/../../x'; patterns begin"),
        (["!*.md"], "--paths must have a pattern without !, got '!*.md' alone, which only leaves out; say what is"),
        ([""], "--paths must match files of the repository, got '', which none ever did; its most common files are"),
    ],
)
def test_patterns_that_can_match_nothing_say_why(repository: Repository, paths: list[str], expected: str) -> None:
    repository.commit(0, {"a.md": "1"})
    assert refused(repository.folder, *paths).startswith(expected)


def partial(repository: Repository, how: str) -> Path:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--bare", f"--filter={how}", f"file://{repository.folder}", "../partial")
    return repository.folder.parent / "partial"


def test_a_clone_without_contents_follows_pure_renames_and_fetches_nothing(repository: Repository) -> None:
    repository.commit(0, {"a.md": lines("a"), "b.md": lines("b")})
    repository.git("mv", "a.md", "c.md")
    repository.commit(1, {"b.md": None, "d.md": lines("b", 31)})
    made = history_of_git(str(partial(repository, "blob:none")))
    assert facts(made.history) == {"c.md": (0, None, []), "b.md": (0, 1, []), "d.md": (1, None, [])}
    assert "partial clone without the contents of files" in made.notes[0]


def test_a_clone_without_folders_is_refused(repository: Repository) -> None:
    repository.commit(0, {"docs/a.md": "1"})
    assert "with the filter tree:0; clone it again without a filter" in refused(partial(repository, "tree:0"))


def test_git_must_be_there(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert refused(repository.folder).startswith("git must be installed")


def test_a_damaged_repository_says_what_git_says(repository: Repository) -> None:
    repository.commit(0, {"docs/a.md": "1"})
    tree = repository.git("rev-parse", "HEAD:docs")
    (repository.folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert "git log failed" in refused(repository.folder)
    assert "fsck" in refused(repository.folder)


def test_a_repository_without_one_of_its_commits_says_what_git_says(repository: Repository) -> None:
    repository.commit(0, {"a.md": "1"})
    repository.commit(1, {"a.md": "2"})
    commit = repository.git("rev-parse", "HEAD~")
    (repository.folder / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    told = refused(repository.folder)
    assert told.startswith(f"git rev-list failed in '{repository.folder}': error: Could not read {commit}")
    assert told.endswith(f"; run: git -C {repository.folder} fsck")


def test_git_ends_when_the_reader_does(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(0, {"a.md": "1"})
    started = []
    plain = subprocess.Popen

    def noted(*arguments, **options):  # type: ignore[no-untyped-def]
        started.append(plain(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)

    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        history_of_git(str(repository.folder), progress=interrupt)
    assert started[-1].poll() is not None


@pytest.mark.parametrize("seed", range(3))
def test_a_random_repository_gives_what_was_done_to_it(repository: Repository, seed: int) -> None:
    """The one who makes the repository knows its facts; every text is like no other, so that renames are clear."""
    rng = random.Random(seed)
    life: list[list[object]] = []  # path, created, removed, changes
    at: dict[str, tuple[int, int]] = {}  # path: page, length of its text
    day = 0.0
    repository.commit(day)
    for step in range(60):
        day = round(day + rng.choice([0.0, 0.25, 1.0, 3.5]), 2)
        side = rng.random() < 0.2
        if side:
            repository.git("checkout", "-q", "-b", f"side{step}")
        touched: set[str] = set()
        for _ in range(rng.randrange(4)):
            free = sorted(at.keys() - touched)
            kind = rng.choice(["new", "new", "edit", "edit", "move", "move and edit", "remove"])
            if kind == "new" or not free:
                path = f"{rng.choice('abc')}/{rng.randrange(12)}.md"
                if path in at or path in touched:
                    continue
                repository.write(path, lines(f"page{len(life)}"))
                at[path] = len(life), 30
                life.append([path, day, None, []])
                touched.add(path)
                continue
            path = rng.choice(free)
            page, length = at[path]
            touched.add(path)
            if kind == "remove":
                del at[path]
                life[page][2] = day
                (repository.folder / path).unlink()
                continue
            if "move" in kind:
                place = f"{rng.choice('abc')}/{rng.randrange(12, 24)}.md"
                if place not in at and place not in touched:
                    (repository.folder / path).unlink()
                    repository.write(place, lines(f"page{page}", length))
                    at[place] = at.pop(path)
                    life[page][0] = path = place
                    touched.add(place)
            if "edit" in kind:
                repository.write(path, lines(f"page{page}", length + 1))
                at[path] = page, length + 1
                life[page][3].append(day)  # type: ignore[attr-defined]
        repository.commit(day)
        if side:
            repository.git("checkout", "-q", "main")
            repository.git("merge", "-q", "--no-ff", "-m", "m", f"side{step}", day=day)
    history = history_of_git(str(repository.folder)).history
    found = sorted((path.split("#")[0], *rest) for path, rest in facts(history).items() for rest in [list(rest)])
    key = str
    assert sorted(map(key, found)) == sorted(key(tuple(page)) for page in life)
