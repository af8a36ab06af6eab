import gzip
import sys

import numpy as np
import pytest

from recrawl.errors import DataError, MissingExtraError
from recrawl.files import rows
from recrawl.files.pages import read


@pytest.fixture
def csv_file(tmp_path):
    """Writes a CSV file and returns its path."""

    def write(text, name="pages.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


@pytest.fixture
def parquet_file(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def write(columns, names=None, name="pages.parquet"):
        path = tmp_path / name
        table = pa.table(columns, names=names) if names else pa.table(columns)
        parquet.write_table(table, path)
        return str(path)

    return write


FULL = "url,change_rate,importance,recall,false_signal_rate\na,2.0,3.0,0.5,0.25\nb,1,1,0,0\n"


def columns(pages):
    return {
        name: getattr(pages, name).round(12).tolist()
        for name in ("change_rate", "importance", "recall", "false_signal_rate")
    }


FULL_COLUMNS = {
    "change_rate": [2.0, 1.0],
    "importance": [3.0, 1.0],
    "recall": [0.5, 0.0],
    "false_signal_rate": [0.25, 0.0],
}


def test_reads_every_column(csv_file):
    got = read(csv_file(FULL))
    assert columns(got.pages) == FULL_COLUMNS
    assert got.urls == ["a", "b"]
    assert got.ignored == ()


def test_only_change_rate_is_needed(csv_file):
    got = read(csv_file("change_rate\n2\n3\n"))
    expected = {
        "change_rate": [2.0, 3.0],
        "importance": [1.0, 1.0],
        "recall": [0.0, 0.0],
        "false_signal_rate": [0.0, 0.0],
    }
    assert columns(got.pages) == expected
    assert got.urls is None


def test_precision_and_recall_give_the_false_signal_rate(csv_file):
    got = read(csv_file("change_rate,precision,recall\n2,0.8,0.5\n")).pages
    # signals: recall * change_rate = 1 true; precision 0.8 leaves 0.25 false ones.
    assert got.false_signal_rate == pytest.approx([0.25], rel=1e-12)


def test_unknown_columns_are_named(csv_file):
    got = read(csv_file("change_rate,colour,weight\n1,red,3\n"))
    assert got.ignored == ("colour", "weight")


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + FULL.encode(),
        FULL.replace("\n", "\r\n").encode(),
        FULL.replace("\n", "\n\n").encode(),
        FULL.replace("\n", "\n \t\n").encode(),
        FULL.rstrip("\n").encode(),
        FULL.replace(",", ", ").replace("a, ", "a,").replace("b, ", "b,").encode(),
    ],
    ids=["byte-order mark", "CRLF", "blank lines", "lines of spaces", "no last line end", "spaces"],
)
def test_dialects_read_the_same(csv_file, data):
    assert columns(read(csv_file(data)).pages) == FULL_COLUMNS


@pytest.mark.parametrize("name", ["pages.csv.gz", "PAGES.CSV.GZ"])
def test_gzip_is_unpacked(csv_file, name):
    got = read(csv_file(gzip.compress(FULL.encode()), name))
    assert columns(got.pages) == FULL_COLUMNS


