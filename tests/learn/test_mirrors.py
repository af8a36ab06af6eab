"""Sources that repeat each other are found out; independent ones are left alone.

Estimates are held to 5 of their standard errors (6e-7 by chance), which are .015 at most here.
"""

import numpy as np
import pytest

from recrawl.learn import read_log
from recrawl.learn.fit.alone import Alone, fit_alone
from recrawl.learn.fit.companions import find_mirrors
from recrawl.learn.fit.source_quality import contradictions, source_quality
from recrawl.learn.fit.sources import fit_sources
from tests.learn.crawled import crawled
from tests.learn.signal_logs import CHANGE_RATE, HORIZON, PAGES, PING, SITEMAP, precision, signal_log


def judged(file):
    heard, lone = (np.column_stack(list(counts.values())) for counts in (file.sources.heard, file.sources.lone))
    return source_quality(file.log.elapsed, heard, lone, file.sources.coincidences, file.log.changed)


def near(found, name, k, truth):
    return abs(getattr(found, name)[k] - truth) < 5.0 * getattr(found, name + "_error")[k]


@pytest.mark.parametrize(("kind", "delay"), [("mirror", 0.0), ("mirror", 0.01), ("partial mirror", 0.01)])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_mirror_is_recognised_and_counts_as_one_source(kind, delay, seed, tmp_path):
    file = read_log(*signal_log(tmp_path, kind, seed, delay), start=0.0)
    (mirror,) = file.sources.mirrors
    assert (mirror.copy, mirror.original) == ("feed", "sitemap")
    assert mirror.share >= 0.98
    assert mirror.within <= delay
    assert list(file.sources.heard) == ["sitemap = feed", "ping"]
    found = judged(file)
    assert found.joint
    for k, (recall, false) in enumerate((SITEMAP, PING)):
        assert near(found, "recall", k, recall)
        assert near(found, "precision", k, precision(recall, false))
    assert found.recall_error.max() < 0.015


def test_a_source_that_holds_another_is_one_with_it(tmp_path):
    file = read_log(*signal_log(tmp_path, "mirror and more", 1), start=0.0)
    assert list(file.sources.heard) == ["feed = sitemap", "ping"]
    found = judged(file)
    assert near(found, "recall", 0, 0.6)  # half the changes, and a fifth of the other half
    assert near(found, "recall", 1, PING[0])


@pytest.mark.parametrize("seed", range(5))
def test_independent_sources_are_judged_together(seed, tmp_path):
    file = read_log(*signal_log(tmp_path, "independent", seed), start=0.0)
    assert (file.sources.mirrors, file.sources.dependent) == ((), ())
    found = judged(file)
    assert found.joint
    assert found.contradictions == ()


@pytest.mark.parametrize("seed", range(5))
def test_sources_that_meet_because_both_are_right_are_no_mirrors(seed, tmp_path):
    file = read_log(*signal_log(tmp_path, "excellent", seed), start=0.0)
    assert (file.sources.mirrors, file.sources.dependent) == ((), ())
    found = judged(file)
    for k, truth in enumerate((0.97, 0.97, PING[0])):
        assert near(found, "recall", k, truth)


@pytest.mark.parametrize("delay", [0.0, 0.01])
def test_sources_that_share_a_part_are_judged_each_by_itself(delay, tmp_path):
    file = read_log(*signal_log(tmp_path, "half and half", 3, delay), start=0.0)
    assert file.sources.mirrors == ()
    assert [(pair.a, pair.b) for pair in file.sources.dependent] == ([("feed", "sitemap")] if delay == 0.0 else [])
    found = judged(file)
    assert not found.joint
    # feed: half of the sitemap's signals, and signals of its own
    recall = 1.0 - (1.0 - 0.25) * (1.0 - 0.2)
    for k, truth in enumerate((SITEMAP[0], recall, PING[0])):
        assert near(found, "recall", k, truth)


def test_a_recall_that_the_number_of_signals_forbids_is_found(tmp_path):
    """The joint fit of a mirror as if it were independent gives pings a recall their number forbids."""
    _, signals = signal_log(tmp_path, "mirror", 1)
    rows = np.genfromtxt(signals, delimiter=",", skip_header=1, dtype=None, encoding="utf-8")
    pings = sum(row[2] == "ping" for row in rows)
    most = pings / (PAGES * HORIZON * CHANGE_RATE)
    file = read_log(tmp_path / "crawls.csv", signals, start=0.0)
    site, ping = (file.sources.heard[name] for name in ("sitemap = feed", "ping"))
    # as it was read before: every signal of the sitemap is a coincidence
    lone = np.column_stack((0.0 * site, 0.0 * site, np.maximum(ping - site, 0.0)))
    naive = fit_sources(file.log.elapsed, lone, site, file.log.changed)
    assert naive.recall[2] > 1.5 * most
    heard = np.column_stack((site, site, ping))
    alone = [fit_alone(file.log.elapsed, column, file.log.changed) for column in heard.T]
    found = contradictions(naive, alone, heard.sum(axis=0) / file.log.elapsed.sum())
    assert {(c.source, c.quantity) for c in found} >= {
        (2, "signals"),
        (2, "recall"),
        (2, "precision"),
        (0, "precision"),
    }
    assert not source_quality(file.log.elapsed, heard, lone, site, file.log.changed).joint


def test_errors_of_a_source_alone_are_the_spread():
    """80 fits: within 30%, 3.8 standard deviations of the spread's own chance: false alarm 2e-4 a number."""
    rng = np.random.default_rng(4)
    fits = np.array([fit_alone(*crawled(rng, 2_000)) for _ in range(80)])
    spread, said = fits.std(axis=0, ddof=1)[[0, 2]], fits.mean(axis=0)[[1, 3]]
    assert np.all(np.abs(said / spread - 1.0) < 0.3)
    assert np.all(np.abs(fits.mean(axis=0)[[0, 2]] - [0.4, 0.5]) < 5.0 * spread / np.sqrt(80))


GOOD, POOR = Alone(0.97, 0.01, 0.99, 0.01), Alone(0.3, 0.01, 0.4, 0.01)


def signals(copies):
    """1,000 signals of each of two sources; source 1 repeats so many of source 0 a little later."""
    rng = np.random.default_rng(5)
    page, time = rng.integers(0, 20, size=2_000), rng.uniform(0.0, 1_000.0, size=2_000)
    page[1_000 : 1_000 + copies], time[1_000 : 1_000 + copies] = page[:copies], time[:copies] + 1e-3
    order = np.lexsort((time, page))
    return page[order], time[order], np.repeat([0, 1], 1_000)[order]


@pytest.mark.parametrize(
    ("quality", "copies", "expected"),
    [
        ((POOR, POOR), 1_000, [(1, 0)]),
        ((POOR, POOR), 950, [(1, 0)]),
        ((POOR, POOR), 800, []),  # not nearly always
        ((GOOD, GOOD), 960, []),  # .96 of either's are expected beside the other's
        ((Alone(np.nan, np.inf, np.nan, np.inf), POOR), 1_000, []),  # nothing is known, so nothing is forbidden
    ],
)
def test_mirrors_are_what_independent_sources_would_not_do(quality, copies, expected):
    assert [(m.copy, m.original) for m in find_mirrors(*signals(copies), quality)] == expected


def test_no_signals_are_no_mirrors():
    none = np.empty(0, dtype=np.int64)
    assert find_mirrors(none, np.empty(0), none, (POOR, POOR)) == ()
