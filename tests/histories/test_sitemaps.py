"""Histories of folders with dated sitemaps."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories.archive import moment_in
from recrawl.histories.making import Made
from recrawl.histories.sitemaps import history_of_sitemaps


def sitemap(*pages: tuple[str, str | None]) -> str:
    urls = "".join(
        f"<url><loc>https://example.org/{name}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod else ''}"
        "<image:image><image:loc>https://example.org/i.png</image:loc></image:image></url>\n"
        for name, lastmod in pages
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        f'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n{urls}</urlset>'
    )


def facts(made: Made) -> dict[str, tuple[float, float | None, list[float]]]:
    history = made.history
    return {
        path.removeprefix("https://example.org/"): (
            float(history.created[page]),
            None if np.isinf(history.removed[page]) else float(history.removed[page]),
            history.change_times[history.change_pages == page].tolist(),
        )
        for page, path in enumerate(history.paths)
    }


def test_pages_are_born_change_and_go(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(sitemap(("a", "2020-01-01"), ("b", "2020-01-01"), ("c", None)))
    (tmp_path / "2024-05-11.xml").write_text(sitemap(("a", "2024-05-04T12:00:00Z"), ("b", "2020-01-01"), ("c", None)))
    (tmp_path / "2024-05-21.xml").write_text(sitemap(("a", "2024-05-04T12:00:00Z"), ("d", "2024-05-20"), ("c", None)))
    (tmp_path / "2024-05-31.xml").write_text(sitemap(("a", "2024-05-04T12:00:00Z"), ("d", "2024-05-29"), ("b", None)))
    made = history_of_sitemaps(str(tmp_path))
    assert facts(made) == {
        "a": (0, None, [3.5]),
        "b": (0, 20, []),
        "c": (0, 30, []),
        "d": (20, None, [28]),
        "b#2": (30, None, []),
    }
    assert made.notes == ("no change can be seen of 2 pages without a lastmod",)


def test_a_lastmod_outside_the_two_snapshots_dates_nothing(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(sitemap(("a", "2020-01-01"), ("b", "2020-01-01"), ("c", "2020-01-01")))
    (tmp_path / "2024-05-11.xml").write_text(sitemap(("a", "2021-01-01"), ("b", "2030-01-01"), ("c", "2019-01-01")))
    assert facts(history_of_sitemaps(str(tmp_path))) == {"a": (0, None, [10]), "b": (0, None, [10]), "c": (0, None, [])}


def test_a_snapshot_may_be_many_files_plain_or_packed_in_a_folder(tmp_path: Path) -> None:
    for day, lastmod in (("20240501T0000", "2020-01-01"), ("20240502T1200", "2024-05-02")):
        folder = tmp_path / f"site-{day}"
        folder.mkdir()
        (folder / "sitemap-1.xml").write_text(sitemap(("a", lastmod), ("twice", "2020-01-01")))
        (folder / "sitemap-2.xml.gz").write_bytes(
            gzip.compress(sitemap(("b", "2020-01-01"), ("twice", lastmod)).encode())
        )
        (folder / "sitemap.xml").write_text("<sitemapindex><sitemap><loc>x</loc></sitemap></sitemapindex>")
    (tmp_path / "robots.txt").write_text("")
    (tmp_path / "today.xml").write_text(sitemap(("z", None)))
    seen: list[tuple[int, int]] = []
    made = history_of_sitemaps(str(tmp_path), lambda done, total: seen.append((done, total)))
    assert facts(made) == {"a": (0, None, [1]), "twice": (0, None, [1]), "b": (0, None, [])}
    assert seen[-1] == (6, 6)
    assert made.notes[0] == "left out 1 file without a date in the path, such as today.xml"
    assert made.notes[1].startswith("indexes of sitemaps were left out")


@pytest.mark.parametrize("packed", [False, True])
def test_of_a_broken_file_what_comes_before_counts_and_no_page_is_gone(tmp_path: Path, packed: bool) -> None:
    pages = [(f"{k:04}", "2020-01-01") for k in range(3000)]
    (tmp_path / "2024-05-01.xml").write_text(sitemap(*pages))
    later = sitemap(*((name, "2024-05-02") for name, _ in pages)).encode()
    broken = gzip.compress(later) if packed else later
    (tmp_path / "2024-05-03.xml").write_bytes(broken[: len(broken) // 2])
    made = history_of_sitemaps(str(tmp_path))
    assert np.isinf(made.history.removed).all()
    assert 1000 < len(made.history.change_times) < 2000
    assert "read 1 broken file up to the break, such as" in made.notes[0]


def test_a_packed_file_with_a_wrong_checksum_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(sitemap(("a", "2020-01-01"), ("b", "2020-01-01")))
    later = bytearray(gzip.compress(sitemap(("a", "2024-05-02"), ("b", "2024-05-02")).encode()))
    later[-8] ^= 0xFF
    (tmp_path / "2024-05-03.xml.gz").write_bytes(later)
    made = history_of_sitemaps(str(tmp_path))
    assert len(made.history.change_times) == 2
    assert "read 1 broken file up to the break, such as" in made.notes[0]


def test_entities_are_refused(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(sitemap(("a", None)))
    bomb = '<!DOCTYPE urlset [<!ENTITY a "aaaa">]><urlset><url><loc>https://example.org/&a;</loc></url></urlset>'
    (tmp_path / "2024-05-02.xml").write_text(bomb)
    made = history_of_sitemaps(str(tmp_path))
    assert facts(made) == {"a": (0, None, [])}
    assert "must not have a document type" in made.notes[0]


def test_a_page_of_another_kind_in_place_of_a_sitemap_removes_nothing(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(sitemap(("a", None)))
    (tmp_path / "2024-05-02.xml").write_text("<html><body>503</body></html>")
    made = history_of_sitemaps(str(tmp_path))
    assert facts(made) == {"a": (0, None, [])}
    assert made.notes[0] == "passed over 1 file without any page; none counts as gone by that"


def write(folder: Path, path: str, *pages: tuple[str, str | None]) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(sitemap(*pages))


def test_sitemaps_that_are_fetched_one_after_another_remove_only_their_own_pages(tmp_path: Path) -> None:
    for day in range(1, 6):
        lastmod = f"2024-05-0{day}T06:00:00Z"
        write(tmp_path, f"2024050{day}T120000/s1.xml", ("a", lastmod), *[("gone", None)] * (day < 3))
        write(tmp_path, f"2024050{day}T180000/s2.xml", ("b", lastmod))
    made = history_of_sitemaps(str(tmp_path))
    changes = [0.75, 1.75, 2.75, 3.75]
    assert facts(made) == {"a": (0, None, changes), "gone": (0, 2, []), "b": (0, None, changes)}
    assert made.notes == ("no change can be seen of 1 page without a lastmod",)


def test_pages_of_the_first_round_were_there_at_the_beginning(tmp_path: Path) -> None:
    write(tmp_path, "20240501T0000/1.xml", ("a", "2020-01-01"))
    write(tmp_path, "20240501T0600/2.xml", ("b", "2020-01-01"))
    write(tmp_path, "20240501T1200/1.xml", ("a", "2020-01-01"), ("new", "2020-01-01"))
    write(tmp_path, "20240501T1800/3.xml", ("c", "2020-01-01"))
    made = history_of_sitemaps(str(tmp_path))
    assert {path: created for path, (created, _, _) in facts(made).items()} == {"a": 0, "b": 0, "new": 0.5, "c": 0.75}


def test_a_page_that_moves_to_a_sitemap_which_is_fetched_later_stays_the_same(tmp_path: Path) -> None:
    write(tmp_path, "20240501T0000/1.xml", ("a", "2020-01-01"), ("b", "2020-01-01"))
    write(tmp_path, "20240501T0600/2.xml", ("c", "2020-01-01"))
    write(tmp_path, "20240502T0000/1.xml", ("a", "2020-01-01"))
    write(tmp_path, "20240502T0600/2.xml", ("b", "2024-05-02T03:00:00Z"), ("c", "2020-01-01"))
    write(tmp_path, "20240503T0000/1.xml", ("a", "2020-01-01"), ("c", "2020-01-01"))
    write(tmp_path, "20240503T0600/2.xml", ("c", "2020-01-01"))
    made = history_of_sitemaps(str(tmp_path))
    assert facts(made) == {"a": (0, None, []), "b": (0, 2.25, [1.125]), "c": (0, None, [])}


def test_a_sitemap_that_is_fetched_no_more_removes_nothing_and_is_named(tmp_path: Path) -> None:
    for day in range(1, 7):
        write(tmp_path, f"2024-05-0{day}/1.xml", ("a", "2020-01-01"))
        if day < 3:
            write(tmp_path, f"2024-05-0{day}/2.xml", ("b", "2020-01-01"))
    made = history_of_sitemaps(str(tmp_path))
    assert facts(made) == {"a": (0, None, []), "b": (0, None, [])}
    (note,) = made.notes
    assert note == (
        "1 sitemap had no more snapshots with pages towards the end, the last being 2024-05-02/2.xml: pages listed "
        "there count as still there"
    )


def test_two_sitemaps_of_one_name_are_noticed(tmp_path: Path) -> None:
    for day in range(1, 4):
        write(tmp_path, f"2024050{day}T0000/sitemap.xml", ("a", "2020-01-01"))
        write(tmp_path, f"2024050{day}T1200/sitemap.xml", ("b", "2020-01-01"))
    made = history_of_sitemaps(str(tmp_path))
    assert len(made.history) == 6
    (note,) = made.notes
    assert note == (
        "2 of 2 pages went and came again; files whose paths are the same but for the date must be snapshots of one "
        "sitemap"
    )


def test_a_lastmod_in_the_future_counts_once_and_keeps_no_change_from_being_seen(tmp_path: Path) -> None:
    for day in range(1, 7):
        write(
            tmp_path,
            f"2024-05-0{day}.xml",
            ("once", "2999-01-01" if day == 2 else f"2024-05-0{day}"),
            ("always", "2999-01-01"),
            ("announced", "2024-05-04" if day > 1 else "2024-05-01"),
            ("evening", "2024-05-01T20:00:00Z" if day == 1 else "2024-05-02"),
        )
    made = history_of_sitemaps(str(tmp_path))
    assert facts(made) == {
        "once": (0, None, [1, 2, 3, 4, 5]),
        "always": (0, None, []),
        "announced": (0, None, [1]),
        "evening": (0, None, [1]),
    }
    (note,) = made.notes
    assert note == (
        "3 lastmods after the day of the snapshot, up to 2999-01-01: such a date counts once, at the time of the "
        "snapshot"
    )


def test_a_lastmod_that_is_no_date_is_counted(tmp_path: Path) -> None:
    (tmp_path / "2024-05-01.xml").write_text(sitemap(("a", "2020-01-01")))
    (tmp_path / "2024-05-02.xml").write_text(sitemap(("a", "yesterday")))
    made = history_of_sitemaps(str(tmp_path))
    assert made.notes == ("left out 1 lastmod that could not be read as a date, such as 'yesterday'",)


def refused(folder: Path) -> str:
    with pytest.raises(InputError) as raised:
        history_of_sitemaps(str(folder))
    return str(raised.value)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "none").startswith("DIR must be a folder, got")
    (tmp_path / "sitemap.xml").write_text(sitemap(("a", None)))
    (tmp_path / "2024-05-01.xml").write_text("<urlset/>")
    assert "of two dates or more, got 1 and 1 file without one in" in refused(tmp_path)
    (tmp_path / "2024-05-02.xml").write_text("<urlset><url>")
    assert "DIR must have sitemaps that list pages, got none in" in refused(tmp_path)
    assert "2024-05-02.xml: no element found" in refused(tmp_path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("2024-05-01", 1714521600),
        ("a/20240501/sitemap-20230101.xml", 1714521600),
        ("sitemap_20240501T120000Z.xml.gz", 1714564800),
        ("2024-05-01_12-00-00/x.xml", 1714564800),
        ("2024-05-01T12:00/x.xml", 1714564800),
        ("20240501120000.xml", 1714564800),
        ("99999999-2024-05-01.xml", 1714521600),
        ("sitemap-1234567890123456.xml", None),
        ("2024-0501.xml", None),
        ("2024-02-30.xml", None),
        ("20240501-0001.xml", 1714521600),  # the first of several files
        ("20240501_0001.xml", 1714521600),
    ],
)
def test_dates_in_paths(path: str, expected: float | None) -> None:
    assert moment_in(path) == expected
