"""The longest call of a learner of many pages, each in batches of 100.

python docs/figures/longest_calls_table.py [PAGES [HOSTS [ROUNDS]]]
"""

import inspect
import sys
from collections.abc import Callable
from time import thread_time

import numpy as np

from recrawl.learn import Learner

BATCH = 100
SLICE = 1_000
"""Pages looked at in each `observe` while priors are learned anew."""
EVERY = 50
"""One in so many outcomes is followed by a call of each other kind."""


def main(pages: int = 1_000_000, hosts: int = 10_000, rounds: float = 0.6) -> None:
    """Print a row for each kind of call: how many, the median, and the longest three, in milliseconds of CPU time."""
    rng = np.random.default_rng(0)
    sliced = {"refresh_slice": SLICE} if "refresh_slice" in inspect.signature(Learner).parameters else {}
    warm = Learner(200, np.arange(200) % 5, now=0.0, **sliced)
    learner = Learner(pages, np.arange(pages) % hosts, now=0.0, **sliced)
    seconds: dict[str, list[float]] = {}

    def timed(name: str, call: Callable[..., object], *given: object, **named: object) -> None:
        begin = thread_time()
        call(*given, **named)
        seconds.setdefault(name, []).append(thread_time() - begin)

    def call_all(one: Learner, hosts: int, now: float, k: int) -> None:
        n = len(one)
        timed("signalled", one.signalled, rng.integers(0, n, BATCH), now)
        ids = np.unique(rng.integers(0, n, BATCH))
        timed("observe", one.observe, ids, None, None, rng.random(len(ids)) < 0.4, now, 0.3)
        timed("pages", one.pages, ids)
        if k % EVERY == 0:
            timed("add", one.add, BATCH, now, hosts=rng.integers(0, hosts, BATCH))
            timed("add, a new host", one.add, BATCH, now, hosts=np.full(BATCH, hosts + k // EVERY))
            timed("renew", one.renew, ids, now, rng.integers(0, hosts, len(ids)))

    for k in range(200):  # compiles
        call_all(warm, 5, 0.01 * (k + 1), k)
    seconds.clear()
    now, steps = 0.0, int(rounds * pages / BATCH)
    for k in range(steps):
        # Pages are crawled four times as often from half way on, so that types move.
        now += (1.0 if k < steps / 2 else 0.25) * BATCH / pages
        call_all(learner, hosts, now, k)
    for name, spent in seconds.items():
        worst = ", ".join(f"{1e3 * s:.2f}" for s in sorted(spent)[:-4:-1])
        sys.stdout.write(f"| `{name}` | {len(spent)} | {1e3 * np.median(spent):.3f} | {worst} |\n")


if __name__ == "__main__":
    main(*(float(x) if "." in x else int(x) for x in sys.argv[1:]))
