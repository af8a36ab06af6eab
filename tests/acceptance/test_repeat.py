"""Repetitions in real processes."""

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
from recrawl.sim import repeat

def experiment(seed):
    if seed == 1:  # the other worker soon has nothing left to do, and waits
        with open(sys.argv[1], "w") as pipe:
            pipe.write("begun")
        time.sleep(600)

try:
    repeat(experiment, 3, cores=2)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a process group and a named pipe")
def test_an_interrupt_ends_all_workers_without_a_word(tmp_path):
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert pipe.read_text()  # returns once a worker is at work
    os.killpg(program.pid, signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (out, err) == ("interrupted\n", "")
