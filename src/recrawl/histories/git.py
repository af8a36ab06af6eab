"""A history from a git repository: each file is a page.

1. The commits are those of the first-parent line: what its main branch showed, merges as one step.
2. A change goes live at the time of the committer.  Where that goes back, or is no date, the commit counts from the one
   before it on; the first commits from the first one on that has a date.
3. A page is born with its file and gone with it.  Neither is a change.
4. A file that is renamed stays the same page; it changes if its contents do.  Git finds renames by likeness (-M).
5. Only contents count: a change of mode is none, and links and submodules are no pages.
6. A file made again under the path of one that was removed is a new page, called PATH#2.
7. Changes of more than BULK pages in one commit are marked as a bulk edit.
"""

import os
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain

from recrawl.errors import InputError
from recrawl.histories.clone import RENAME_LIMIT, Clone, Commit, Entry
from recrawl.histories.making import DAY_S, Made, Maker, Progress, counted

DOCUMENTS = ("*.md", "*.mdx", "*.html", "*.rst", "*.adoc", "*.txt")
"""The files that are pages unless other patterns are given.  Git tries every one on every path, so they are few."""

_SUFFIX = re.compile(r"\*[^/*?\[\\]+")


def history_of_git(clone: str, paths: Sequence[str] = (), progress: Progress | None = None) -> Made:
    """What happened to the files of a clone whose paths match one of the patterns (DOCUMENTS where there is none)."""
    patterns = tuple(paths) or DOCUMENTS
    _check(patterns)
    repository = Clone.opened(clone)
    commits, total = 0, repository.count()
    with closing(repository.log([*map(pathspec, patterns)])) as log:
        began, steps = _with_first_time(repository, log)
        walk = _Walk(began)
        for step in steps:
            if isinstance(step, Commit):
                walk.end_commit()
                walk.begin_commit(step.time)
                commits += 1
                if progress is not None:
                    progress(commits, total)
            else:
                walk.entry(step)
    walk.end_commit()
    if not len(walk.maker):
        raise InputError(_no_pages(repository, patterns), argument="paths")
    name = os.path.basename(os.path.realpath(clone)).removesuffix(".git") or "history"
    return Made(walk.maker.history(name, began), began, tuple(_notes(repository, walk)))


