"""Worlds in which folders mean something else than that their pages change together: what knowing folders costs.

    python docs/figures/misleading_folders_table.py [SEEDS]     (8; a few minutes)

300 pages in folders of 10, a crawl of each a unit of time (a round).  Each line is a world: freshness of the learner
with folders, less the same learner without, less equal intervals, in units of 1e-4; mean and standard error over seeds.

ends        folders are edited as a whole for 50 rounds, and then their pages change alone, at the same rates: rounds 50
            to 60, 60 to 75 and 75 to 100.  Once with 10 hosts and no signals, once without hosts and with fair signals
translated  pages of a folder are edited one after the other, a tenth of a round apart (also with 3 crawls a round)
follows     the same half a round apart
swap        a page of weight 20 in each folder changes only while the others do not; no signals, and fair ones
all         all pages of the site change at the same moments, .2 times a unit of time; 1, 3 and 9 crawls of each
"""

import sys
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from recrawl.histories import History
from recrawl.histories.signals import Quality, draw
from recrawl.sim import Learning, simulate
from recrawl.sim.histories import true_pages, world_of

PAGES, SIZE, HOST = 300, 10, 30
FOLDERS = np.arange(PAGES) // SIZE
FAIR = Quality(0.6, 0.5, 0.0)
Changes = tuple[np.ndarray, np.ndarray]
World = Callable[[np.random.Generator, float], Iterator[Changes]]


def gathered(parts: list[Changes]) -> Changes:
    """Changes of all folders."""
    return np.concatenate([pages for pages, _ in parts]), np.concatenate([times for _, times in parts])


def alone(rng: np.random.Generator, members: np.ndarray, rate: float, begin: float, end: float) -> Changes:
    """Each page by itself."""
    pages = np.repeat(members, rng.poisson(rate * (end - begin), len(members)))
    return pages, rng.uniform(begin, end, len(pages))


def in_turn(rng: np.random.Generator, members: np.ndarray, rate: float, end: float, gap: float) -> Changes:
    """Edits of the whole folder, which take so long from page to page."""
    starts = rng.uniform(0.0, end, rng.poisson(rate * end))
    return np.tile(members, len(starts)), (starts[:, None] + gap * np.arange(len(members))).ravel()


def ends(rng: np.random.Generator, end: float) -> Iterator[Changes]:
    """Together until half time."""
    for members in np.split(np.arange(PAGES), PAGES // SIZE):
        rate = float(np.exp(rng.uniform(np.log(0.1), np.log(2.0))))
        yield in_turn(rng, members, rate, end / 2.0, 0.0)
        yield alone(rng, members, rate, end / 2.0, end)


def one_by_one(gap: float) -> World:
    """Edits that go from page to page."""

    def changes(rng: np.random.Generator, end: float) -> Iterator[Changes]:
        for members in np.split(np.arange(PAGES), PAGES // SIZE):
            yield in_turn(rng, members, 0.4, end, gap)

    return changes


def everywhere(rng: np.random.Generator, end: float) -> Iterator[Changes]:
    """The whole site at once."""
    yield in_turn(rng, np.arange(PAGES), 0.2, end, 0.0)


def swap(rng: np.random.Generator, end: float) -> Iterator[Changes]:
    """The first page while the others rest."""
    for members in np.split(np.arange(PAGES), PAGES // SIZE):
        time, busy = 0.0, rng.random() < 0.5
        while time < end:
            until = min(time + rng.exponential(3.0), end)
            yield alone(rng, members[1:] if busy else members[:1], 1.0, time, until)
            time, busy = until, not busy


def run(world: World, seed: int, end: float, crawls: float, fair: bool, hosts: bool, cuts: tuple[float, ...]) -> list:
    """Freshness between these times with folders, without, and with equal intervals."""
    rng = np.random.default_rng([seed, 3])
    pages, times = gathered(list(world(rng, end)))
    kept = (times > 0.0) & (times <= end)
    order = np.argsort(times[kept], kind="stable")
    names, always = tuple(map(str, range(PAGES))), np.full(PAGES, np.inf)
    history = History("h", names, np.zeros(PAGES), always, pages[kept][order], times[kept][order], end)
    heard = draw(history, FAIR, np.random.default_rng([seed, 4])) if fair else None
    weights = np.ones(PAGES)
    weights[::SIZE] = 20.0 if world is swap else 1.0
    told, where = true_pages(history, weights, FAIR if fair else None), world_of(history, heard)
    by_host = np.arange(PAGES) // HOST if hosts else None
    found = []
    for policy, believed in (
        ("greedy-ncis", Learning(hosts=by_host, folders=FOLDERS)),
        ("greedy-ncis", Learning(hosts=by_host)),
        ("uniform", None),
    ):
        fresh = [
            (end - cut) * simulate(told, policy, PAGES * crawls, world=where, warmup=cut, believed=believed).freshness
            for cut in cuts[:-1]
        ]
        lengths = np.diff(cuts)
        found.append([(a - b) / length for (a, b), length in zip(pairwise([*fresh, 0.0]), lengths, strict=True)])
    return found


def main(seeds: int = 8) -> None:
    """Print a line for each world and time."""
    for name, world, end, crawls, fair, hosts, cuts in (
        ("ends, 10 hosts, no signals", ends, 100.0, 1.0, False, True, (50.0, 60.0, 75.0, 100.0)),
        ("ends, fair signals", ends, 100.0, 1.0, True, False, (50.0, 60.0, 75.0, 100.0)),
        ("translated", one_by_one(0.1), 40.0, 1.0, False, False, (10.0, 40.0)),
        ("translated, 3 crawls a round", one_by_one(0.1), 40.0, 3.0, False, False, (10.0, 40.0)),
        ("follows", one_by_one(0.5), 40.0, 1.0, False, False, (10.0, 40.0)),
        ("swap, no signals", swap, 40.0, 1.0, False, False, (10.0, 40.0)),
        ("swap, fair signals", swap, 40.0, 1.0, True, False, (10.0, 40.0)),
        ("all", everywhere, 40.0, 1.0, False, False, (10.0, 40.0)),
        ("all, 3 crawls a round", everywhere, 40.0, 3.0, False, False, (10.0, 40.0)),
        ("all, 9 crawls a round", everywhere, 40.0, 9.0, False, False, (10.0, 40.0)),
    ):
        found = 1e4 * np.array([run(world, seed, end, crawls, fair, hosts, cuts) for seed in range(seeds)])
        for k, (begin, until) in enumerate(pairwise(cuts)):
            cells = [
                f"{mean:+.0f} ± {spread / np.sqrt(seeds):.0f}"
                for gap in (found[:, 0, k] - found[:, 1, k], found[:, 0, k] - found[:, 2, k])
                for mean, spread in [(gap.mean(), gap.std(ddof=1))]
            ]
            sys.stdout.write(
                f"{name}, {begin:.0f} to {until:.0f} | {found[:, 0, k].mean() / 1e4:.4f} | {' | '.join(cells)}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