BAD = [
    ("empty file", "", None, "is empty; it needs a header line and a line for each page"),
    ("blank file", "\n\n", None, "is empty; it needs a header line and a line for each page"),
    ("no pages", "change_rate\n", None, "has a header but no pages; add a line for each page"),
    (
        "no header",
        "1.0,2.0\n3.0,4.0\n",
        1,
        "the first line must name the columns, got numbers; add a header such as url,change_rate,importance",
    ),
    ("missing column", "url,rate\na,1\n", 1, "column change_rate is missing; found: url, rate"),
    ("repeated column", "change_rate,recall,recall\n1,0,0\n", 1, "column recall appears 2 times; keep one"),
    (
        "precision twice",
        "change_rate,recall,precision,false_signal_rate\n1,0,1,0\n",
        1,
        "columns precision and false_signal_rate say the same thing twice; keep one",
    ),
    ("precision alone", "change_rate,precision\n1,1\n", 1, "column precision needs column recall beside it"),
    ("percentage", "change_rate,recall\n1,0\n2,90%\n", 3, "recall must be a number, got '90%'; write 0.9"),
    (
        "decimal comma",
        'change_rate,recall\n1,"0,9"\n',
        2,
        "recall must be a number, got '0,9'; write decimals with a point, and thousands without a sign",
    ),
    (
        "repeated url",
        "url,change_rate\na,1\nb,1\n\na,2\n",
        5,
        "url must not repeat, got 'a' of line 2 in line 5; keep one row a page",
    ),
    (
        "many repeated urls",
        "page,change_rate\na,1\nb,1\na,1\nb,1\na,1\na,1\n",
        4,
        (
            "page must not repeat, got 'a' of line 2 in line 4, 'b' of line 3 in line 5, 'a' of line 2 in line 6, "
            "and 1 more; keep one row a page"
        ),
    ),
    (
        "blank url",
        "url,change_rate\na,1\n ,1\n",
        3,
        "url is blank; write one, or drop the column to name pages by their row",
    ),
    ("no number", "change_rate,recall\n1,0\n2,high\n", 3, "recall must be a number, got 'high'"),
    (
        "blank cell",
        "change_rate,recall\n1,0\n1,0\n2,\n",
        4,
        "recall is blank; write a number, or drop the column to use its default",
    ),
    (
        "blank cell in quotes",
        'change_rate\n1\n""\n',
        3,
        "change_rate is blank; write a number",
    ),
    ("underscore", "change_rate\n1\n1_000\n", 3, "change_rate must be a number, got '1_000'"),
    ("digits of another script", "change_rate\n1\n\u0663\n", 3, "change_rate must be a number, got '\u0663'"),
    ("after a line of spaces", "change_rate\n  \nx\n", 3, "change_rate must be a number, got 'x'"),
    ("short row", "change_rate,recall\n1,0\n2\n", 3, "has 1 cells, but the header has 2"),
    ("long row", "change_rate,recall\n1,0,0\n", 2, "has 3 cells, but the header has 2"),
    ("first of two", "change_rate,recall\n1,low\nx,0\n", 2, "recall must be a number, got 'low'"),
    ("after blank lines", "\nchange_rate\n\n1\n\nx\n", 6, "change_rate must be a number, got 'x'"),
    ("after a two-line cell", 'url,change_rate\n"a\nb",1\nc,x\n', 4, "change_rate must be a number, got 'x'"),
    ("open quote", 'url,change_rate\n"a,1\n', 2, "is not valid CSV: unexpected end of data"),
]


