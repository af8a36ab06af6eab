"""Columns by another name: a hint, in every file that is read."""

import pytest

from recrawl.errors import DataError
from recrawl.files import pages
from recrawl.learn import read_log
from recrawl.sim import read_trace

READERS = {
    "pages": (pages.read, "{page},change_rate\na,1\nb,2\n"),
    "log": (read_log, "{page},time,changed\na,1,0\na,2,1\n"),
    "trace": (lambda path: read_trace(path, 2, ["a", "b"]), "{page},time,kind\na,1,change\nb,2,signal\n"),
}


@pytest.fixture(params=READERS)
def reader(request, tmp_path):
    """Reads a text, in which {page} is the name of the page column."""
    read, text = READERS[request.param]

    def of(page, change=lambda text: text):
        path = tmp_path / "table.csv"
        path.write_text(change(text.format(page=page)), encoding="utf-8")
        return read(str(path))

    return of


def refusal(reader, *args):
    with pytest.raises(DataError) as caught:
        reader(*args)
    return caught.value.message


def seen(read):
    """The pages that were read, by name or number."""
    if hasattr(read, "log"):
        return list(read.log.names)
    return read.urls if hasattr(read, "urls") else read.pages.tolist()


def test_url_and_page_are_one_thing(reader):
    assert seen(reader("url")) == seen(reader("page"))


def test_both_are_refused(reader):
    got = refusal(reader, "url", lambda text: text.replace("url,", "url,page,").replace("\na,", "\na,a,"))
    assert got == "columns url and page both name the page; keep one"


@pytest.mark.parametrize(("separator", "word"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_other_separators_are_named(separator, word, reader):
    got = refusal(reader, "url", lambda text: text.replace(",", separator))
    assert got.startswith(f"separators must be commas, got {word}; write url,")


@pytest.mark.parametrize("name", ["Change_Rate", "Change Rate", "change-rate", "changerate"])
def test_a_misspelt_column_gets_a_hint(name, tmp_path):
    path = tmp_path / "pages.csv"
    path.write_text(f"url,{name}\na,1\n", encoding="utf-8")
    expected = f"column change_rate is missing; found: url, {name}; did you mean change_rate by {name!r}?"
    assert refusal(pages.read, str(path)) == expected


def test_a_misspelt_page_column_gets_a_hint(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("URL,time,changed\na,1,0\n", encoding="utf-8")
    assert (
        refusal(read_log, str(path)) == "column page is missing; found: URL, time, changed; did you mean url by 'URL'?"
    )
