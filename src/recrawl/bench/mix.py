"""The paper's noisy setting, and the state in which a crawler meets it."""

import numpy as np

from recrawl._jit import jit
from recrawl.model import Pages
from recrawl.model.functions import Array
from recrawl.paper.trials.instances import noisy

paper_mix = noisy
"""Pages of the paper's experiment with noisy signals, from their number and a seed."""


@jit
def _run(
    alpha: Array,
    kappa: Array,
    gamma: Array,
    limit: Array,
    horizon: float,
    rng: np.random.Generator,
    elapsed: Array,
    jumps: Array,
) -> None:
    for i in range(len(elapsed)):
        time = 0.0
        last = 0.0
        added = 0.0
        while True:
            signal = time + rng.exponential(1.0 / gamma[i])
            due = last + (limit[i] - added) / alpha[i] if alpha[i] > 0.0 else np.inf
            if min(signal, due) >= horizon:
                break
            if due <= signal:
                time = due
                last, added = due, 0.0
                continue
            time = signal
            added += kappa[i]
            if alpha[i] * (time - last) + added >= limit[i]:
                last, added = time, 0.0
        elapsed[i] = horizon - last
        jumps[i] = added


def steady_state_parts(pages: Pages, thresholds: Array, horizon: float = 100.0, seed: int = 0) -> tuple[Array, Array]:
    """Time since the crawl and what signals added since, after `horizon` time units of crawling at the thresholds."""
    elapsed, jumps = np.empty(len(pages)), np.empty(len(pages))
    alpha, kappa, gamma, _ = pages.columns
    _run(alpha, kappa, gamma, thresholds, horizon, np.random.default_rng(seed), elapsed, jumps)
    return elapsed, jumps


def steady_state(pages: Pages, thresholds: Array, horizon: float = 100.0, seed: int = 0) -> Array:
    """Staleness of each page after `horizon` time units of crawling at its threshold (inf: never crawled)."""
    elapsed, jumps = steady_state_parts(pages, thresholds, horizon, seed)
    return pages.unsignalled_rate * elapsed + jumps
