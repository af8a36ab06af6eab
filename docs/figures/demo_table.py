"""How near the demo is to the simulator, and how far above its rivals: the tables of docs/demo.md.

`python docs/figures/demo_table.py [seeds] [seconds]`: a demo for each seed, and its twin in the simulator.
"""
# ruff: noqa: T201

import os
import sys
import tempfile

import numpy as np

from recrawl.demo.course import run
from recrawl.demo.settings import AGENTS, NAMES, OURS, RIVALS, Settings
from recrawl.demo.twin import simulated, sitemap_moments
from recrawl.livingweb import World, demo


def measured(seed: int, seconds: float) -> list[float]:
    """True freshness of each crawler over HTTP, and that of ours by the simulator."""
    settings = Settings(seconds=seconds, seed=seed)
    past = settings.history()
    importance = settings.importance(past)
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.ndjson")
        result = run(settings, log=log)
        moments = sitemap_moments(log)
    world = World(demo(past), days=past.end, seed=seed, importance=importance)
    twin = simulated(past, importance, world, moments, result.ours.pages)
    return [*(result.row(agent).freshness for agent in AGENTS), twin.freshness]


def main(seeds: int = 5, seconds: float = 60.0) -> None:
    """Print both tables."""
    print(f"| seed | {' | '.join(NAMES[agent] for agent in AGENTS)} | recrawl, simulated | difference |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    for seed in range(seeds):
        row = measured(seed, seconds)
        rows.append(row)
        cells = " | ".join(f"{value:.4f}" for value in row)
        print(f"| {seed} | {cells} | {row[0] - row[-1]:+.4f} |", flush=True)
    found = np.array(rows)
    print("\n| rival | recrawl is above it by | spread over seeds (sd) | times the spread |\n|---|---|---|---|")
    for rival in RIVALS:
        ahead = found[:, AGENTS.index(OURS)] - found[:, AGENTS.index(rival)]
        sd = ahead.std(ddof=1)
        print(f"| {NAMES[rival]} | {ahead.mean():.4f} | {sd:.4f} | {ahead.mean() / sd:.0f} |")
    print(f"\nfarthest from the simulator: {np.abs(found[:, 0] - found[:, -1]).max():.4f}")


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, float), sys.argv[1:], strict=False)))
