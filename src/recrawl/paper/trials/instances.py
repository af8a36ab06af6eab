"""The paper's problem instances, by seed.

Change rates and request rates are U(0, 1) throughout.  One seed gives the same rates in every setting, so that settings
differ in their signals only.
"""

import numpy as np

from recrawl.model import Pages

RATE = 100.0
HORIZON = 1_000.0
WARMUP = 200.0
"""Our choice, the paper names none: what happens before this is not measured where the text asks for the long run."""

DISCARD_WINDOW = 5.0 / RATE
"""For how long after a crawl GREEDY-NCIS-D drops signals."""

REPETITIONS = 100
FEW_REPETITIONS = 10
"""As in the paper, where the instances are large."""


def draw(setting: str, m: int, seed: int) -> Pages:
    """Instance ``seed`` of a setting: silent, partial or noisy."""
    return {"silent": silent, "partial": partial, "noisy": noisy}[setting](m, seed)


def silent(m: int, seed: int) -> Pages:
    """No signals: Delta, mu ~ U(0, 1).

    >>> silent(3, seed=0).change_rate.round(3).tolist()
    [0.637, 0.27, 0.041]
    """
    delta, mu, _, _ = _columns(m, seed)
    return Pages.from_rates(delta, mu)


def partial(m: int, seed: int) -> Pages:
    """Recall lambda ~ Beta(.25, .25), no false signals."""
    delta, mu, recall, _ = _columns(m, seed)
    return Pages.from_rates(delta, mu, recall)


def noisy(m: int, seed: int = 0) -> Pages:
    """Recall as in `partial`, false signals at nu ~ U(.1, .6)."""
    return Pages.from_rates(*_columns(m, seed))


def with_quality(m: int, seed: int, precision: float, recall: float) -> Pages:
    """Rates as above, every page signalled with the same precision and recall."""
    delta, mu, _, _ = _columns(m, seed)
    return Pages.from_quality(delta, mu, precision, recall)


def _columns(m: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(size=m), rng.uniform(size=m), rng.beta(0.25, 0.25, size=m), rng.uniform(0.1, 0.6, size=m)
