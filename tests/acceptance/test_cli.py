"""The installed command in a real process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = str(Path(sys.executable).with_name("recrawl"))


def recrawl(*argv, **options):
    options = {"capture_output": True, "encoding": "utf-8", "timeout": 300, **options}
    return subprocess.run([COMMAND, *argv], check=False, **options)


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
    program = subprocess.Popen([COMMAND, "plan", "--example"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.stdout.close()
    with program.stderr as stderr:
        assert stderr.read() == b""
    assert program.wait(timeout=300) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("argv", [["plan", "--example", "--no-curve"], ["--version"], ["plan", "--help"]])
def test_a_full_disk_is_one_line_on_stderr(argv):
    # argparse swallows what an unbuffered write raises.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = recrawl(*argv, capture_output=False, stdout=full, stderr=subprocess.PIPE, env=buffered)
    expected = (1, "recrawl: error: cannot write to stdout: No space left on device\n")
    assert (done.returncode, done.stderr) == expected


@pytest.mark.skipif(os.name != "posix", reason="signals are a POSIX matter")
def test_interrupt_leaves_no_traceback(tmp_path):
    # Reading from a pipe nobody has written to yet blocks, so the signal arrives while the command works.
    pipe = tmp_path / "pages.csv"
    os.mkfifo(pipe)
    program = subprocess.Popen([COMMAND, "plan", str(pipe), "--rate", "1"], stderr=subprocess.PIPE)
    with open(pipe, "wb"):  # returns once the command has opened its end
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=300)
    assert (program.returncode, err) == (130, b"recrawl: interrupted\n")


def test_module_and_script_are_the_same():
    module = subprocess.run(
        [sys.executable, "-m", "recrawl", "--version"], capture_output=True, text=True, check=True, timeout=300
    )
    assert module.stdout == recrawl("--version").stdout
