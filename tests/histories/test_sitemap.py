"""What a sitemap would have said, build by build."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories import History
from recrawl.histories.signals import Signals
from recrawl.histories.sitemap import Sitemap, appearances, sitemap_signals


def history(changes: list[tuple[int, float]], created: list[float], removed: list[float], end: float) -> History:
    changes = sorted(changes, key=lambda change: change[1])
    return History(
        "h",
        tuple(f"p{k}" for k in range(len(created))),
        np.array(created),
        np.array(removed),
        np.array([page for page, _ in changes], dtype=np.int64),
        np.array([time for _, time in changes]),
        end,
    )


def one_page(*times: float, end: float = 10.0) -> History:
    return history([(0, time) for time in times], [0.0], [np.inf], end)


def signals(of: History, sitemap: Sitemap) -> Signals:
    return sitemap_signals(of, sitemap, np.random.default_rng(0))


def test_changes_between_two_builds_are_one_signal_that_tells_of_the_last() -> None:
    got = signals(one_page(0.5, 1.5, 5.0), Sitemap(build_days=4.0))
    assert got.arrivals.tolist() == [4.0, 8.0]
    assert got.happened.tolist() == [1.5, 5.0]
    assert got.true.all()


def test_a_sitemap_that_is_read_seldom_tells_late() -> None:
    got = signals(one_page(0.5, 4.5), Sitemap(build_days=1.0, read_days=3.0))
    assert got.arrivals.tolist() == [3.0, 6.0]


def test_a_date_hides_the_second_change_of_a_day() -> None:
    quick = Sitemap(build_days=0.25, lastmod="date")
    got = signals(one_page(2.1, 2.6, 3.1), quick)
    assert got.arrivals.tolist() == [2.25, 3.25]
    assert got.happened.tolist() == [2.0, 3.0]


def test_a_site_that_stamps_every_build_signals_everything() -> None:
    got = signals(one_page(2.5, end=4.0), Sitemap(lastmod="build"))
    assert got.arrivals.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert got.true.tolist() == [False, False, True, False]


def test_a_frozen_sitemap_falls_silent() -> None:
    assert signals(one_page(1.5, 5.5), Sitemap(frozen_from=4.0)).arrivals.tolist() == [2.0]


def test_changes_that_lastmod_misses_are_not_signalled() -> None:
    assert len(signals(one_page(1.5, 5.5), Sitemap(missed=1.0))) == 0


def test_builds_at_each_commit_tell_at_once() -> None:
    assert signals(one_page(1.5, 5.5), Sitemap(build_days=None)).arrivals.tolist() == [1.5, 5.5]


def test_a_new_page_is_no_signal_and_a_removed_one_is_no_longer_listed() -> None:
    of = history([(0, 2.2), (0, 3.5), (1, 5.5)], [2.1, 0.0], [np.inf, 5.8], 10.0)
    got = signals(of, Sitemap())
    assert got.pages.tolist() == [0]
    assert got.arrivals.tolist() == [4.0]


def test_pages_appear_at_the_first_reading_after_they_came() -> None:
    of = history([], [0.0, 2.5, 4.2], [np.inf, np.inf, 4.8], 10.0)
    assert appearances(of, Sitemap()).tolist() == [0.0, 3.0, np.inf]
    assert appearances(of, Sitemap(read_days=2.0)).tolist() == [0.0, 4.0, np.inf]


def test_exact_lastmods_match_a_reader_that_compares_page_by_page() -> None:
    rng = np.random.default_rng(2)
    changes = [
        (int(page), float(time)) for page, time in zip(rng.integers(0, 5, 60), rng.uniform(0, 50, 60), strict=True)
    ]
    created = [0.0, 0.0, 11.3, 20.0, 0.0]
    changes = [change for change in changes if change[1] > created[change[0]]]
    of = history(changes, created, [np.inf, 30.5, np.inf, np.inf, np.inf], 50.0)
    of = of.only(np.arange(5))
    kept = of.change_times < of.removed[of.change_pages]
    of = History("h", of.paths, of.created, of.removed, of.change_pages[kept], of.change_times[kept], 50.0)
    for lastmod in ("exact", "date", "build"):
        sitemap = Sitemap(build_days=1.5, read_days=2.0, lastmod=lastmod)  # type: ignore[arg-type]
        got = signals(of, sitemap)
        expected = reader(of, sitemap)
        rows = zip(got.arrivals.tolist(), got.pages.tolist(), got.happened.tolist(), strict=True)
        assert list(rows) == expected, lastmod


def reader(of: History, sitemap: Sitemap) -> list[tuple[float, int, float]]:
    """Reads the latest build whole and compares it with the one before."""
    builds = [k * 1.5 for k in range(34)]
    before: dict[int, float] = {}
    out = []
    for k in range(26):
        build = max(time for time in builds if time <= k * 2.0)
        now: dict[int, float] = {}
        for page in range(len(of)):
            if of.created[page] <= build < of.removed[page]:
                own = of.change_times[(of.change_pages == page) & (of.change_times <= build)]
                stamp = float(own[-1]) if len(own) else (float(of.created[page]) if of.created[page] > 0 else -1.0)
                stamp = {"exact": stamp, "date": float(np.floor(stamp)), "build": build}[sitemap.lastmod]
                now[page] = stamp
                if page in before and stamp > before[page]:
                    out.append((k * 2.0, page, stamp))
        before = now
    return out


def test_an_unknown_kind_of_lastmod_is_refused() -> None:
    with pytest.raises(InputError, match="lastmod must be one of exact, date, build"):
        Sitemap(lastmod="never")  # type: ignore[arg-type]
