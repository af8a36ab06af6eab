"""What the tests of real programs rely on."""

import os
import signal
import subprocess
import sys

import pytest

from tests.processes import begun_reading, endless, finished, said, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs process groups, named pipes and pidfd")

SHOW_SIGINT = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"


def test_sigint_works_in_programs_of_a_caller_that_ignores_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        got = finished([sys.executable, "-c", SHOW_SIGINT]).stdout
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert got == "True\n"


def test_a_program_that_dies_before_it_speaks_fails_the_test(tmp_path):
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    with (
        started([sys.executable, "-c", "raise SystemExit('no')"]) as program,
        pytest.raises(pytest.fail.Exception, match="has written nothing into begun, and ended with status 1: no"),
    ):
        said(program, pipe)


def test_a_program_that_is_silent_for_too_long_fails_the_test(tmp_path):
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    with (
        started([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program,
        pytest.raises(pytest.fail.Exception, match=r"has written nothing into begun for 0\.01 s"),
    ):
        said(program, pipe, limit_s=0.01)


def test_a_program_that_dies_before_it_reads_fails_the_test(tmp_path):
    with (
        endless(tmp_path / "pipe", "a\n", "1\n") as writer,
        started([sys.executable, "-c", "raise SystemExit('no')"]) as program,
        pytest.raises(pytest.fail.Exception, match="has read nothing, and ended with status 1: no"),
    ):
        begun_reading(program, writer)


def test_children_of_a_program_end_with_the_block(tmp_path):
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    code = f"import os; os.fork(); open({str(pipe)!r}, 'w').write('begun'); input()"
    with started([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        said(program, pipe)
        held = os.dup(program.stdout.fileno())
    with open(held, "rb") as stdout:
        assert stdout.read() == b""  # ends when the last process that could write has
