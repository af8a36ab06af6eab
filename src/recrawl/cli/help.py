"""Help that fits the terminal: text that was laid out by hand is broken only where it is too wide."""

import argparse
import re
from textwrap import wrap


class Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and epilogs, and breaks those that are wider than the terminal.

    What follows a run of spaces within a line, such as the meaning of a column, stays under itself.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(line for raw in text.splitlines() for line in _broken(indent + raw, width))


def _broken(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    hanging = re.match(r" *\S.*?\S {2,}(?=\S)", line)
    under = len(hanging[0]) if hanging else len(line) - len(line.lstrip())
    under = under if under < width // 2 else len(line) - len(line.lstrip()) + 2
    return wrap(line, width, subsequent_indent=" " * under, break_long_words=False, break_on_hyphens=False)