def pathspec(pattern: str) -> str:
    """A pattern for git: without a slash it matches in any folder, with one from the top on; ``!`` leaves out.

    >>> pathspec("a*.md"), pathspec("docs/**/*.md"), pathspec("docs/"), pathspec("!drafts/**"), pathspec("*.md")
    (':(glob)**/a*.md', ':(glob)docs/**/*.md', ':(glob)docs/**', ':(exclude,glob)drafts/**', ':()*.md')
    """
    out, pattern = ("exclude", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    if _SUFFIX.fullmatch(pattern):  # plain patterns match across folders, and git is faster at these
        return f":({out}){pattern}"
    if pattern.endswith("/"):
        pattern += "**"
    elif "/" not in pattern:
        pattern = f"**/{pattern}"
    return f":({out + ',' if out else ''}glob){pattern.removeprefix('/')}"


def _check(patterns: Sequence[str]) -> None:
    """Refuse what git would refuse without saying why, or take for all other files."""
    for pattern in patterns:
        if posixpath.normpath(pattern.removeprefix("!").lstrip("/")).split("/")[0] == "..":
            raise InputError(
                f"--paths must stay inside the repository, got {pattern!r}; patterns begin at its top folder",
                argument="paths",
            )
    if all(pattern.startswith("!") for pattern in patterns):
        raise InputError(
            f"--paths must have a pattern without !, got {_quoted(patterns)} alone, which only leaves out; "
            "say what is a page, too, such as '*.md'",
            argument="paths",
        )


def _with_first_time(clone: Clone, log: Iterator[Commit | Entry]) -> tuple[float, Iterator[Commit | Entry]]:
    """The first time that is a date, and the whole log."""
    held: list[Commit | Entry] = []
    for step in log:
        held.append(step)
        if isinstance(step, Commit) and step.time is not None:
            return float(step.time), chain(held, log)
    message = f"DIR must have commits with a time of the committer, got {clone.folder!r} with none that is a date"
    raise InputError(message, argument="clone")


@dataclass
class _Walk:
    """Goes through the commits and knows which page is at which path."""

    now: float
    maker: Maker = field(default_factory=Maker)
    undated: int = 0
    back: int = 0
    furthest_back: float = 0.0
    too_many: int = 0
    _at: dict[bytes, int] = field(default_factory=dict)
    _entries: list[Entry] = field(default_factory=list)

    def begin_commit(self, time: int | None) -> None:
        if time is None:
            self.undated += 1
        elif time < self.now:
            self.back += 1
            self.furthest_back = max(self.furthest_back, self.now - time)
        else:
            self.now = float(time)

    def entry(self, entry: Entry) -> None:
        self._entries.append(entry)

    def end_commit(self) -> None:
        """Pages that leave a path do so before others come to it."""
        leaving: dict[bytes, int] = {}
        for entry in self._entries:
            if entry.status in "DRT" and entry.old in self._at:
                leaving[entry.old] = self._at.pop(entry.old)
        for entry in self._entries:
            if _is_file(entry.new_mode):
                self._there(entry, leaving)
        for page in leaving.values():
            self.maker.gone(page, self.now)
        self.maker.together()
        self._count_unlooked()
        self._entries.clear()

    def _there(self, entry: Entry, leaving: dict[bytes, int]) -> None:
        page = leaving.pop(entry.old, None) if entry.status == "R" else self._at.get(entry.path)
        if page is None:
            self._at[entry.path] = self.maker.born(_text(entry.path), self.now)
            return
        if entry.old != entry.path:
            self._at[entry.path] = page
            self.maker.moved(page, _text(entry.path))
        if entry.old_blob != entry.new_blob:
            self.maker.changed(page, self.now)

    def _count_unlooked(self) -> None:
        """Count commits with more files moved than git compares."""
        kinds = Counter(entry.status for entry in self._entries)
        self.too_many += kinds["A"] * kinds["D"] > RENAME_LIMIT**2


def _is_file(mode: str) -> bool:
    return mode.startswith("100")


def _text(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def _notes(clone: Clone, walk: _Walk) -> list[str]:
    notes = []
    if walk.back:
        count = "counts" if walk.back == 1 else "count"
        notes.append(
            f"{counted(walk.back, 'commit')} with a time before that of an earlier one {count} from the earlier one on "
            f"(up to {walk.furthest_back / DAY_S:.3g} days back)"
        )
    if walk.undated:
        count = "counts" if walk.undated == 1 else "count"
        notes.append(
            f"{counted(walk.undated, 'commit')} with a time that is no date {count} at that of the commit before"
        )
    if clone.exact:
        notes.append(
            "this is a partial clone without the contents of files: a file renamed and edited in one commit counts as "
            "removed and made anew; clone without --filter to follow those, too"
        )
    if walk.too_many:
        notes.append(
            f"followed only renames without an edit in {counted(walk.too_many, 'commit')} that removed and added more "
            f"files than git compares ({RENAME_LIMIT:,} with {RENAME_LIMIT:,})"
        )
    return notes


def _no_pages(clone: Clone, patterns: Sequence[str]) -> str:
    files = clone.asked("ls-tree", "-r", "-z", "--name-only", "HEAD").stdout.split(b"\0")
    ends = Counter(os.path.splitext(_text(path))[1] for path in files if path)
    ends.pop("", None)
    common = ", ".join(f"*{end}" for end, _ in ends.most_common(3))
    there = f"; its most common files are {common}" if common else ""
    return f"--paths must match files of the repository, got {_quoted(patterns)}, which none ever did{there}"


def _quoted(patterns: Sequence[str]) -> str:
    return " ".join(map(repr, patterns))
