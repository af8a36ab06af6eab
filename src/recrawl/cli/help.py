"""Help that fits the terminal: text that was laid out by hand is filled anew only where it is too wide."""

import argparse
import re
from collections.abc import Iterator
from itertools import pairwise
from textwrap import wrap

FULL = 100
"""A line that has no room for the next word within so many characters goes on in the next line."""

_AS_THEY_STAND = ("example", "start here")
"""Sections whose lines are commands: they are never joined."""


class Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and epilogs, and fills anew the paragraphs that are wider than the terminal.

    What follows a run of spaces within a line, such as the meaning of a column, stays under itself.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = [indent + raw for raw in text.splitlines()]
        return "\n".join(line for lines in _paragraphs(lines) for line in _fitted(lines, width))


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """The lines, in groups of which each is one text."""
    section, group = "", lines[:1]
    for before, line in pairwise(lines):
        section = before if _indent(before) == 0 and before.endswith(":") else section
        if not section.startswith(_AS_THEY_STAND) and _goes_on(group, before, line):
            group.append(line)
        else:
            yield group
            group = [line]
    yield group


def _goes_on(group: list[str], before: str, line: str) -> bool:
    if not line.strip() or _under(line) or len(before) + 1 + len(line.split(maxsplit=1)[0]) <= FULL:
        return False
    return _indent(line) == (_under(group[0]) or _indent(group[0]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _under(line: str) -> int:
    """Where the text begins that follows a run of spaces; 0 where there is none."""
    hanging = re.match(r" *\S(?:.*?\S)? {2,}(?=\S)", line)
    return len(hanging[0]) if hanging else 0


def _fitted(lines: list[str], width: int) -> list[str]:
    if all(len(line) <= width for line in lines):
        return lines
    indent = _indent(lines[0])
    under = _under(lines[0]) or indent
    under = under if under < width // 2 else indent + 2
    text = " ".join([lines[0], *(line.strip() for line in lines[1:])])
    return wrap(text, width, subsequent_indent=" " * under, break_long_words=False, break_on_hyphens=False)
