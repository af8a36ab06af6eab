"""The report's blocks."""

from recrawl.real.blocks import Heading, Paragraph, Picture, Points, Table, as_html, as_markdown

BLOCKS = [
    Heading("A & B", 1),
    Paragraph("`x` < **y**"),
    Points(["one", "two"]),
    Table(["a", "b"], [["1", "2"]]),
    Picture("p.png", "a picture", b"bytes"),
]


def test_as_markdown() -> None:
    expected = "# A & B\n\n`x` < **y**\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n![a picture](p.png)\n"
    assert as_markdown(BLOCKS) == expected


def test_as_html_nothing_is_fetched_and_all_is_escaped() -> None:
    page = as_html("A & B", BLOCKS)
    assert "<h1>A &amp; B</h1><p><code>x</code> &lt; <b>y</b></p>" in page
    assert "<td>1</td><td>2</td>" in page
    assert 'src="data:image/png;base64,' in page
    assert "http" not in page
