"""A frontier whose kernels Python runs itself, as at the first start on a machine."""

import os
import subprocess
import sys
import textwrap

import pytest

from recrawl.errors import InUseError
from recrawl.frontier import Frontier, warming
from recrawl.frontier.warming import ABANDONED

COURSE = """
    from recrawl._jit import interpreting
    from recrawl.clock import ManualClock
    from recrawl.frontier import Frontier


    def course(pages, turns):
        clock = ManualClock(1e9)
        f = Frontier(clock=clock, rate=2.0, gap=0.5, max_in_flight=3, refresh_slice=7)
        urls = [f"https://h{k % 5}.example/{k}" for k in range(pages)]
        f.add(urls, importance=[1.0 + k % 4 for k in range(pages)], every=[60.0 + 40.0 * k for k in range(pages)])
        f.add(urls[:2], max_age=30.0)
        seen = []
        for turn in range(turns):
            clock.advance(4.0)
            batch = f.lease(6)
            status = [(200, 200, 304, 500, 404)[(turn + k) % 5] for k in range(len(batch))]
            digest = [str((turn + k) // 3) for k in range(len(batch))]
            f.complete(batch.tokens, status=status, digest=digest)
            f.signal(urls[turn % 7 :: 9], "feed", happened=[clock.wall() - 3.0] * len(urls[turn % 7 :: 9]))
            f.signal(urls[turn % 5 :: 11], "sitemap")
            seen += batch.urls
        f.forget(urls[:3])
        f.request(urls[4:9], 2)
        views = [f.page(url) for url in urls[4:]]
        numbers = [(v.change_rate, v.change_rate_error, v.precision, v.fresh, v.value, v.importance) for v in views]
        return seen, [(f.freshness().mean,) * 6, *numbers]
"""


def ran(code, **environment):
    """What a Python of its own prints."""
    whole = textwrap.dedent(COURSE) + textwrap.dedent(code)
    environment = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", whole], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_interpreted_kernels_decide_as_compiled_ones_and_learn_the_same():
    code = """
        import numpy as np

        interpreting.interpret()
        seen, numbers = course(40, 60)
        interpreting.compiled()
        fast_seen, fast_numbers = course(40, 60)
        print(seen == fast_seen, len(seen) > 100, len(set(seen)) == 40)
        print(np.allclose(numbers, fast_numbers, rtol=1e-6, atol=0.0, equal_nan=True), len(numbers))
    """
    assert ran(code) == ["True", "True", "True", "True", "37"]


def test_kernels_may_be_compiled_while_interpreted_ones_are_under_way():
    code = """
        from recrawl.engine.core import pick

        interpreting.interpret()
        calls, first = [], pick._best_seen.py_func

        def switching(*arguments):  # in the middle of a decision, kernels above and below it under way
            calls.append(1)
            if len(calls) == 20:
                interpreting.compiled()
            return first(*arguments)

        pick._best_seen.py_func = switching
        seen, _ = course(40, 60)
        pick._best_seen.py_func = first
        print(seen == course(40, 60)[0], len(calls) >= 20)
    """
    assert ran(code) == ["True", "True"]


def test_where_nothing_is_compiled_a_frontier_starts_at_once_and_waits_only_with_many_pages(tmp_path):
    helper = tmp_path / "helper"  # does nothing, as long as its input is open
    helper.write_text("#!/bin/sh\nexec cat\n")
    helper.chmod(0o755)
    code = f"""
        import sys, threading
        from recrawl.frontier import start_at_once

        sys.executable = {str(helper)!r}
        start_at_once()
        seen, _ = course(10, 3)  # with kernels that nobody compiles
        print(len(seen) > 5, not interpreting._off.is_set())
        many = threading.Thread(target=interpreting.wait_if_many, args=(interpreting.MANY + 1,), daemon=True)
        many.start()
        interpreting.wait_if_many(interpreting.MANY)
        many.join(0.5)
        print(many.is_alive())
        interpreting.compiled()
        many.join(10)
        print(many.is_alive())
    """
    assert ran(code, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == ["True", "True", "True", "False"]


def test_a_folder_with_little_to_read_is_not_waited_for(tmp_path, monkeypatch):
    with Frontier.open(tmp_path / "f") as f:
        f.add([f"https://a.example/{k}" for k in range(20)])
        with pytest.raises(InUseError):
            warming._holds_much(tmp_path / "f")
    assert not warming._holds_much(tmp_path / "f")
    monkeypatch.setattr(warming, "MUCH_SNAPSHOT", 1_000)
    assert warming._holds_much(tmp_path / "f")


def test_a_long_journal_is(tmp_path, monkeypatch):
    f = Frontier.open(tmp_path / "f")
    f.add([f"https://a.example/{k}" for k in range(20)])
    f._store.close()  # killed: there is no snapshot
    assert not warming._holds_much(tmp_path / "f")
    monkeypatch.setattr(warming, "MUCH_JOURNAL", 19)
    assert warming._holds_much(tmp_path / "f")


def test_what_cannot_be_read_is_left_to_who_opens_it(tmp_path):
    assert warming._holds_much(tmp_path)


def helper(cache):
    """A process that compiles along."""
    return subprocess.Popen(
        [sys.executable, "-m", "recrawl.frontier.warming", "_decide_and_learn"],
        stdin=subprocess.PIPE,
        env={**os.environ, **cache},
    )


def test_who_compiles_along_ends_with_who_asked_for_it(tmp_path):
    with helper({"NUMBA_CACHE_DIR": str(tmp_path)}) as program:
        while not any(tmp_path.rglob("*.nbi")):  # it is at work
            assert program.poll() is None
        program.stdin.close()
        assert program.wait(60) == ABANDONED


def test_who_has_compiled_everything_says_so():
    with helper({}) as program:
        assert program.wait(300) == 0
