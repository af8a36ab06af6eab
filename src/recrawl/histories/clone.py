"""A clone of a git repository, asked through the git command: what it is, and its log as a stream of entries.

Git is run so that only the repository decides what it answers: no system configuration, pager, hook, replaced object,
external diff or prompt, and no protocol over which a clone that lacks objects could fetch them.
"""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from recrawl.errors import InputError

RENAME_LIMIT = 1000
"""Renames with edits are looked for among so many removed and so many new files of a commit; git's own default."""

_KEPT = ("GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CEILING_DIRECTORIES")
_SAFE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_GRAFT_FILE": os.path.join(os.devnull, "none"),  # git gives advice on one that it can open
    "GIT_ALLOW_PROTOCOL": "none",  # the same for git before 2.44
    "LC_ALL": "C",
}
_LOG = (
    "--first-parent -m --sparse --reverse --raw -z --no-abbrev --no-ext-diff --no-textconv --no-color --no-notes "
    f"--no-relative --no-show-signature --encoding=UTF-8 -O{os.devnull} -l{RENAME_LIMIT}"
).split()
_CONFIG = [
    *("-c", "log.diffMerges=first-parent"),
    *("-c", "log.follow=false"),
    *("-c", "log.showRoot=true"),
]
_MARK = "@"
"""Begins what the log says of a commit: git writes nothing at all for a time that it cannot read."""
_LATEST = 253_402_300_799
"""The last second of the year 9999, after which there are no dates."""
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Entry:
    """What a commit did to one file; `old` is where it was, the same as `path` unless it was renamed.

    `status` is git's letter: A added, D deleted, M modified, R renamed, C copied, T of another type.
    """

    status: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    old: bytes
    path: bytes


@dataclass(frozen=True)
class Commit:
    """Begins the entries of a commit; the time is that of its committer, in seconds since 1970, if it is one."""

    time: int | None


@dataclass(frozen=True)
class Clone:
    """A repository in a folder that `opened` has looked at."""

    folder: str
    exact: bool
    """Contents of files are not there: a rename is seen only where it changes nothing."""

    @classmethod
    def opened(cls, folder: str) -> "Clone":
        """The clone in a folder; refused where its whole log cannot be read."""
        if not os.path.isdir(folder):
            raise InputError(f"DIR must be a folder with a git repository, got {folder!r}", argument="clone")
        clone = cls(folder, exact=False)
        _check_is_repository(clone)
        if clone.ask("rev-parse", "--is-shallow-repository") == "true":
            raise InputError(
                f"DIR must have its whole history, got the shallow clone {folder!r}; "
                f"run: git -C {shlex.quote(folder)} fetch --unshallow",
                argument="clone",
            )
        if clone.asked("rev-parse", "--verify", "--quiet", "HEAD^{commit}").returncode:
            head = clone.asked("symbolic-ref", "HEAD").stdout.decode(errors="replace").strip()
            branch = head.removeprefix("refs/heads/")
            raise InputError(
                f"DIR must have commits, got {folder!r} with none on its branch {branch}; "
                "commit something, or check out a branch that has commits",
                argument="clone",
            )
        return cls(folder, exact=_lacks_contents(clone))

    def ask(self, *arguments: str) -> str:
        """What git answers, without the line end; refused with git's own words where it fails."""
        done = self.asked(*arguments)
        if done.returncode:
            raise self._failed(arguments[0], done.stderr)
        return done.stdout.decode(errors="surrogateescape").rstrip("\n")

    def asked(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """A run of git that has ended, well or not."""
        with _git_is_there():
            return subprocess.run(self._command(*arguments), capture_output=True, env=_environment(), check=False)

    def count(self) -> int:
        """How many commits the log has."""
        return int(self.ask("rev-list", "--first-parent", "--count", "HEAD"))

    def log(self, pathspecs: Sequence[str]) -> Generator[Commit | Entry, None, None]:
        """Every commit of the first-parent line, oldest first, each followed by what it did to the files asked for."""
        renames = "-M100%" if self.exact else "-M"
        command = self._command(*_CONFIG, "log", *_LOG, renames, f"--format={_MARK}%ct", "HEAD", "--", *pathspecs)
        with tempfile.TemporaryFile() as errors:
            with _git_is_there():
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=_environment())
            with process:
                try:
                    assert process.stdout is not None
                    yield from _entries(_tokens(process.stdout))
                except BaseException:
                    process.kill()
                    raise
            if process.returncode:
                errors.seek(0)
                raise self._failed("log", errors.read())

    def _failed(self, command: str, told: bytes) -> InputError:
        advice = f"run: git -C {shlex.quote(self.folder)} fsck"
        return InputError(f"git {command} failed in {self.folder!r}: {_first_line(told)}; {advice}", "clone")

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "-C", self.folder, "--no-pager", *arguments]


def _check_is_repository(clone: Clone) -> None:
    done = clone.asked("rev-parse", "--show-prefix")
    if done.returncode:
        told = _first_line(done.stderr)
        if "not a git repository" in told:
            told = "it has none; clone one with git clone, and name its folder"
        raise InputError(f"DIR must be a folder with a git repository, got {clone.folder!r}: {told}", "clone")
    if prefix := done.stdout.decode(errors="replace").strip("\n"):
        top = clone.ask("rev-parse", "--show-toplevel")
        raise InputError(
            f"DIR must be the top folder of a repository, got {clone.folder!r} inside of {top!r}; "
            f"name that, with --paths '{prefix}**'",
            argument="clone",
        )


def _lacks_contents(clone: Clone) -> bool:
    """Whether it is a partial clone without contents of files; one without folders is refused."""
    named = clone.asked("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$")
    if named.returncode:
        return False
    filters = clone.asked("config", "--get-regexp", r"^remote\..*\.partialclonefilter$").stdout.decode(errors="replace")
    kinds = [line.split(" ", 1)[-1] for line in filters.splitlines()]
    if any(not kind.startswith("blob:") for kind in kinds):
        raise InputError(
            f"DIR must have the folders of every commit, got {clone.folder!r}, a partial clone with the filter "
            f"{', '.join(kinds)}; clone it again without a filter, or with --filter=blob:none",
            argument="clone",
        )
    return True


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return kept | _SAFE


@contextmanager
def _git_is_there() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(
            "git must be installed to read a clone, and was not found; install it from git-scm.com"
        ) from error


def _first_line(told: bytes) -> str:
    text = told.decode(errors="replace").strip()
    return (text.splitlines() or ["it did not say why"])[0].removeprefix("fatal: ")


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    """What stands between zero bytes, read a chunk at a time."""
    rest = b""
    while chunk := stream.read(_CHUNK):
        *tokens, rest = (rest + chunk).split(b"\0")
        yield from tokens
    if rest:
        yield rest


def _entries(tokens: Iterator[bytes]) -> Iterator[Commit | Entry]:
    """``@TIME``, then ``:MODE MODE BLOB BLOB STATUS`` and one path, or two where the status has two."""
    for token in tokens:
        head = token.strip(b"\n").decode("ascii")
        if head.startswith(":"):
            old_mode, new_mode, old_blob, new_blob, status = head[1:].split(" ")
            old = next(tokens)
            path = next(tokens) if status[0] in "RC" else old
            yield Entry(status[0], old_mode, new_mode, old_blob, new_blob, old, path)
        elif head.startswith(_MARK):
            yield Commit(_time(head.removeprefix(_MARK)))


def _time(text: str) -> int | None:
    """None for what is no time, and for one that is no date."""
    return int(text) if text.isdigit() and int(text) <= _LATEST else None
