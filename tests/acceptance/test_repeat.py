"""Repetitions in real processes."""

import os
import signal
import sys

import pytest

from tests.processes import LIMIT_S, said, started

PROGRAM = """
import sys, time
from recrawl.sim import repeat

def experiment(seed):
    if seed == 1:  # the other worker soon has nothing left to do, and waits
        with open(sys.argv[1], "w") as pipe:
            pipe.write("begun")
        time.sleep(600)

try:
    repeat(experiment, 3, workers=2)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs process groups, named pipes and pidfd")
def test_an_interrupt_ends_all_workers_without_a_word(tmp_path):
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    with started([sys.executable, "-c", PROGRAM, str(pipe)]) as program:
        assert said(program, pipe) == "begun"  # a worker is at work
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=LIMIT_S)
    assert (out, err) == ("interrupted\n", "")


KILLED = """
import os, sys, time
from recrawl.paper.trials.parallel import each
from recrawl.paper.settings import Settings
from recrawl.sim import repeat

def work(seed):
    if seed == 0:
        return
    if seed == 1:  # one word is enough: nobody reads a second
        with open(sys.argv[1], "w") as pipe:
            pipe.write("begun")
    time.sleep(600)

if __name__ == "__main__":
    if sys.argv[2] == "repeat":
        repeat(work, 3, workers=2)
    else:
        each(work, [1, 2], Settings(workers=2))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs process groups, named pipes and pidfd")
@pytest.mark.parametrize("how", ["repeat", "each"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=["TERM", "KILL", "INT"])
def test_a_signal_to_the_caller_alone_leaves_no_worker_behind(tmp_path, how, number):
    pipe, program = tmp_path / "begun", tmp_path / "program.py"
    os.mkfifo(pipe)
    program.write_text(KILLED)
    with started([sys.executable, str(program), str(pipe), how]) as caller:
        assert said(caller, pipe) == "begun"  # a worker is at work
        os.kill(caller.pid, number)
        # Workers hold the other end of stdout: it ends when the last of them has.
        assert caller.communicate(timeout=LIMIT_S)[0] == ""
    assert caller.returncode != 0
