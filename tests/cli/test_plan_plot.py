"""The labels of the curve can be read, whatever the rate."""

from itertools import pairwise

import numpy as np
import pytest

from recrawl.cli.plan import plot
from recrawl.optimal.curve import SPAN, Curve


@pytest.fixture
def drawn(monkeypatch):
    """Draws a curve around a rate; its axes."""
    pytest.importorskip("matplotlib")
    kept = []
    monkeypatch.setattr(plot.picture, "save", lambda path, figure: kept.append(figure))

    def draw(rate, low=0.1, high=0.9):
        values = np.linspace(low, high, 15)
        rates = rate * np.geomspace(1 / SPAN, SPAN, 15)
        plot.save("curve.png", Curve(rate=rate, rates=rates, without_signals=values - 0.01, with_signals=values))
        figure = kept.pop()
        figure.draw_without_rendering()
        return figure.axes[0]

    return draw


@pytest.mark.parametrize("rate", [0.0012345678, 100.0, 5_000.0, 123_456.0, 123_456_789.0, 1e14])
def test_labels_of_rates_do_not_touch(rate, drawn):
    boxes = [label.get_window_extent() for label in drawn(rate).get_xticklabels() if label.get_text()]
    assert len(boxes) >= 3
    assert [(a.x1, b.x0) for a, b in pairwise(boxes) if a.x1 >= b.x0] == []


def test_percentages_have_no_zeros_that_say_nothing(drawn):
    labels = [label.get_text() for label in drawn(6_000.0, 0.785, 0.998).get_yticklabels()]
    assert "90%" in labels
    assert [label for label in labels if label.endswith(".0%")] == []
