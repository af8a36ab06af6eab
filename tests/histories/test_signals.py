"""Signals drawn with a given quality."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories import History
from recrawl.histories.signals import Quality, Signals, draw
from recrawl.model.latencies import Exponential


def busy(pages: int = 40, changes_each: int = 250) -> History:
    rng = np.random.default_rng(5)
    times = np.sort(rng.uniform(0.0, 1000.0, pages * changes_each))
    return History(
        "busy",
        tuple(f"p{k}" for k in range(pages)),
        np.zeros(pages),
        np.full(pages, np.inf),
        rng.permutation(np.repeat(np.arange(pages), changes_each)),
        times,
        1000.0,
    )


def test_precision_and_recall_are_those_asked_for() -> None:
    history = busy()
    signals = draw(history, Quality(precision=0.6, recall=0.5), np.random.default_rng(1))
    # 10,000 changes: standard errors of about .005; 5 of them fail by chance once in a million runs
    assert np.count_nonzero(signals.true) / 10_000 == pytest.approx(0.5, abs=0.025)
    assert signals.true.mean() == pytest.approx(0.6, abs=0.03)


def test_false_signals_go_by_the_pages_own_rate_or_are_the_same_for_all() -> None:
    history = busy()
    kept = np.flatnonzero((history.change_pages >= 20) | (history.change_times < 100.0))
    uneven = History(
        "uneven",
        history.paths,
        history.created,
        history.removed,
        history.change_pages[kept],
        history.change_times[kept],
        1000.0,
    )
    by_page = Quality(0.5, 0.5).false_rates(uneven)
    assert by_page == pytest.approx(uneven.change_rates * 0.5)
    alike = Quality(0.5, 0.5, false_by="all").false_rates(uneven)
    assert alike == pytest.approx(np.full(40, by_page.mean()))


def test_signals_come_late_and_in_order() -> None:
    signals = draw(busy(), Quality(0.6, 0.5, late=Exponential(2.0)), np.random.default_rng(1))
    assert (np.diff(signals.arrivals) >= 0.0).all()
    assert (signals.arrivals - signals.happened).mean() == pytest.approx(2.0, rel=0.1)


def test_false_signals_come_while_their_page_is_there() -> None:
    history = busy(2)
    going = History(
        "going",
        history.paths,
        np.array([0.0, 400.0]),
        np.array([300.0, np.inf]),
        np.array([0] * 30 + [1] * 60),
        np.concatenate((np.linspace(1.0, 299.0, 30), np.linspace(401.0, 999.0, 60))),
        1000.0,
    )
    signals = draw(going, Quality(0.1, 1.0), np.random.default_rng(3))
    first, second = signals.happened[signals.pages == 0], signals.happened[signals.pages == 1]
    assert len(first) > 100
    assert first.max() <= 300.0
    assert second.min() >= 400.0


def test_recall_0_is_silence() -> None:
    assert len(draw(busy(), Quality(0.5, 0.0), np.random.default_rng(0))) == 0


def test_another_lateness_keeps_which_changes_are_signalled() -> None:
    soon, late = (draw(busy(), Quality(0.6, 0.5, late=days), np.random.default_rng(1)) for days in (0.0, 3.0))
    assert np.array_equal(np.sort(soon.happened), np.sort(late.happened))


def test_sources_come_together_in_order() -> None:
    one = Signals(np.array([1]), np.array([5.0]), np.array([4.0]), np.array([True]))
    two = Signals(np.array([0]), np.array([3.0]), np.array([3.0]), np.array([False]))
    both = Signals.together([one, two])
    assert both.pages.tolist() == [0, 1]
    assert both.true.tolist() == [False, True]


def test_signals_of_which_none_is_true_are_refused() -> None:
    with pytest.raises(InputError, match="precision must be > 0"):
        Quality(precision=0.0, recall=0.5)
