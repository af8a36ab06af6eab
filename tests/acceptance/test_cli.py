"""The installed command in a real process."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.processes import LIMIT_S, begun_reading, endless, finished, started

COMMAND = str(Path(sys.executable).with_name("recrawl"))


def recrawl(*argv, **options):
    return finished([COMMAND, *argv], **options)


def test_plan_example_runs_and_draws():
    done = recrawl("plan", "--example")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The signals save" in done.stdout


def test_plan_of_a_file_writes_the_plan(tmp_path):
    (tmp_path / "pages.csv").write_text("url,change_rate,recall\na,1,0.5\nb,2,0.9\n", encoding="utf-8")
    done = recrawl("plan", "pages.csv", "--rate", "1", "--json", "--out", "plan.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["pages"] == 2
    assert (tmp_path / "plan.csv").read_text(encoding="utf-8").startswith("url,rate,interval,threshold,freshness\na,")


def test_an_error_is_one_line_on_stderr(tmp_path):
    (tmp_path / "pages.csv").write_text("change_rate\n1\nmany\n", encoding="utf-8")
    done = recrawl("plan", "pages.csv", "--rate", "1", cwd=tmp_path)
    expected = (2, "", "recrawl: error: pages.csv:3: change_rate must be a number, got 'many'\n")
    assert (done.returncode, done.stdout, done.stderr) == expected


def test_a_terminal_without_unicode_gets_ascii():
    done = recrawl("plan", "--example", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_a_reader_that_leaves_early_is_no_error():
    with started([COMMAND, "plan", "--example"]) as program:
        program.stdout.close()
        program.stdout = None  # communicate() would read it
        _, err = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, err) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("argv", [["plan", "--example", "--no-curve"], ["--version"], ["plan", "--help"]])
def test_a_full_disk_is_one_line_on_stderr(argv):
    # argparse swallows what an unbuffered write raises.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = recrawl(*argv, stdout=full, env=buffered)
    expected = (1, "recrawl: error: cannot write to stdout: No space left on device\n")
    assert (done.returncode, done.stderr) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="needs process groups, named pipes and pidfd")
def test_interrupt_leaves_no_traceback(tmp_path):
    # A file without an end: the signal arrives while the command reads, or waits for more.
    with (
        endless(tmp_path / "pages.csv", "change_rate\n", "1.5\n") as writer,
        started([COMMAND, "plan", str(tmp_path / "pages.csv"), "--rate", "1"]) as program,
    ):
        begun_reading(program, writer)
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=LIMIT_S)
    assert (program.returncode, err) == (130, "recrawl: interrupted\n")


def test_module_and_script_are_the_same():
    module = finished([sys.executable, "-m", "recrawl", "--version"])
    assert module.stdout == recrawl("--version").stdout != ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_reason_to_fail(closed):
    done = finished(["sh", "-c", f"{COMMAND} plan --example --no-curve {closed}"])
    assert (done.returncode, "Traceback" in str(done.stderr)) == (0, False)
