"""psi and w against the raw Poisson processes: changes, signals true and false, a crawl at the threshold.

Nothing of the theory is used: the page's changes are drawn, each is signalled with probability `recall`, false signals
are drawn beside them, and the clock stops when alpha t + kappa n reaches x.
"""

import numpy as np
import pytest

import recrawl

CYCLES = 40_000
SIGMAS = 4.5  # two-sided false alarm 7e-6 a comparison, below 2e-4 in all


def cycle(rng, change_rate, recall, false_rate, alpha, kappa, x):
    """(length, time until the first change or the end) of one cycle."""
    time, first_change, n = 0.0, np.inf, 0
    total = change_rate + false_rate
    while True:
        due = (x - (kappa * n if n else 0.0)) / alpha  # when drift alone would reach x
        event = time + rng.exponential(1.0 / total)
        if event >= due:
            return due, min(first_change, due)
        time = event
        is_change = rng.random() * total < change_rate
        if is_change:
            first_change = min(first_change, time)
        if (not is_change or rng.random() < recall) and kappa > 0.0:
            n += 1
            if alpha * time + kappa * n >= x:
                return time, min(first_change, time)


@pytest.mark.parametrize(
    ("change_rate", "recall", "false_rate", "x"),
    [(1.0, 0.5, 0.3, 1.2), (0.4, 0.9, 0.6, 2.5), (2.0, 0.2, 0.1, 0.4), (1.0, 0.0, 0.5, 1.0), (1.0, 0.7, 0.0, 0.8)],
)
def test_cycles_of_the_raw_processes(change_rate, recall, false_rate, x):
    pages = recrawl.Pages.from_rates(change_rate, 1.0, recall, false_rate)
    alpha, kappa = pages.unsignalled_rate.item(), pages.signal_weight.item()
    rng = np.random.default_rng(20250428)
    cycles = np.array([cycle(rng, change_rate, recall, false_rate, alpha, kappa, x) for _ in range(CYCLES)])
    error = cycles.std(axis=0, ddof=1) / np.sqrt(CYCLES)
    expected = np.array([recrawl.cycle_length(pages, x).item(), recrawl.cycle_freshness(pages, x).item()])
    assert np.all(np.abs(cycles.mean(axis=0) - expected) <= SIGMAS * error + 1e-12)
