"""What commands read: URLs as arguments, and files with a URL or a JSON object on each line."""

import argparse
import json
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice
from typing import Any, NamedTuple

from recrawl.errors import DataError, InputError
from recrawl.files import opening
from recrawl.files.malformed import Malformed
from recrawl.files.whole import STANDARD

AT_ONCE = 10_000
"""Rows of one call: each is done as a whole or not at all."""
NUMBER, TEXT, BOOL, WHOLE = (int, float), (str,), (bool,), (int,)
Kinds = dict[str, tuple[type, ...]]
"""Names that an object may have, and what stands there beside null; the first must be there."""
_WORDS: dict[tuple[type, ...], str] = {
    NUMBER: "a number",
    TEXT: "a text",
    BOOL: "true or false",
    WHOLE: "a whole number",
}
_NOT_UTF_8 = re.compile("[\udc80-\udcff]")
"""What stands for bytes that are none."""
_ROW = re.compile(r"^urls in row \d+: | in row \d+")

LINES = """\
  A line is a URL, or a JSON object. Blank lines, and lines that begin with #, say nothing. Files may be packed with
  gzip (.gz). Lines are taken 10,000 at a time: where one is bad, the error names it, and none of these 10,000 is done.
  With --skip-bad, bad lines are counted and the others are done.
"""


class Row(NamedTuple):
    """One line, or one argument: then there is no path."""

    path: str
    line: int
    fields: dict[str, Any]


def add_options(parser: argparse.ArgumentParser, what: str, metavar: str = "URL|FILE") -> None:
    """What to read, and what to do with what cannot be."""
    parser.add_argument("given", metavar=metavar, nargs="*", help=f"{what}; - or none: stdin")
    parser.add_argument("--skip-bad", action="store_true", help="leave out bad lines instead of stopping at the first")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


class Reading:
    """The rows of a command, in tens of thousands; those that are bad are refused or counted."""

    def __init__(self, given: Sequence[str], kinds: Kinds, *, skip_bad: bool, plain: bool = True) -> None:
        self._given, self._kinds, self._plain = list(given) or [STANDARD], kinds, plain
        self._malformed, self._skip_bad, self._done = Malformed(), skip_bad, 0
        if self._given.count(STANDARD) > 1:
            raise InputError("stdin can be read once only, got - twice", argument="given")

    @contextmanager
    def begun(self) -> Iterator[Iterator[list[Row]]]:
        """All rows, the first of which are read at once: who writes them may have the folder open until then."""
        with closing(self._rows()) as rows:
            first = list(islice(rows, AT_ONCE))
            yield chain([first] if first else [], self._further(rows))

    def _further(self, rows: Iterator[Row]) -> Iterator[list[Row]]:
        while some := list(islice(rows, AT_ONCE)):
            yield some

    def _rows(self) -> Generator[Row, None, None]:
        for place, thing in enumerate(self._given, 1):
            if self._plain and "://" in thing:
                yield Row("", place, {next(iter(self._kinds)): thing})
            else:
                yield from self._lines(thing)

    def _lines(self, path: str) -> Iterator[Row]:
        shown = opening.shown(path)
        with opening.reading(path), opening.text(path, errors="surrogateescape") as file:
            for number, raw in enumerate(file, 1):
                text = raw.strip()
                if text and not text.startswith("#"):
                    try:
                        yield Row(shown, number, self._fields(text))
                    except InputError as error:
                        self.leave_out(Row(shown, number, {}), str(error))

    def _fields(self, text: str) -> dict[str, Any]:
        if not text.isascii() and _NOT_UTF_8.search(text):
            raise InputError("must be UTF-8 text; convert it, e.g. with iconv")
        first = next(iter(self._kinds))
        if self._plain and not text.startswith("{"):
            return {first: text}
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict) or fields.get(first) is None:
            raise InputError(f"must be a JSON object with a {first}, got {text:.60}")
        for name, value in fields.items():
            kinds = self._kinds.get(name)
            if kinds is None:
                raise InputError(f"{name} must be one of {', '.join(self._kinds)}")
            if value is not None and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
                raise InputError(f"{name} must be {_WORDS.get(kinds, 'a number or a text')}, got {value!r:.60}")
        return fields

    @contextmanager
    def done(self, rows: Sequence[Row]) -> Iterator[None]:
        """Have what is wrong with these rows name the line; when the block has ended they are done."""
        try:
            yield
        except InputError as error:
            if error.row is None or error.row >= len(rows):
                raise
            raise self._error(rows[error.row], str(error)) from error
        self._done += len(rows)

    def _error(self, row: Row, reason: str) -> InputError:
        text = _ROW.sub("", reason) + (f"; the {self._done:,} rows before are done" if self._done else "")
        return DataError(text, row.path, row.line) if row.path else InputError(text)

    def leave_out(self, row: Row, reason: str) -> None:
        """A bad row: an error, or one more to be counted."""
        if not self._skip_bad:
            raise self._error(row, f"{reason}; --skip-bad leaves it out")
        self._malformed.add(row.path or "argument", row.line, reason.partition(", got ")[0], _got(reason))

    @property
    def left_out(self) -> int:
        """How many rows were bad."""
        return len(self._malformed)

    def tell(self) -> None:
        """Say on stderr what was left out."""
        for line in self._malformed.lines():
            print(line, file=sys.stderr)


def column(rows: Sequence[Row], name: str) -> list[Any] | None:
    """One field of all rows; None where no row has it."""
    values = [row.fields.get(name) for row in rows]
    return None if all(value is None for value in values) else values


def numbers(rows: Sequence[Row], name: str) -> list[float] | None:
    """The same for numbers, where NaN says nothing."""
    values = column(rows, name)
    return None if values is None else [float("nan") if value is None else value for value in values]


def _got(reason: str) -> str:
    return "".join(reason.partition(", got ")[1:])
