"""Files the command writes: refused before the solving where that can be told, reported by name where it cannot."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recrawl.errors import InputError


def check(option: str, path: str, suffixes: Sequence[str], source: str | None) -> None:
    """Refuse a path with none of the ``suffixes``, in no folder, that is a folder, or that is the ``source``."""
    argument = option.removeprefix("--")
    if suffix(path) not in suffixes:
        raise InputError(f"{option} must end in {' or '.join(suffixes)}, got {path!r}", argument)
    if Path(path).is_dir() or path.endswith(os.sep):
        raise InputError(f"{option} must be a file, got the folder {path!r}; add a file name", argument)
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"{option} must be in an existing folder, got {path!r}", argument)
    if source is not None and _same_file(path, source):
        raise InputError(f"{option} must not be the pages file, got {path!r}; name another file", argument)


def suffix(path: str) -> str:
    """The suffix in lower case: ``PLAN.CSV`` is a CSV file too."""
    return Path(path).suffix.lower()


@contextmanager
def writing(path: str) -> Iterator[None]:
    """Give an OSError raised inside the name of the file; a full disk does not say which file it was."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), path) from error


def _same_file(path: str, source: str) -> bool:
    try:
        return os.path.samefile(path, source)
    except OSError:  # one of them is not there
        return False
