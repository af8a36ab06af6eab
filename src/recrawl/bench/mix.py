"""The paper's noisy setting, and the state in which a crawler meets it."""

import numpy as np

from recrawl._jit import jit
from recrawl.model import Pages
from recrawl.model.functions import Array


def paper_mix(m: int, seed: int = 0) -> Pages:
    """Delta, mu ~ U(0, 1), lambda ~ Beta(.25, .25), nu ~ U(.1, .6)."""
    rng = np.random.default_rng(seed)
    return Pages.from_rates(
        change_rate=rng.uniform(size=m),
        importance=rng.uniform(size=m),
        recall=rng.beta(0.25, 0.25, size=m),
        false_signal_rate=rng.uniform(0.1, 0.6, size=m),
    )


@jit
def _run(
    alpha: Array, kappa: Array, gamma: Array, limit: Array, horizon: float, rng: np.random.Generator, out: Array
) -> None:
    for i in range(len(out)):
        time = 0.0
        x = 0.0
        while True:
            signal = rng.exponential(1.0 / gamma[i])
            due = (limit[i] - x) / alpha[i] if alpha[i] > 0.0 else np.inf
            step = min(signal, due, horizon - time)
            time += step
            x += alpha[i] * step
            if time >= horizon:
                break
            x = 0.0 if due <= signal else x + kappa[i]
            if x >= limit[i]:
                x = 0.0
        out[i] = x


def steady_state(pages: Pages, thresholds: Array, horizon: float = 100.0, seed: int = 0) -> Array:
    """Staleness of each page after `horizon` time units of crawling at its threshold (inf: never crawled)."""
    out = np.empty(len(pages))
    alpha, kappa, gamma, _ = pages.columns
    _run(alpha, kappa, gamma, thresholds, horizon, np.random.default_rng(seed), out)
    return out
