"""Opens tables for reading: CSV, plain or packed with gzip, from a file or stdin.  What cannot be read says why."""

import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from recrawl.errors import DataError
from recrawl.files.whole import STANDARD

_ENCODING = "utf-8-sig"  # drops the byte-order mark that spreadsheets write


def shown(path: str) -> str:
    """A path as messages name it.

    >>> shown("pages.csv"), shown("-")
    ('pages.csv', 'stdin')
    """
    return "stdin" if path == STANDARD else path


def is_parquet(path: str) -> bool:
    """By the suffix, in any case."""
    return path.lower().endswith((".parquet", ".pq"))


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn what goes wrong in opening and reading a file into a DataError that says what to do."""
    try:
        yield
    except gzip.BadGzipFile as error:
        message = "is not a gzip file; drop the .gz from its name if it is plain text"
        raise DataError(message, shown(path)) from error
    except EOFError as error:
        raise DataError("is a gzip file that ends early; copy it again", shown(path)) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", shown(path)) from error


@contextmanager
def text(path: str, errors: str = "strict") -> Iterator[TextIO]:
    """The text of a file, unpacked where its name ends in .gz; ``-`` is stdin.  Line ends are left to csv.

    `errors`: what becomes of bytes that are not UTF-8, as `open` takes it.
    """
    if path == STANDARD:
        wrapped = io.TextIOWrapper(sys.stdin.buffer, encoding=_ENCODING, errors=errors, newline="")
        try:
            yield wrapped
        finally:
            wrapped.detach()  # stdin is not ours to close
    elif path.lower().endswith(".gz"):
        with gzip.open(path, "rt", encoding=_ENCODING, errors=errors, newline="") as file:
            yield file
    else:
        with open(path, encoding=_ENCODING, errors=errors, newline="") as file:
            yield file
