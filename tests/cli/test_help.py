"""Help on terminals that are narrower than the lines it is written in."""

import argparse

from recrawl.cli.help import Help

TEXT = """\
These two lines are one paragraph, and the first one of them is too wide for this.
The second goes on.

examples:
  recrawl some thing   what it does, at length, so that it is broken under itself
  recrawl other
"""


def shown(width):
    parser = argparse.ArgumentParser(
        prog="x", usage="x", add_help=False, description=TEXT, formatter_class=lambda prog: Help(prog, width=width)
    )
    return parser.format_help().splitlines()[2:]


def test_paragraphs_are_filled_anew_where_they_are_too_wide():
    assert shown(50) == [
        "These two lines are one paragraph, and the first",
        "one of them is too wide for this. The second goes",
        "on.",
        "",
        "examples:",
        "  recrawl some thing   what it does, at length, so",
        "                       that it is broken under",
        "                       itself",
        "  recrawl other",
    ]


def test_what_fits_stays_as_it_was_laid_out():
    assert shown(100) == TEXT.rstrip().splitlines()
