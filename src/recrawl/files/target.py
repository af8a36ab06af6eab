"""Files a command is asked to write: refused before the work starts, where that can be told."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from recrawl.errors import InputError


def check(option: str, path: str, suffixes: Sequence[str], sources: Mapping[str, str | None]) -> None:
    """Refuse a path with none of the ``suffixes``, in no folder, that is a folder, or that is one of the ``sources``.

    ``sources`` are the files the command reads, by what they are: ``{"the pages file": "pages.csv"}``.
    """
    argument = option.removeprefix("--")
    if suffix(path) not in suffixes:
        raise InputError(f"{option} must end in {_any_of(suffixes)}, got {path!r}", argument)
    if Path(path).is_dir() or path.endswith(os.sep):
        raise InputError(f"{option} must be a file, got the folder {path!r}; add a file name", argument)
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"{option} must be in an existing folder, got {path!r}", argument)
    if not _is_writable(path):
        raise InputError(f"{option} must be in a folder you may write in, got {path!r}; name another", argument)
    for what, source in sources.items():
        if source is not None and _same_file(path, source):
            raise InputError(f"{option} must not be {what}, got {path!r}; name another file", argument)


def suffix(path: str) -> str:
    """The suffix in lower case: ``PLAN.CSV`` is a CSV file too."""
    return Path(path).suffix.lower()


def _is_writable(path: str) -> bool:
    """Whether a file can be put beside it; devices and pipes are written without one."""
    place = Path(os.path.realpath(path))
    return os.access(place.parent, os.W_OK) or (place.exists() and not place.is_file())


def _any_of(suffixes: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))


def _same_file(path: str, source: str) -> bool:
    try:
        return os.path.samefile(path, source)
    except OSError:  # one of them is not there
        return False
