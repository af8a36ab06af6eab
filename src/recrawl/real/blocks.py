"""A document as a list of blocks, written as Markdown with files beside it and as one self-contained HTML page."""

import html
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from recrawl.paper.report.document import STYLE


@dataclass(frozen=True)
class Heading:
    """A section begins."""

    text: str
    level: int = 2

    def markdown(self) -> str:
        """With as many # as its level."""
        return f"{'#' * self.level} {self.text}"

    def html(self) -> str:
        """h1, h2, ..."""
        return f"<h{self.level}>{_inline(self.text)}</h{self.level}>"


@dataclass(frozen=True)
class Paragraph:
    """Plain text; `code` and **bold** as in Markdown."""

    text: str

    def markdown(self) -> str:
        """As it is."""
        return self.text

    def html(self) -> str:
        """One p."""
        return f"<p>{_inline(self.text)}</p>"


@dataclass(frozen=True)
class Points:
    """A list."""

    points: Sequence[str]

    def markdown(self) -> str:
        """One line a point."""
        return "\n".join(f"- {point}" for point in self.points)

    def html(self) -> str:
        """One li a point."""
        return "<ul>" + "".join(f"<li>{_inline(point)}</li>" for point in self.points) + "</ul>"


@dataclass(frozen=True)
class Table:
    """Cells as text."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Pipes."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def html(self) -> str:
        """One table."""
        head = "".join(f"<th>{_inline(cell)}</th>" for cell in self.head)
        rows = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        return f"<table><tr>{head}</tr>{rows}</table>"


@dataclass(frozen=True)
class Picture:
    """A picture, with the name of its file and words for those who do not see it."""

    file: str
    words: str
    bytes: bytes

    def markdown(self) -> str:
        """A link to the file."""
        return f"![{self.words}]({self.file})"

    def html(self) -> str:
        """The picture itself."""
        inside = b64encode(self.bytes).decode("ascii")
        return f'<img alt="{html.escape(self.words)}" src="data:image/png;base64,{inside}">'


Block = Heading | Paragraph | Points | Table | Picture


def as_markdown(blocks: Sequence[Block]) -> str:
    """The document as Markdown."""
    return "\n\n".join(block.markdown() for block in blocks) + "\n"


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """The document in one file: pictures inside, nothing fetched."""
    body = "".join(block.html() for block in blocks)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def _inline(text: str) -> str:
    """`code`, **bold** and [links](to) as HTML.

    >>> _inline("**a** < `b`")
    '<b>a</b> &lt; <code>b</code>'
    """
    escaped = html.escape(text)
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escaped)
    escaped = re.sub(r"\[(.+?)\]\((.+?)\)", r'<a href="\2">\1</a>', escaped)
    return re.sub(r"`(.+?)`", r"<code>\1</code>", escaped)
