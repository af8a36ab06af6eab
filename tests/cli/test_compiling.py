"""What is said while kernels are loaded or compiled."""

import io
import json
import threading

import pytest

from recrawl.cli import compiling
from recrawl.cli.compiling import BEFORE, SLOW, load_kernels
from recrawl.crawler.view import LineView, view
from recrawl.frontier import warming


@pytest.fixture
def said(monkeypatch):
    """Lines that were said; kernels are ready when `warm_up` of the test ends."""
    monkeypatch.setattr(warming, "warm_up", lambda: None)
    return []


def test_that_kernels_are_compiled_is_said_before(said, monkeypatch):
    monkeypatch.setattr(warming, "is_compiled", lambda: False)
    monkeypatch.setattr(warming, "warm_up", lambda: said.append("compiled"))
    load_kernels(said.append, io.StringIO())
    assert said == [BEFORE, "compiled"]


def test_nothing_is_said_where_they_are_there(said, monkeypatch):
    monkeypatch.setattr(warming, "is_compiled", lambda: True)
    load_kernels(said.append, io.StringIO())
    assert said == []


def test_loading_that_takes_long_says_why(said, monkeypatch):
    told = threading.Event()
    monkeypatch.setattr(warming, "is_compiled", lambda: True)
    monkeypatch.setattr(warming, "warm_up", lambda: told.wait(60))
    monkeypatch.setattr(compiling, "PATIENCE_S", 0.01)
    load_kernels(lambda text: (said.append(text), told.set()), io.StringIO())
    assert said == [SLOW]


def test_on_a_terminal_it_is_shown_how_far_it_is(said, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    looked = threading.Event()
    monkeypatch.setattr(warming, "is_compiled", lambda: False)
    monkeypatch.setattr(warming, "compiled_share", lambda: looked.set() or 0.25)
    monkeypatch.setattr(warming, "warm_up", lambda: looked.wait(60))
    monkeypatch.setattr(compiling, "LOOK_S", 0.01)
    load_kernels(said.append, Terminal())
    assert looked.is_set()


def test_how_many_kernels_are_there():
    assert 0.0 <= warming.compiled_share() <= 1.0


def test_a_view_says_it_as_a_line_of_the_log():
    stream = io.StringIO()
    LineView(stream).say("compiling")
    assert stream.getvalue().endswith(" starting: compiling\n")


def test_or_as_json():
    stream = io.StringIO()
    view(stream, as_json=True).say("compiling")
    line = json.loads(stream.getvalue())
    assert (line["state"], line["reason"]) == ("starting", "compiling")
