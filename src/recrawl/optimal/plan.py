"""The numbers behind ``recrawl plan``: both optima, what the signals save, the curve."""

from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from recrawl.model import Pages
from recrawl.optimal.curve import Curve, freshness_curve
from recrawl.optimal.optimum import Optimum, optimum

# The saving and the curve take some forty solves. Above this many pages a uniform sample of them answers
# as well: the standard error of a mean over 200,000 pages is 0.1% of their spread.
SAMPLE_PAGES = 200_000
SAMPLE_SEED = 0

# A saving is printed to a tenth of a percent.
_RATE_TOLERANCE = 1e-5


class Watcher(Protocol):
    """Told about each stage and each step of the solver."""

    def stage(self, name: str) -> None:
        """A new stage begins."""

    def step(self, iteration: int, error: float) -> None:
        """The solver finished an iteration."""


@dataclass(frozen=True)
class Plan:
    """What a crawl rate buys.

    ``equal_rate`` is the least rate at which signals reach the freshness of ``without_signals``. It and the
    curve come from ``sampled`` pages, or from all where that is None.
    """

    pages: Pages
    rate: float
    floor: float
    with_signals: Optimum
    without_signals: Optimum
    equal_rate: float
    curve: Curve | None
    sampled: int | None

    @property
    def saved(self) -> float:
        """The fraction of the crawls that the signals save for the same freshness."""
        return 1.0 - self.equal_rate / self.rate


def make_plan(pages: Pages, rate: float, floor: float, *, curve: bool, progress: Watcher) -> Plan:
    """Solve with and without signals, and at as many other rates as the saving and the curve need."""
    progress.stage("solving without signals")
    without = optimum(pages, rate, use_signals=False, floor=floor, progress=progress.step)
    progress.stage("solving with signals")
    with_signals = optimum(pages, rate, floor=floor, progress=progress.step)

    sample, share = _sample(pages)
    progress.stage("finding what the signals save")
    target, reached = without, with_signals
    if share < 1.0:
        target = optimum(sample, rate * share, use_signals=False, floor=floor, progress=progress.step)
        reached = optimum(sample, rate * share, floor=floor, progress=progress.step)
    equal = _equal_rate(sample, rate * share, floor, target.freshness, reached.freshness, progress)
    points = freshness_curve(sample, rate, floor, share, progress) if curve else None
    return Plan(
        pages,
        rate,
        floor,
        with_signals,
        without,
        equal / share,
        points,
        sampled=len(sample) if share < 1.0 else None,
    )


def _sample(pages: Pages) -> tuple[Pages, float]:
    """The pages to use for the many solves, and their share of all pages."""
    if len(pages) <= SAMPLE_PAGES:
        return pages, 1.0
    chosen = np.random.default_rng(SAMPLE_SEED).choice(len(pages), SAMPLE_PAGES, replace=False)
    if not pages.importance[chosen].any():  # a few pages have it all
        return pages, 1.0
    return pages[np.sort(chosen)], SAMPLE_PAGES / len(pages)


def _equal_rate(pages: Pages, rate: float, floor: float, target: float, reached: float, progress: Watcher) -> float:
    """The least rate at which signals reach the freshness ``target``; ``reached`` is theirs at ``rate``."""

    @cache
    def surplus(log_rate: float) -> float:
        return optimum(pages, exp(log_rate), floor=floor, progress=progress.step).freshness - target

    # Freshness grows with the rate and signals never hurt, so the answer is at most rate. Most savings are
    # below nine tenths, which makes a short bracket; where they are not, look further down.
    least = max(1e-6 * rate, floor * len(pages) * (1.0 + 1e-9))
    if reached - target <= 1e-12 or least >= rate:
        return rate
    low, high = log(max(0.1 * rate, least)), log(rate)
    if surplus(low) >= 0.0:
        low, high = log(least), low
    if surplus(low) >= 0.0:
        return exp(low)
    return exp(float(brentq(surplus, low, high, xtol=_RATE_TOLERANCE)))
