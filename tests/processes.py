"""Real programs for tests: begun as from a terminal, waited for with a limit, and gone at the end, whatever happens."""

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

LIMIT_S = 300
"""For a first start, which compiles kernels, on a busy machine."""


@contextmanager
def started(argv: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A program in a process group of its own; when the block ends, the group is killed and the program reaped.

    An ignored SIGINT is inherited by programs and their workers (under nohup, or in the background of a shell): the
    default is restored, for otherwise nothing here could be interrupted.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", **options}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        program = subprocess.Popen(argv, start_new_session=True, **options)
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        yield program
    finally:
        _end(program)


def _end(program: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):  # all of the group have gone by themselves
        os.killpg(program.pid, signal.SIGKILL)
    program.wait(LIMIT_S)
    for stream in (program.stdin, program.stdout, program.stderr):
        if stream is not None:
            stream.close()


def finished(argv: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """`subprocess.run`, with all of the above."""
    with started(argv, **options) as program:
        out, err = program.communicate(timeout=LIMIT_S)
        return subprocess.CompletedProcess(argv, program.returncode, out, err)


def said(program: "subprocess.Popen[str]", pipe: Path, limit_s: float = LIMIT_S) -> str:
    """What the program writes into a named pipe; the test fails where the program ends or the time is up before."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _wait(program, [reader], [], f"has written nothing into {pipe.name}", limit_s)
        return os.read(reader, 4096).decode()
    finally:
        os.close(reader)


@contextmanager
def endless(pipe: Path, head: str, line: str) -> Iterator[int]:
    """A named pipe with more lines than fit into it, and no end, for a program to read: see `begun_reading`."""
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # also the reading end: opening must not wait for a reader
    try:
        os.write(writer, head.encode())
        try:
            while True:
                os.write(writer, line.encode() * 512)
        except BlockingIOError:
            yield writer
    finally:
        os.close(writer)


def begun_reading(program: "subprocess.Popen[str]", writer: int, limit_s: float = LIMIT_S) -> None:
    """Wait until the program has read from an `endless` pipe, which then has room again."""
    _wait(program, [], [writer], "has read nothing", limit_s)


def _wait(
    program: "subprocess.Popen[str]", readers: list[int], writers: list[int], complaint: str, limit_s: float
) -> None:
    alive = os.pidfd_open(program.pid)
    try:
        read, write, _ = select.select([*readers, alive], writers, [], limit_s)
    finally:
        os.close(alive)
    if set(read) & set(readers) or write:
        return
    if alive not in read:
        pytest.fail(f"the program {complaint} for {limit_s} s")
    _, err = program.communicate(timeout=LIMIT_S)
    pytest.fail(f"the program {complaint}, and ended with status {program.returncode}: {err}")
