"""Histories of folders with dated feeds."""

from pathlib import Path

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories.feeds import history_of_feeds
from recrawl.histories.making import Made


def atom(*entries: tuple[str, str, str, str]) -> str:
    """Entries of name, published, updated and text."""
    told = "".join(
        f"<entry><id>urn:{name}</id><link rel='edit' href='no'/><link href='https://example.org/{name}'/>"
        f"<published>{published}</published><updated>{updated}</updated>"
        f"<content type='xhtml'><div><p>{text}</p></div></content></entry>"
        for name, published, updated, text in entries
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><id>urn:feed</id><updated>2024-01-01</updated>{told}</feed>"


def rss(*entries: tuple[str, str, str]) -> str:
    """Entries of name, date and text."""
    told = "".join(
        f"<item><guid isPermaLink='false'>17</guid><link>https://example.org/{name}</link><pubDate>{date}</pubDate>"
        f"<description><![CDATA[{text}]]></description></item>"
        for name, date, text in entries
    )
    return f"<rss version='2.0'><channel><link>https://example.org</link>{told}</channel></rss>"


def facts(made: Made) -> dict[str, tuple[float, list[float]]]:
    history = made.history
    assert np.isinf(history.removed).all()
    return {
        path.removeprefix("https://example.org/"): (
            float(history.created[page]),
            history.change_times[history.change_pages == page].tolist(),
        )
        for page, path in enumerate(history.paths)
    }


OLD = "2020-01-01T00:00:00Z"


def test_entries_are_born_when_published_and_change_when_updated(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(atom(("a", OLD, OLD, "1"), ("b", OLD, OLD, "1")))
    (tmp_path / "2024-05-11.xml").write_text(
        atom(("c", "2024-05-05T12:00:00Z", OLD, "1"), ("a", OLD, "2024-05-04T00:00:00Z", "2"), ("d", OLD, OLD, "1"))
    )
    (tmp_path / "2024-05-21.xml").write_text(
        atom(("c", "2024-05-05T12:00:00Z", OLD, "other"), ("a", OLD, "2024-05-04T00:00:00Z", "2"), ("b", OLD, OLD, "1"))
    )
    assert facts(history_of_feeds(str(tmp_path))) == {
        "a": (0, [3]),
        "b": (0, []),  # it left the feed and came back
        "c": (4.5, [20]),
        "d": (10, []),  # published before, but not seen then
    }


def test_entries_of_rss_go_by_link_and_text(tmp_path: Path) -> None:
    date = "Wed, 01 Jan 2020 00:00:00 GMT"
    (tmp_path / "feed-20240501.rss").write_text(rss(("a", date, "1"), ("b", date, "1")))
    (tmp_path / "feed-20240502.rss").write_text(rss(("a", date, "<b>2</b>"), ("b", date, "1")))
    assert facts(history_of_feeds(str(tmp_path))) == {"a": (0, [1]), "b": (0, [])}


def test_two_feeds_that_tell_an_entry_differently_are_no_change(tmp_path: Path) -> None:
    for day in ("2024-05-01", "2024-05-02", "2024-05-03"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "full.xml").write_text(atom(("a", OLD, OLD, "all of it")))
        (tmp_path / day / "short.xml").write_text(atom(("a", OLD, OLD, "some" if day < "2024-05-03" else "less")))
    assert facts(history_of_feeds(str(tmp_path))) == {"a": (0, [2])}


def test_what_has_no_name_or_is_broken_is_noted(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(atom(("a", OLD, OLD, "1")))
    (tmp_path / "2024-05-02.xml").write_text("<rss><channel><item><title>x</title></item>")
    made = history_of_feeds(str(tmp_path))
    assert facts(made) == {"a": (0, [])}
    assert "read 1 broken file up to the break" in made.notes[0]
    assert made.notes[1] == "left out 1 entry with neither id nor link"


def test_a_folder_without_entries_is_refused(tmp_path: Path) -> None:
    for day in ("2024-05-01", "2024-05-02"):
        (tmp_path / f"{day}.xml").write_text("<rss><channel/></rss>")
    with pytest.raises(InputError, match="DIR must have feeds with entries, got none in"):
        history_of_feeds(str(tmp_path))
