"""Cost of a decision with hosts that must be crawled politely, beside the same pages without hosts, one core."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.bench.engine import at_thresholds, decide, in_steady_state
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.model import Pages
from recrawl.optimal import optimum

PAGES = 4_000_000
HOSTS = 10_000
GIANTS = 2
"""Hosts with a quarter of all pages each."""

NOTES = (
    "the paper's noisy mix from its steady state, rate = pages/10; six signals before each decision, timed together",
    f"{HOSTS:,} hosts; small gaps: each host may be crawled at twice its share of the rate",
    f"giants: besides, {GIANTS} hosts with a quarter of all pages each, a gap of 1 time unit and a long pile",
    "times a decision against those without hosts; pages aside: those that wait for their host",
)

DECISIONS = 100_000


def run(pages: int | None) -> list[dict[str, Any]]:
    """One row without hosts, one with hosts that set no limits, one with gaps, one with giant hosts."""
    m = pages or PAGES
    mix = paper_mix(m)
    hosts = np.random.default_rng(1).integers(GIANTS, HOSTS, m)
    gap = 0.5 * HOSTS / (m / 10)
    rows = [
        {"case": "no hosts", **_figures(in_steady_state(mix, 0.0), mix)},
        {"case": "hosts without limits", **_figures(_limited(in_steady_state(mix, 0.0, hosts), 0.0, 0), mix)},
        {"case": "small gaps", **_figures(_limited(in_steady_state(mix, 0.0, hosts), gap, 0), mix)},
        {"case": "small gaps and giants", **_figures(_limited(_with_giants(mix, hosts), gap, GIANTS), mix)},
    ]
    for row in rows:
        row["to_no_hosts"] = row["decision_us"] / rows[0]["decision_us"]
    return rows


def _with_giants(mix: Pages, hosts: NDArray[np.int64]) -> Scheduler:
    """A scheduler for pages of which half belong to giant hosts, and were not crawled for a hundred time units."""
    m = len(mix)
    hosts = hosts.copy()
    hosts[: m // 2] = np.arange(m // 2) % GIANTS
    thresholds = np.full(m, np.inf)
    thresholds[m // 2 :] = optimum(mix[m // 2 :], m / 10).thresholds
    return at_thresholds(mix, 0.0, thresholds, hosts)


def _limited(scheduler: Scheduler, gap: float, giants: int) -> Scheduler:
    for host in range(HOSTS):
        scheduler.set_host(host, gap=1.0 if host < giants else gap)
    return scheduler


def _figures(scheduler: Scheduler, mix: Pages) -> dict[str, Any]:
    """Figures after a warm-up of as many decisions."""
    rng = np.random.default_rng(0)
    rate = len(mix) / 10
    signalled = np.cumsum(mix.signal_rate)
    now, _ = decide(scheduler, 0.0, rate, signalled, rng, DECISIONS)
    before = scheduler.statistics["evaluations"]
    now, (seconds, worst) = decide(scheduler, now, rate, signalled, rng, DECISIONS)
    return {
        "decision_us": seconds / DECISIONS * 1e6,
        "evaluations": (scheduler.statistics["evaluations"] - before) / DECISIONS,
        "worst_take_ms": worst * 1e3,
        "pages_aside": scheduler.statistics["aside"],
    }
