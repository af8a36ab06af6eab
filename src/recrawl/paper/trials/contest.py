"""One instance, one world, several contenders in it: what most figures repeat.

A score is kept for the rest of the process: figures that share a setting (noisy, latency, optimum) run it once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

from recrawl.model import Pages
from recrawl.optimal import optimum
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.parallel import each
from recrawl.sim import DrawnLatency, World, expected_freshness, simulate

THEORY = {"baseline": False, "optimum": True}
"""Contenders that are solved for, not run: the best continuous policy, without and with signals."""


@dataclass(frozen=True)
class Contender:
    """A policy, how late its signals come, and what it does about that: drop them for a while, or weigh them."""

    policy: str
    latency: DrawnLatency | None = None
    discard: float = 0.0
    knows_latency: bool = False


@dataclass(frozen=True)
class Instance:
    """What the contenders face: pages and a world, both drawn from ``seed``."""

    setting: str
    m: int
    seed: int
    horizon: float = instances.HORIZON
    warmup: float = instances.WARMUP


class Score(NamedTuple):
    """Freshness after the warm-up, and the paper's accuracy over all requests of the run.

    ``expected`` is the freshness after the warm-up that the crawl times promise, nan where there are signals.
    """

    freshness: float
    accuracy: float
    expected: float


Trial = tuple[Instance, tuple[Contender, ...]]

_KEPT: dict[tuple[Instance, Contender], Score] = {}


def run_trials(trials: Sequence[Trial], settings: Settings) -> dict[tuple[Instance, Contender], Score]:
    """The scores of all trials; only those not known yet are run."""
    wanted = [(instance, tuple(c for c in who if (instance, c) not in _KEPT)) for instance, who in trials]
    missing = [trial for trial in wanted if trial[1]]
    for (instance, who), scores in zip(missing, each(run_trial, missing, settings), strict=True):
        _KEPT.update(zip([(instance, c) for c in who], scores, strict=True))
    return {(instance, c): _KEPT[instance, c] for instance, who in trials for c in who}


def run_trial(trial: Trial) -> list[Score]:
    """Draw the instance, and a world for each latency; run everybody."""
    instance, contenders = trial
    pages = instances.draw(instance.setting, instance.m, instance.seed)
    worlds: dict[DrawnLatency | None, World] = {}
    scores = []
    for who in contenders:
        if who.policy in THEORY:
            scores.append(_solved(pages, who.policy))
            continue
        if who.latency not in worlds:
            worlds[who.latency] = World.draw(pages, instance.horizon, instance.seed, who.latency)
        scores.append(_score(pages, who, instance, worlds[who.latency]))
    return scores


def _solved(pages: Pages, policy: str) -> Score:
    best = optimum(pages, instances.RATE, use_signals=THEORY[policy]).freshness
    return Score(best, best, best)


def _score(pages: Pages, who: Contender, instance: Instance, world: World) -> Score:
    run = simulate(
        pages,
        who.policy,
        instances.RATE,
        warmup=instance.warmup,
        discard=who.discard,
        believed_latency=who.latency if who.knows_latency else None,
        world=world,
    )
    accuracy = float(run.met_fresh.mean()) if len(run.met_fresh) else nan
    expected = nan if pages.signal_rate.any() else expected_freshness(pages, run)
    return Score(run.freshness, accuracy, expected)
