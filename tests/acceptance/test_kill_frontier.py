"""kill -9 at random moments under load: nothing acknowledged is lost, and the state equals that of a twin never killed.

`RECRAWL_KILLS=200 python -m pytest tests/acceptance/test_kill_frontier.py` for the full run.
"""

import importlib.util
import json
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from recrawl.frontier import warm_up
from recrawl.store import MemoryStore, SqliteStore
from tests.processes import LIMIT_S, started

KILLS = int(os.environ.get("RECRAWL_KILLS", "5"))
PROGRAM = Path(__file__).with_name("frontier_load.py")


def loaded():
    spec = importlib.util.spec_from_file_location("frontier_load", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def killed(folder, step, known, delay):
    """Let the program go on with `step` and kill it `delay` seconds after its first answer; what it said."""
    with started([sys.executable, str(PROGRAM), str(folder), str(step), json.dumps(known)]) as program:
        guard = threading.Timer(LIMIT_S, program.kill)
        guard.start()
        said = [program.stdout.readline(), program.stdout.readline()]  # it is open, and has answered
        threading.Timer(delay, program.kill).start()
        said += program.stdout.readlines()  # ends with the program
        guard.cancel()
        errors = program.stderr.read()
    assert said[0], errors
    whole = [json.loads(line) for line in said if line.endswith("\n")]
    assert "Traceback" not in errors, errors
    return whole


def test_nothing_acknowledged_is_lost_and_the_state_is_that_of_a_twin_never_killed(tmp_path, monkeypatch):
    load = loaded()
    warm_up()  # or the first programs would do nothing but compile
    monkeypatch.setattr(load.journaled, "LONG_JOURNAL", load.journaled.LONG_JOURNAL)
    monkeypatch.setattr(load.snapshot, "SLICE", load.snapshot.SLICE)
    rng = np.random.default_rng(11)
    told: dict[tuple[int, str], object] = {}
    step = 0
    for _ in range(KILLS):
        known = {name: told[step, name] for name in load.CALLS if (step, name) in told}
        for name, at, answer in killed(tmp_path / "data", step, known, float(rng.uniform(0.0, 0.6))):
            if name != "opened":
                told[at, name] = answer
        step = max((at for at, name in told if name == load.CALLS[-1]), default=-1) + 1
    assert step > 2 * KILLS, "the program hardly got to work"

    twin, clock = load.opened(MemoryStore(), 0)
    expected: dict[tuple[int, str], object] = {}
    for at in range(step):
        load.work(twin, clock, at, lambda name, answer: expected.setdefault((at, name), answer))  # noqa: B023
    got = {key: answer for key, answer in told.items() if key[0] < step}
    assert got == {key: json.loads(json.dumps(answer)) for key, answer in expected.items()}
    never_two_at_once(got, load)

    store = SqliteStore(tmp_path / "data")
    known = {name: told[step, name] for name in load.CALLS if (step, name) in told}
    survivor, after = load.opened(store, step if known else step - 1)
    for at in range(step, step + 40):
        rest = load.work(survivor, after, at, lambda *_: None, known if at == step else None)
        whole = load.work(twin, clock, at, lambda *_: None)
        assert json.loads(json.dumps(rest)) == json.loads(json.dumps(whole))
    assert load.view(survivor) == load.view(twin)
    survivor.close()


def never_two_at_once(told, load):
    """Between a lease and its answer, or its expiry, nobody else gets the page."""
    held: dict[str, float] = {}
    tokens: dict[int, str] = {}
    for step, name in sorted(told, key=lambda key: (key[0], load.CALLS.index(key[1]))):
        now, answer = load.moment(step), told[step, name]
        if name == "lease":
            for url, token in zip(answer["urls"], answer["tokens"], strict=True):
                assert held.get(url, now) <= now, f"{url} was leased twice at once, at step {step}"
                held[url], tokens[token] = now + load.SETTINGS["lease"], url
        elif name == "complete" and answer is not None:
            for token in load.answered(told[step, "lease"]["tokens"]):
                held.pop(tokens[token], None)
        elif name == "also" and step % 7 == 0:  # forgotten pages may be added and leased again
            held.pop(load.some_urls(step, name)[0], None)


if __name__ == "__main__":
    pytest.main([__file__, "-q"])
