"""Construction, conversion and refusal."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recrawl

rate = st.floats(1e-6, 1e6)
share = st.floats(0.0, 1.0)


@given(rate, share, st.one_of(st.just(0.0), rate))
def test_rates_come_back(change_rate, recall, false_rate):
    pages = recrawl.Pages.from_rates(change_rate, 1.0, recall, false_rate)
    assert pages.change_rate.item() == pytest.approx(change_rate, rel=1e-12)
    assert pages.recall.item() == pytest.approx(recall, rel=1e-9, abs=1e-12)
    assert pages.false_signal_rate.item() == pytest.approx(false_rate, rel=1e-12)


@given(rate, st.floats(0.001, 1.0), st.floats(0.001, 1.0))
def test_quality_comes_back(change_rate, precision, recall):
    pages = recrawl.Pages.from_quality(change_rate, 1.0, precision, recall)
    assert pages.precision.item() == pytest.approx(precision, rel=1e-12)
    assert pages.recall.item() == pytest.approx(recall, rel=1e-12)
    assert pages.change_rate.item() == pytest.approx(change_rate, rel=1e-12)


def test_scalars_broadcast():
    pages = recrawl.Pages(1.0, 0.0, 0.0, [1.0, 2.0, 3.0])
    assert len(pages) == 3
    assert pages.unsignalled_rate.tolist() == [1.0, 1.0, 1.0]
    assert all(column.dtype == np.float64 for column in pages.columns)


def test_columns_are_copies_and_read_only():
    given_rates = np.array([1.0, 2.0])
    pages = recrawl.Pages(given_rates, 0.0, 0.0, 1.0)
    given_rates[0] = 9.0
    assert pages.unsignalled_rate[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        pages.importance[0] = 2.0


@pytest.mark.parametrize("index", [1, -2, slice(1, 2), np.array([1]), np.array([False, True, False]), [1]])
def test_indexing_gives_pages(index):
    pages = recrawl.Pages([1.0, 2.0, 3.0], 0.0, 0.0, 1.0)
    assert pages[index].unsignalled_rate.tolist() == [2.0]


def test_index_out_of_range():
    with pytest.raises(IndexError, match="there are 1 pages"):
        recrawl.Pages(1.0, 0.0, 0.0, 1.0)[3]


@pytest.mark.parametrize("index", [None, (slice(None), None)])
def test_pages_have_one_dimension(index):
    with pytest.raises(IndexError, match="one dimension"):
        recrawl.Pages([1.0, 2.0], 0.0, 0.0, 1.0)[index]


def test_no_pages():
    pages = recrawl.Pages([], 0.0, 0.0, 1.0)
    assert len(pages) == 0
    assert recrawl.crawl_value(pages, 1.0).shape == (0,)


def test_no_signals_have_no_weight():
    pages = recrawl.Pages.from_rates(1.0, 1.0)
    assert (pages.signal_weight.item(), pages.signal_rate.item(), pages.precision.item()) == (0.0, 0.0, 0.0)


def test_no_false_signals_are_certain():
    assert recrawl.Pages.from_rates(1.0, 1.0, recall=0.5).signal_weight.item() == math.inf
    assert recrawl.Pages.from_quality(1.0, 1.0, precision=1.0, recall=0.5).signal_weight.item() == math.inf


def test_pages_that_never_change():
    pages = recrawl.Pages.from_rates(0.0, 1.0, recall=0.5, false_signal_rate=1.0)
    assert (pages.change_rate.item(), pages.recall.item()) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("build", "argument", "row", "message"),
    [
        (
            lambda: recrawl.Pages([1.0, -1.0], 0, 0, 1),
            "unsignalled_rate",
            1,
            "must be finite and >= 0, got -1.0 in row 1",
        ),
        (lambda: recrawl.Pages(1, [0, math.nan], 0, 1), "signal_weight", 1, "must be >= 0 .*, got nan in row 1"),
        (lambda: recrawl.Pages(1, 0, math.inf, 1), "signal_rate", 0, "must be finite and >= 0, got inf in row 0"),
        (lambda: recrawl.Pages(1, 0, 0, [1, 1, -2]), "importance", 2, "got -2.0 in row 2"),
        (
            lambda: recrawl.Pages([1, 2], 0, [1, 2, 3], 1),
            "unsignalled_rate",
            None,
            "as many rows as signal_rate, got 2 and 3",
        ),
        (lambda: recrawl.Pages("a", 0, 0, 1), "unsignalled_rate", None, "must be numbers"),
        (lambda: recrawl.Pages([[1.0]], 0, 0, 1), "unsignalled_rate", None, "one-dimensional"),
        (
            lambda: recrawl.Pages.from_rates(1, 1, recall=[0.1, 1.2, 3.0]),
            "recall",
            1,
            r"must be in \[0, 1\], got 1.2 in row 1 \(and 1 more rows\); if you meant a percentage, divide by 100",
        ),
        (lambda: recrawl.Pages.from_rates(math.nan, 1), "change_rate", 0, "got nan in row 0"),
        (lambda: recrawl.Pages.from_rates(1, 1, 0.5, -0.1), "false_signal_rate", 0, "got -0.1"),
        (lambda: recrawl.Pages.from_rates(1e308, 1, 1.0, 1e308), "false_signal_rate", 0, "signal rate overflows"),
        (lambda: recrawl.Pages(1e308, math.inf, 1e308, 1), "signal_rate", 0, "must be finite"),
        (lambda: recrawl.Pages.from_quality(1, 1, 0.0, 0.5), "precision", 0, "must be > 0 where recall > 0"),
        (lambda: recrawl.Pages.from_quality(1, 1, 1.5, 0.5), "precision", 0, r"must be in \[0, 1\], got 1.5"),
    ],
)
def test_bad_rows_are_refused(build, argument, row, message):
    with pytest.raises(recrawl.InputError, match=message) as caught:
        build()
    assert (caught.value.argument, caught.value.row) == (argument, row)


def test_repr_is_short():
    assert len(repr(recrawl.Pages(np.ones(10_000), 0.0, 0.0, 1.0))) < 400
