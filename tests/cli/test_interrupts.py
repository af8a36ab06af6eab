import os
import signal
import sys
import weakref

import pytest

from recrawl.cli.interrupts import interruptible
from recrawl.cli.main import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are a POSIX matter")


@pytest.fixture(autouse=True)
def _interrupts_are_heard():
    """They are not where the tests run in the background of a shell, and then these would wait for ever."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Page:
    """Something a weak reference can point to."""


def interrupt_me(*_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):  # a signal is noticed between two steps of Python
        pass


def interrupted_where_python_drops_it():
    page = Page()
    reference = weakref.ref(page, interrupt_me)
    del page
    assert reference() is None
    signal.pause()  # until the interrupt comes again


def test_an_interrupt_that_python_drops_comes_again_and_nothing_is_said(capsys):
    with pytest.raises(KeyboardInterrupt), interruptible():
        interrupted_where_python_drops_it()
    assert capsys.readouterr().err == ""


def test_an_error_that_an_interrupt_turned_into_is_an_interrupt():
    def load():
        try:
            interrupt_me()
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    with pytest.raises(KeyboardInterrupt), interruptible():
        load()


def test_other_errors_stay_what_they_are():
    with pytest.raises(ImportError), interruptible():
        raise ImportError


def test_cleaning_up_is_not_interrupted_again(monkeypatch):
    monkeypatch.setattr("recrawl.cli.interrupts.AGAIN_S", 0.001)
    cleaned = []

    def work():
        try:
            interrupt_me()
        finally:
            for _ in range(20):  # an alarm each
                signal.sigtimedwait([], 0.002)
            cleaned.append(True)

    with pytest.raises(KeyboardInterrupt), interruptible():
        work()
    assert cleaned == [True]


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM), sys.unraisablehook
    with interruptible():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM), sys.unraisablehook) == before


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), "not enough memory: try fewer pages or workers"),
        (MemoryError("Unable to allocate 3 GiB"), "not enough memory: Unable to allocate 3 GiB"),
    ],
)
def test_lack_of_memory_is_one_line(error, expected, monkeypatch, capsys):
    def fail(_):
        raise error

    monkeypatch.setattr("recrawl.cli.main._run", fail)
    assert main([]) == 1
    assert capsys.readouterr().err == f"recrawl: error: {expected}\n"