@pytest.mark.parametrize(("text", "line", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_files_are_refused_with_the_line(csv_file, text, line, message):
    path = csv_file(text)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == (f"{path}: {message}" if line is None else f"{path}:{line}: {message}")


BAD_VALUES = [
    ("change_rate\n1\n-2\n", 3, "change_rate", "-2"),
    ("change_rate\n1\nnan\n", 3, "change_rate", "nan"),
    ("change_rate\ninf\n", 2, "change_rate", "inf"),
    ("change_rate,importance\n1,1\n1,1\n1,-0.5\n", 4, "importance", "-0.5"),
    ("change_rate,recall\n1,1.2\n", 2, "recall", "1.2"),
    ("change_rate,recall\n1,1\n\n1,-0.2\n", 4, "recall", "-0.2"),
    ("change_rate,false_signal_rate\n1,0\n1,-1\n", 3, "false_signal_rate", "-1"),
    ("change_rate,recall,precision\n1,0.5,0.5\n1,0.5,1.5\n", 3, "precision", "1.5"),
    ("change_rate,recall,precision\n1,0.5,nan\n", 2, "precision", "nan"),
]


@pytest.mark.parametrize(("text", "line", "column", "value"), BAD_VALUES)
def test_values_out_of_range_are_refused_with_line_column_and_value(csv_file, text, line, column, value):
    path = csv_file(text)
    with pytest.raises(DataError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: {column} must be ")
    assert f"got {value}" in message
    assert " in row " not in message  # the line says it
    assert (caught.value.line, caught.value.argument) == (line, column)


def test_lines_are_right_beyond_the_first_chunk(csv_file, monkeypatch):
    monkeypatch.setattr(rows, "CHUNK_ROWS", 3)
    path = csv_file("change_rate\n" + "1\n" * 7 + "x\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert caught.value.line == 9


def test_refused_values_beyond_the_first_chunk_have_the_right_line(csv_file, monkeypatch):
    monkeypatch.setattr(rows, "CHUNK_ROWS", 3)
    path = csv_file("change_rate\n" + "1\n" * 7 + "-1\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert caught.value.line == 9


def test_chunks_are_joined_in_order(csv_file, monkeypatch):
    monkeypatch.setattr(rows, "CHUNK_ROWS", 3)
    rates = np.arange(1.0, 11.0)
    got = read(csv_file("url,change_rate\n" + "".join(f"p{rate:g},{rate}\n" for rate in rates)))
    assert got.pages.change_rate.tolist() == rates.tolist()
    assert got.urls == [f"p{rate:g}" for rate in rates]


def test_no_such_file(tmp_path):
    path = str(tmp_path / "absent.csv")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: cannot be read: No such file or directory"


# Text is decoded in blocks: the second file fails in a later block than the first.
@pytest.mark.parametrize("rows", [0, 1, 10_000])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_not_utf8(csv_file, rows, line_end, packed):
    data = line_end.join([b"url,change_rate", *[b"a,1"] * rows, b"caf\xe9,1", b"a,1"])
    path = csv_file(gzip.compress(data), "pages.csv.gz") if packed else csv_file(data)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}:{rows + 2}: must be UTF-8 text; convert it, e.g. with iconv"


def test_not_gzip(csv_file):
    with pytest.raises(DataError, match="is not a gzip file"):
        read(csv_file("change_rate\n1\n", "pages.csv.gz"))


def test_cut_gzip(csv_file):
    with pytest.raises(DataError, match="ends early"):
        read(csv_file(gzip.compress(FULL.encode())[:-12], "pages.csv.gz"))


def test_parquet_reads_the_same(parquet_file):
    path = parquet_file({"url": ["a", "b"], **FULL_COLUMNS, "colour": ["red", "blue"]})
    got = read(path)
    assert columns(got.pages) == FULL_COLUMNS
    assert got.urls == ["a", "b"]
    assert got.ignored == ("colour",)


def test_parquet_is_told_by_its_suffix_in_any_case(parquet_file):
    assert len(read(parquet_file({"change_rate": [1.0]}, name="PAGES.PARQUET")).pages) == 1


def test_parquet_urls_of_bytes_are_text(parquet_file):
    got = read(parquet_file({"url": [b"a", "\u00e9".encode()], "change_rate": [1.0, 1.0]}))
    assert got.urls == ["a", "\u00e9"]


def test_parquet_pages_may_be_numbers(parquet_file):
    assert read(parquet_file({"page": [7, 5], "change_rate": [1.0, 1.0]})).urls == ["7", "5"]


def test_parquet_whole_numbers_are_numbers(parquet_file):
    assert read(parquet_file({"change_rate": [1, 2]})).pages.change_rate.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        ({"url": ["a"]}, None, "column change_rate is missing; found: url"),
        ({"change_rate": ["1"]}, None, "change_rate must be a column of numbers, got type string"),
        (
            {"url": ["a", None], "change_rate": [1.0, 1.0]},
            2,
            "url is blank; write one, or drop the column to name pages by their row",
        ),
        (
            {"url": ["a", "b", "a"], "change_rate": [1.0] * 3},
            3,
            "url must not repeat, got 'a' of line 1 in line 3; keep one row a page",
        ),
        ({"url": [b"a", b"\xff"], "change_rate": [1.0, 1.0]}, 2, "url must be UTF-8 text, got b'\\xff'"),
        (
            {"change_rate": [1.0, None]},
            2,
            "change_rate is blank; write a number",
        ),
    ],
)
def test_bad_parquet_is_refused_with_the_row(parquet_file, table, line, message):
    path = parquet_file(table)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == (f"{path}: {message}" if line is None else f"{path}:{line}: {message}")


def test_parquet_values_out_of_range_are_refused_with_the_row(parquet_file):
    with pytest.raises(DataError) as caught:
        read(parquet_file({"change_rate": [1.0, 1.0, 1.0], "recall": [0.0, 0.5, 1.2]}))
    assert (caught.value.line, caught.value.argument) == (3, "recall")


def test_parquet_repeated_column(parquet_file):
    with pytest.raises(DataError, match="column change_rate appears 2 times"):
        read(parquet_file([[1.0], [2.0]], ["change_rate", "change_rate"]))


def test_parquet_without_pages(parquet_file):
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="has a header but no pages"):
        read(parquet_file({"change_rate": pa.array([], pa.float64())}))


def test_not_parquet(csv_file):
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="is not a Parquet file"):
        read(csv_file("change_rate\n1\n", "pages.parquet"))


def test_parquet_without_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'recrawl\[parquet\]'"):
        read("pages.parquet")
