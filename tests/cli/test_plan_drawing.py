"""The drawn curve of `recrawl plan`, and its progress on a terminal."""

import io

import numpy as np
import pytest

from recrawl.cli.plan.drawing import draw
from recrawl.cli.progress import Progress
from recrawl.optimal.curve import Curve

RISING = Curve(
    rate=100.0,
    rates=np.geomspace(12.5, 800.0, 15),
    with_signals=np.linspace(0.3, 0.9, 15),
    without_signals=np.linspace(0.1, 0.8, 15),
)


@pytest.mark.parametrize("width", [10, 40, 80, 100, 300])
def test_drawing_fits_its_width(width):
    assert max(map(len, draw(RISING, width))) <= max(40, min(width, 100))


def test_drawing_can_do_with_ascii():
    assert "\n".join(draw(RISING, ascii_only=True)).isascii()


def test_drawing_labels_the_chosen_rate_and_the_ends():
    got = draw(RISING)[-1].split()
    assert got == ["12.5", "25", "50", "100", "200", "400", "800"]


def test_a_flat_curve_can_be_drawn():
    flat = Curve(1.0, np.geomspace(1 / 8, 8.0, 15), np.ones(15), np.ones(15))
    assert len(draw(flat)) == len(draw(RISING))


@pytest.mark.parametrize("level", [0.0, 2e-4, 1.0])
def test_a_flat_curve_stays_between_0_and_100_percent(level):
    flat = Curve(1.0, np.geomspace(1 / 8, 8.0, 15), np.full(15, level), np.full(15, level))
    got = {line.split()[0] for line in draw(flat, ascii_only=True) if "%" in line}
    assert got == {f"{level:.0%}"}


def test_progress_is_silent_off_a_terminal():
    stream = io.StringIO()
    with Progress(stream, delay_s=0.0) as progress:
        progress.stage("solving")
        progress.step(1, 0.5)
    assert stream.getvalue() == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_shows_the_stage_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = Progress(stream, delay_s=0.0)
    progress.stage("solving with signals")
    with progress:
        progress._timer.join()
    assert "solving with signals" in stream.getvalue()


def test_progress_of_a_quick_solve_stays_hidden(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    with Progress(stream, delay_s=60.0) as progress:
        progress.stage("solving")
    assert "solving" not in stream.getvalue()
