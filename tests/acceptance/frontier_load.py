"""Work for a frontier on disk, step by step, the same whenever it is run: what the test of kills does and repeats.

A program that works through it says each answer as soon as it has it, and can be killed at any moment: the next one
goes on with the first call that nobody was told the answer of.  Calls have keys, so that one that had been written
down, but not answered, is not done twice.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier, journaled, snapshot
from recrawl.store import SqliteStore

PAGES, HOSTS = 400, 20
START, STEP = 1.7e9, 0.05
CALLS = ("signal", "lease", "complete", "also")
SETTINGS = {"rate": 100.0, "lease": 2.0, "gap": 0.05, "max_in_flight": 4, "discovery": 0.3}


def urls() -> list[str]:
    return [f"https://host{k % HOSTS}.example/{k}" for k in range(PAGES)]


def moment(step: int) -> float:
    return START + STEP * step


def opened(store, step: int) -> tuple[Frontier, ManualClock]:
    """The frontier as it is after that step; no time has passed since."""
    journaled.LONG_JOURNAL = 40_000  # snapshots all the time
    snapshot.SLICE = 32
    clock = ManualClock(moment(step))
    settings = SETTINGS if store.last == 0 else {}
    return Frontier(store=store, clock=clock, **settings), clock


def call(f: Frontier, name: str, step: int, before: dict) -> object:
    """One call of a step; `before` has the answers to the step's earlier calls."""
    rng = np.random.default_rng((step, CALLS.index(name)))
    key = f"{step}-{name}"
    some = some_urls(step, name)
    if name == "signal":
        if step == 0:
            return asdict(f.add(urls(), every=30.0, key=key))
        happened = [None, None, None, *(moment(step) - rng.exponential(1.0, 3)).tolist()]
        answer = f.signal(some, ("sitemap", "feed")[step % 2], happened, key=key)
        return [answer.heard, answer.old, answer.repeated]
    if name == "lease":
        batch = f.lease(8, key=key)
        return {"urls": list(batch.urls), "tokens": list(batch.tokens)}
    if name == "complete":
        return _complete(f, before["lease"], step, rng, key)
    if step % 7 == 0:
        return {"forgotten": f.forget(some[0], key=key)}
    if step % 5 == 0:
        return asdict(f.add(some, importance=rng.random(6) + 0.5, key=key))
    return f.request(some, rng.integers(0, 5, 6), key=key).counted  # which URLs were unknown is said once, and not kept


def some_urls(step: int, name: str) -> list[str]:
    """The pages that a call is about."""
    chosen = np.random.default_rng((step, CALLS.index(name), 1)).integers(0, PAGES, 6)
    return [urls()[k] for k in chosen.tolist()]


def answered(tokens: list[int]) -> list[int]:
    """The leases that are answered for; the others expire."""
    return [token for token in tokens if token % 10]


def _complete(f: Frontier, leased: dict, step: int, rng, key: str) -> object:
    tokens = answered(leased["tokens"])
    if not tokens:
        return None
    status = rng.choice([200, 200, 200, 200, 304, 404, 500], len(tokens)).tolist()
    digest = [str(int(moment(step) / (1 + token % 9))) for token in tokens]
    answer = asdict(f.complete(tokens, status=status, digest=digest, validators={"etag": str(step)}, key=key))
    del answer["each"], answer["repeated"]
    return answer


def work(f: Frontier, clock: ManualClock, step: int, told, known: dict | None = None) -> dict:
    """All calls of a step but those whose answers are known; `told(name, answer)` is called after each."""
    clock.advance(max(moment(step) - f._time.now(), 0.0))  # it is ahead of our clock where a call went unanswered
    answers = dict(known or {})
    for name in CALLS[len(answers) :]:
        answers[name] = call(f, name, step, answers)
        told(name, answers[name])
    return answers


def view(f: Frontier) -> list:
    """All that can be seen of a frontier, and what it does next."""
    pages = [f.page(url) for url in urls()]
    rest = [f.freshness(), f.sources(), f.hosts(), sorted(f.statistics.items())]
    return [None if page is None else asdict(page) for page in pages] + [repr(part) for part in rest]


def main(folder: str, step: int, known: dict) -> None:
    """Go on with `step`, of which some answers are known, and say each answer, until killed."""
    f, clock = opened(SqliteStore(Path(folder)), step if known else max(step - 1, 0))
    print(json.dumps(["opened", step, f.notes]), flush=True)
    while True:
        work(f, clock, step, lambda name, answer: print(json.dumps([name, step, answer]), flush=True), known)  # noqa: B023
        step, known = step + 1, {}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))
