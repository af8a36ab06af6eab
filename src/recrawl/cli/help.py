"""Help that fits the terminal: text that was laid out by hand is broken only where it is too wide."""

import argparse
import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import wrap


class Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and epilogs, and breaks those that are wider than the terminal.

    What follows a run of spaces within a line, such as the meaning of a column, stays under itself.  A paragraph
    that is too wide is filled anew, so that no short lines are left within it.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(line for raw in _paragraphs(text.splitlines(), width) for line in _broken(indent + raw, width))


def _paragraphs(lines: list[str], width: int) -> Iterator[str]:
    """The lines, those of a paragraph joined where one of them is too wide."""
    for is_prose, group in groupby(lines, _is_prose):
        some = list(group)
        if is_prose and any(len(line) > width for line in some):
            yield " ".join(some)
        else:
            yield from some


def _is_prose(line: str) -> bool:
    """Whether a line is of running text: not indented, not laid out in columns, and no title."""
    return bool(line) and not line[0].isspace() and "  " not in line and not line.endswith(":")


def _broken(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    hanging = re.match(r" *\S.*?\S {2,}(?=\S)", line)
    under = len(hanging[0]) if hanging else len(line) - len(line.lstrip())
    under = under if under < width // 2 else len(line) - len(line.lstrip()) + 2
    return wrap(line, width, subsequent_indent=" " * under, break_long_words=False, break_on_hyphens=False)
