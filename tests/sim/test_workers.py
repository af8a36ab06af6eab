"""Worker processes: when they are up, how many, and in which order their answers come."""

import multiprocessing
import os
import signal
import sys

import pytest

from recrawl.errors import InputError
from recrawl.sim.workers import available_workers, in_order, worker_pool

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs all start methods, and affinity to cores")


@linux
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_all_workers_are_up_when_the_pool_is_handed_out(method):
    # A worker that comes up later, after an interrupt has ended the caller, finds its locks gone and says so.
    before = set(multiprocessing.active_children())
    with worker_pool(2, method):
        assert len(set(multiprocessing.active_children()) - before) == 2
    assert set(multiprocessing.active_children()) == before


def takes_interrupts():
    return signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def test_workers_leave_interrupts_to_the_caller():
    with worker_pool(1) as pool:
        assert not pool.submit(takes_interrupts).result()


@linux
def test_no_more_workers_than_cores_this_process_may_use():
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert available_workers() == 1
        assert set(in_order(process, range(3))) == {os.getpid()}
    finally:
        os.sched_setaffinity(0, allowed)


def process(_):
    return os.getpid()


@pytest.mark.parametrize(("workers", "expected"), [(1, 1), (2, 3)])
def test_the_first_task_runs_here(workers, expected):
    got = list(in_order(process, range(40), workers))
    assert got[0] == os.getpid()
    assert len(set(got)) <= expected


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_in_the_order_of_the_tasks(workers):
    assert list(in_order(abs, [-3, 1, -2, 0], workers)) == [3, 1, 2, 0]


def test_no_tasks_are_no_answers():
    assert list(in_order(abs, [], 2)) == []


def test_no_workers_are_refused():
    with pytest.raises(InputError, match="workers must be at least 1, got 0"):
        list(in_order(abs, [1], 0))
