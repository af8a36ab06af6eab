"""The learner in simulated worlds that are not as it expects them: beside who is told, equal intervals and itself.

python docs/figures/odd_worlds_table.py SEEDS [WORLD ...]
"""

import sys

import numpy as np

from recrawl.model import Pages
from recrawl.sim import Learning, simulate

PAGES, RATE = 500, 100.0
ROUND = PAGES / RATE
HOME = PAGES // 100
COLUMNS = ("learned", "told", "share of told, %", "- equal intervals", "- not curious")

WORLDS = {
    "alike, 2 rounds": 2.0,
    "alike, 10 rounds": 10.0,
    "alike, 50 rounds": 50.0,
    "home pages": 100.0,
    "home pages, signals": 100.0,
    "importance grows": 100.0,
    "importance grows, signals": 100.0,
    "most never change": 100.0,
    "most never change, signals": 100.0,
}
"""How many rounds each lasts."""


def pages_of(world: str, seed: int) -> Pages:
    """Three changes a round spread by .5; or .1 to 10, evenly in the logarithm.  Signals: precision .6, recall .5."""
    rng = np.random.default_rng([7, seed])
    importance = np.ones(PAGES)
    if world.startswith("alike"):
        rates = 3.0 * np.exp(0.5 * rng.standard_normal(PAGES) - 0.125)
    else:
        rates = np.exp(rng.uniform(np.log(0.1), np.log(10.0), PAGES))
    if world.startswith("home"):
        rates[:HOME], importance[:HOME] = 200.0, (PAGES - HOME) / HOME
    elif world.startswith("importance"):
        importance = rates**0.7
    elif world.startswith("most"):
        rates[rng.random(PAGES) < 0.8] = 0.0
    recall = 0.5 if world.endswith("signals") else 0.0
    return Pages.from_rates(rates / ROUND, importance, recall, rates / ROUND * recall * 2.0 / 3.0)


def row(world: str, seed: int) -> list[float]:
    """One world, in its last three quarters."""
    pages, horizon = pages_of(world, seed), WORLDS[world] * ROUND

    def fresh(policy: str, believed: Learning | None = None) -> float:
        run = simulate(pages, policy, RATE, horizon, seed=seed, warmup=horizon / 4.0, believed=believed)
        return run.freshness

    learned, told = fresh("greedy-ncis", Learning()), fresh("greedy-ncis")
    return [
        learned,
        told,
        100.0 * learned / told,
        learned - fresh("uniform"),
        learned - fresh("greedy-ncis", Learning(explore=0.0)),
    ]


def main(seeds: str, *worlds: str) -> None:
    """Print a line for each world: means and standard errors."""
    sys.stdout.write(f"| world | {' | '.join(COLUMNS)} |\n")
    for world in worlds or tuple(WORLDS):
        found = np.array([row(world, seed) for seed in range(int(seeds))])
        mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(found))
        cells = [f"{mean[0]:.4f}", f"{mean[1]:.4f}", f"{mean[2]:.2f} ± {error[2]:.2f}"]
        cells += [f"{mean[k]:+.4f} ± {error[k]:.4f}" for k in (3, 4)]
        sys.stdout.write(f"| {world} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
