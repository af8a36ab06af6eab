"""``-`` on the command line: stdin among the files read, stdout among those written."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout

from recrawl.errors import InputError
from recrawl.files.whole import STANDARD

Files = Mapping[str, str | None]
"""Paths by the argument that names them; None where it is left out."""


def check(inputs: Files, outputs: Files, *, as_json: bool) -> None:
    """Refuse two files that are both stdin, or two things to be printed that are both stdout."""
    _refuse_two([name for name, path in inputs.items() if path == STANDARD], "stdin")
    printed = [f"{name} -" for name, path in outputs.items() if path == STANDARD]
    _refuse_two(printed + ["--json"] * as_json, "stdout")


def _refuse_two(names: list[str], stream: str) -> None:
    if len(names) > 1:
        raise InputError(
            f"{stream} can be one of them only, got {' and '.join(names)}; name a file for the other",
            argument=names[1].split()[0].removeprefix("--"),
        )


def written(path: str) -> str:
    """A path that was written, as notes name it."""
    return "stdout" if path == STANDARD else path


@contextmanager
def report_beside(outputs: Files) -> Iterator[None]:
    """Let what is printed go to stderr where stdout holds one of the files."""
    with redirect_stdout(sys.stderr) if STANDARD in outputs.values() else nullcontext():
        yield
