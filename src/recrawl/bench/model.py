"""Cost of the exact noisy value beside the value without signals, one core."""

from functools import partial
from typing import Any

import numpy as np

from recrawl._jit import jit
from recrawl.bench.mix import paper_mix, steady_state
from recrawl.bench.timing import best_of
from recrawl.model import Pages, scalar
from recrawl.model.functions import Array
from recrawl.model.nosignal import p2
from recrawl.optimal import optimum

PAGES = 1_000_000

NOTES = (
    "steady state: staleness after 100 time units of crawling at the optimal thresholds for rate = pages/10",
    "at the thresholds: every crawled page at the moment of its crawl, the dearest state",
    "ratio: against the value without signals in the same run; the goal is 25 at most, 10 if possible",
)


@jit
def _noisy(x: Array, alpha: Array, kappa: Array, gamma: Array, mu: Array, out: Array) -> None:
    for i in range(len(x)):
        out[i] = scalar.value(x[i], alpha[i], kappa[i], gamma[i], mu[i], 0)


@jit
def _silent(x: Array, delta: Array, mu: Array, out: Array) -> None:
    for i in range(len(x)):
        out[i] = mu[i] / delta[i] * p2(x[i])


def run(pages: int | None) -> list[dict[str, Any]]:
    """Nanoseconds a value, with and without signals, in two states."""
    m = pages or PAGES
    mix = paper_mix(m)
    best = optimum(mix, m / 10)
    crawled = best.rates > 0.0
    return [
        _row("steady state", mix, steady_state(mix, best.thresholds)),
        _row("at the thresholds", mix[crawled], best.thresholds[crawled]),
    ]


def _row(state: str, pages: Pages, x: Array) -> dict[str, Any]:
    alpha, kappa, gamma, mu = pages.columns
    out = np.empty(len(pages))
    noisy, silent = best_of(
        5, partial(_noisy, x, alpha, kappa, gamma, mu, out), partial(_silent, x, pages.change_rate, mu, out)
    )
    return {
        "state": state,
        "pages": len(pages),
        "signals_that_fit": float(np.median(x / kappa)),
        "exact_ns": noisy / len(pages) * 1e9,
        "no_signal_ns": silent / len(pages) * 1e9,
        "ratio": noisy / silent,
    }
