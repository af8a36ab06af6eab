"""`recrawl import`: pages into a frontier."""

import gzip
import io
import json
import sys

import pytest

from recrawl.cli.main import main
from recrawl.frontier import Frontier

CSV = "url,importance,every,max_age,group\nhttps://a.example/,2,daily,3600,\nhttps://B.example,,7200,,b and c\n"


def pages(folder):
    with Frontier.open(folder) as frontier:
        return {page.url: page for page in frontier.pages()[0]}, frontier.rate


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


def put(folder, path, *options):
    return main(["import", str(folder), str(path), *options])


def test_a_table_with_all_columns(folder, tmp_path, capsys):
    (tmp_path / "pages.csv").write_text(CSV)
    assert put(folder, tmp_path / "pages.csv", "--rate", "0.5") == 0
    assert f"pages: 2 new, 0 known before, 2 in all in {folder}" in capsys.readouterr().out
    got, rate = pages(folder)
    assert rate == 0.5
    assert {url: page.host for url, page in got.items()} == {
        "https://a.example/": "a.example",
        "https://b.example/": "b and c",
    }
    assert got["https://a.example/"].importance == 2.0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("urls.txt", "# a list\nhttps://a.example/\n\nhttps://b.example/\n"),
        ("urls", "https://a.example/\nhttps://b.example/"),
        ("pages.ndjson", '{"url": "https://a.example/", "every": "weekly"}\n\n{"page": "https://b.example/"}\n'),
        ("other.txt", '{"url": "https://a.example/"}\n{"url": "https://b.example/"}\n'),
        ("table.txt", "importance,url\n1,https://a.example/\n2,https://b.example/\n"),
        ("packed.csv.gz", "url\nhttps://a.example/\nhttps://b.example/\n"),
    ],
)
def test_every_form_is_told_by_its_name_or_its_beginning(folder, tmp_path, name, content):
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert put(folder, tmp_path / name) == 0
    assert set(pages(folder)[0]) == {"https://a.example/", "https://b.example/"}


@pytest.mark.parametrize("content", ["https://a.example/\n", CSV, '{"url": "https://a.example/"}\n'])
def test_from_stdin(folder, monkeypatch, content):
    stream = io.BufferedReader(io.BytesIO(content.encode()))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    assert put(folder, "-") == 0
    assert "https://a.example/" in pages(folder)[0]


def test_parquet(folder, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pa.table({"url": ["https://a.example/"], "importance": [3], "every": [None]})
    pq.write_table(table, tmp_path / "pages.parquet")
    assert put(folder, tmp_path / "pages.parquet") == 0
    assert pages(folder)[0]["https://a.example/"].importance == 3.0


def test_known_pages_are_updated_and_the_rate_stays(folder, tmp_path, capsys):
    (tmp_path / "one.csv").write_text("url,importance\nhttps://a.example/,1\n")
    (tmp_path / "two.csv").write_text("url,importance\nhttps://a.example/,5\nhttps://b.example/,1\n")
    put(folder, tmp_path / "one.csv", "--rate", "3")
    put(folder, tmp_path / "two.csv")
    assert "pages: 1 new, 1 known before, 2 in all" in capsys.readouterr().out
    got, rate = pages(folder)
    assert (got["https://a.example/"].importance, rate) == (5.0, 3.0)


BAD = "url,importance,every\nhttps://a.example/,1,daily\nmailto:me,1,\nhttps://b.example/,-1,\nhttps://c.example/,1,often\n"


def test_bad_rows_are_named_by_line_and_nothing_is_put_in(folder, tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text(BAD)
    assert put(folder, path) == 2
    err = capsys.readouterr().err
    assert f"{path}:3: url: " in err
    assert "and 2 more rows are bad; --skip-bad leaves them out" in err
    assert err.count("\n") == 1
    assert not folder.exists()


def test_bad_rows_can_be_left_out(folder, tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text(BAD)
    assert put(folder, path, "--skip-bad") == 0
    out = capsys.readouterr().out
    assert f"{path}:4: importance must be a number >= 0, or blank, got '-1'" in out
    assert f"{path}:5: every must be seconds > 0, one of always, hourly" in out
    assert set(pages(folder)[0]) == {"https://a.example/"}


def test_what_export_writes_can_be_put_in_again(data, tmp_path):
    folder = tmp_path / "new"
    main(["export", str(data), "--out", str(tmp_path / "o"), "--format", "ndjson"])
    assert put(folder, tmp_path / "o" / "pages.ndjson") == 0
    rows = [json.loads(line) for line in (tmp_path / "o" / "pages.ndjson").read_text().splitlines()]
    got, _ = pages(folder)
    assert set(got) == {row["url"] for row in rows}
    rates = [(got[row["url"]].change_rate * 86_400.0, row["change_rate"]) for row in rows]
    slow = [mine for mine, theirs in rates if theirs < 0.3]
    fast = [mine for mine, theirs in rates if theirs > 0.6]
    assert sum(slow) / len(slow) < sum(fast) / len(fast)  # hints, and not more


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", [], "holds no pages"),
        ("url\n", [], "holds no pages"),
        ("name,importance\na,1\n", [], "column page is missing"),
        ("https://a.example/\n", ["--rate", "-1"], "rate must be"),
    ],
)
def test_bad_requests_are_one_line(folder, tmp_path, capsys, content, options, message):
    path = tmp_path / ("x.csv" if content.startswith(("name", "url")) else "x.txt")
    path.write_text(content)
    assert put(folder, path, *options) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not folder.exists()


def test_a_folder_in_use_is_refused(data, tmp_path, capsys):
    (tmp_path / "urls.txt").write_text("https://a.example/\n")
    with Frontier.open(data):
        assert put(data, tmp_path / "urls.txt") == 2
    assert "is in use by process" in capsys.readouterr().err
