"""Text that fits the terminal: tables that stand upright where they are too wide, and lines broken between words."""

import shutil
from collections.abc import Sequence
from textwrap import wrap

GAP = "  "


def columns() -> int:
    """How wide the terminal is; 80 where there is none."""
    return shutil.get_terminal_size().columns


def lines(text: str, width: int, begin: str = "", indent: str = "  ") -> list[str]:
    """The text after `begin`, broken to fit the width; a word that does not fit, such as a path, stays whole.

    >>> lines("one two three", 10, begin="note: ")
    ['note: one', '  two', '  three']
    """
    return wrap(
        begin + text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def notes(texts: Sequence[str], width: int) -> list[str]:
    """Each text as a note."""
    return [line for text in texts for line in lines(text, width, begin="note: ")]


def pairs(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Names and what they are, what they are in one column.

    >>> pairs([("pages", "1,000"), ("crawl rate", "100 per unit of time")], 24)
    ['pages       1,000', 'crawl rate  100 per unit', '            of time']
    """
    left = max(len(name) for name, _ in rows) + len(GAP)
    return [
        line for name, text in rows for line in lines(text, width, begin=f"{name:<{left}}", indent=" " * left) or [name]
    ]


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A line a row, the first column to the left and the others to the right; too wide, a block of lines a row.

    >>> table(["policy", "fresh"], [["lds", "0.5"]], 20)
    ['policy  fresh', 'lds       0.5']
    >>> table(["policy", "fresh"], [["lds", "0.5"]], 12)
    ['policy lds', '  fresh  0.5']
    """
    widths = [max(map(len, cells)) for cells in zip(headings, *rows, strict=True)]
    if sum(widths) + len(GAP) * (len(widths) - 1) > width:
        return _upright(headings, rows)
    return [
        GAP.join(
            f"{cell:<{w}}" if k == 0 else f"{cell:>{w}}" for k, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in (headings, *rows)
    ]


def _upright(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    left = max(map(len, headings[1:]))
    right = max(len(cell) for row in rows for cell in row[1:])
    found = []
    for first, *rest in rows:
        found.append(f"{headings[0]} {first}".strip() if headings[0] and rest else first)
        found += [
            f"{GAP}{name:<{left}}{GAP}{cell:>{right}}" for name, cell in zip(headings[1:], rest, strict=True) if cell
        ]
    return found
