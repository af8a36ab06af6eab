"""Cost of a decision with hosts that must be crawled politely, beside the same pages without hosts, one core."""

from typing import Any

import numpy as np

from recrawl.bench.engine import decide, in_steady_state
from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler

PAGES = 4_000_000
HOSTS = 10_000
GIANTS = 2
"""Hosts with a quarter of all pages each."""

NOTES = (
    "the paper's noisy mix from its steady state, rate = pages/10; six signals before each decision, timed together",
    f"{HOSTS:,} hosts; small gaps: each host may be crawled at twice its share of the rate",
    f"giants: besides, {GIANTS} hosts with a quarter of all pages each and a gap of one time unit: pages pile up there",
    "times a decision against those without hosts; pages aside: those that wait for their host",
)

DECISIONS = 100_000


def run(pages: int | None) -> list[dict[str, Any]]:
    """One row without hosts, one with hosts that set no limits, one with gaps, one with giant hosts."""
    m = pages or PAGES
    mix = paper_mix(m)
    hosts = np.random.default_rng(1).integers(GIANTS, HOSTS, m)
    giant = hosts.copy()
    giant[: m // 2] = np.arange(m // 2) % GIANTS
    gap = 0.5 * HOSTS / (m / 10)
    cases = {
        "no hosts": (None, 0.0),
        "hosts without limits": (hosts, 0.0),
        "small gaps": (hosts, gap),
        "small gaps and giants": (giant, gap),
    }
    rows: list[dict[str, Any]] = []
    for name, (of_pages, small) in cases.items():
        scheduler = in_steady_state(mix, 0.0, of_pages)
        if of_pages is not None:
            _limit(scheduler, small, name == "small gaps and giants")
        rows.append({"case": name, **_figures(scheduler, mix.signal_rate, m / 10)})
    for row in rows:
        row["to_no_hosts"] = row["decision_us"] / rows[0]["decision_us"]
    return rows


def _limit(scheduler: Scheduler, gap: float, giants: bool) -> None:
    for host in range(HOSTS):
        scheduler.set_host(host, gap=1.0 if giants and host < GIANTS else gap)


def _figures(scheduler: Scheduler, signal_rate: np.ndarray, rate: float) -> dict[str, Any]:
    """Figures after a warm-up of as many decisions."""
    rng = np.random.default_rng(0)
    signalled = np.cumsum(signal_rate)
    now, _ = decide(scheduler, 0.0, rate, signalled, rng, DECISIONS)
    before = scheduler.statistics["evaluations"]
    now, (seconds, worst) = decide(scheduler, now, rate, signalled, rng, DECISIONS)
    return {
        "decision_us": seconds / DECISIONS * 1e6,
        "evaluations": (scheduler.statistics["evaluations"] - before) / DECISIONS,
        "worst_take_ms": worst * 1e3,
        "pages_aside": scheduler.statistics["aside"],
    }
