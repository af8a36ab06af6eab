"""How late signals come: small distributions of a latency >= 0.

Each can be drawn from, and knows G(s), the share of signals that are there after s (`cdf`), and the integral of 1 - G
from 0 to s (`survival_integral`): of the changes of the last s, at a unit rate, how many are not announced yet.  What
was measured (`learn.latency`) knows the same two functions, and that is all a scheduler asks of it.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.errors import InputError

Values = NDArray[np.float64]


class KnownLatency(Protocol):
    """What is known of latencies."""

    def cdf(self, s: ArrayLike) -> Values:
        """The chance that a latency is at most s."""

    def survival_integral(self, s: ArrayLike) -> Values:
        """The integral of 1 - cdf from 0 to s; it tends to the mean."""


class DrawnLatency(KnownLatency, Protocol):
    """A distribution of latencies that can be drawn from."""

    def draw(self, rng: np.random.Generator, n: int) -> Values:
        """n latencies."""


def _check(name: str, value: float) -> None:
    if not 0.0 <= value < math.inf:
        raise InputError(f"{name} must be finite and >= 0, got {value}", argument=name)


@dataclass(frozen=True)
class Constant:
    """Every signal is `length` late.

    >>> Constant(2.0).survival_integral([1.0, 5.0]).tolist()
    [1.0, 2.0]
    """

    length: float

    def __post_init__(self) -> None:
        _check("length", self.length)

    def draw(self, rng: np.random.Generator, n: int) -> Values:
        """n times the same."""
        del rng
        return np.full(n, float(self.length))

    def cdf(self, s: ArrayLike) -> Values:
        """0 before `length`, 1 from there on."""
        return np.asarray(np.asarray(s, dtype=np.float64) >= self.length, dtype=np.float64)

    def survival_integral(self, s: ArrayLike) -> Values:
        """min(s, length)."""
        return np.clip(np.asarray(s, dtype=np.float64), 0.0, self.length)


@dataclass(frozen=True)
class Exponential:
    """Memoryless, with this mean.

    >>> round(float(Exponential(2.0).cdf(2.0)), 6)
    0.632121
    """

    mean: float

    def __post_init__(self) -> None:
        _check("mean", self.mean)

    def draw(self, rng: np.random.Generator, n: int) -> Values:
        """n latencies."""
        return self.mean * rng.standard_exponential(n)

    def cdf(self, s: ArrayLike) -> Values:
        """1 - e^(-s/mean)."""
        s = np.asarray(s, dtype=np.float64)
        if self.mean == 0.0:
            return Constant(0.0).cdf(s)
        return np.asarray(-np.expm1(-np.maximum(s, 0.0) / self.mean))

    def survival_integral(self, s: ArrayLike) -> Values:
        """mean * cdf(s)."""
        return self.mean * self.cdf(s)


@dataclass(frozen=True)
class Poisson:
    """A Poisson number of steps, each `step` long: the paper's "Poisson distribution with v = 6".

    The paper does not say six of what. `Poisson.ticks(6, rate)` reads it as crawl slots of 1/rate, `Poisson(6)` as
    units of time.

    >>> Poisson.ticks(6.0, rate=100.0)
    Poisson(mean_steps=6.0, step=0.01)
    """

    mean_steps: float
    step: float = 1.0

    def __post_init__(self) -> None:
        _check("mean_steps", self.mean_steps)
        if not 0.0 < self.step < math.inf:
            raise InputError(f"step must be finite and > 0, got {self.step}", argument="step")

    @classmethod
    def ticks(cls, mean_steps: float, rate: float) -> "Poisson":
        """Steps as long as the time between two crawls at `rate`."""
        if not 0.0 < rate < math.inf:
            raise InputError(f"rate must be finite and > 0, got {rate}", argument="rate")
        return cls(mean_steps, 1.0 / rate)

    def draw(self, rng: np.random.Generator, n: int) -> Values:
        """n latencies."""
        return rng.poisson(self.mean_steps, n) * np.float64(self.step)

    def cdf(self, s: ArrayLike) -> Values:
        """The chance of at most floor(s/step) steps."""
        from scipy.special import pdtr

        return np.where(np.asarray(s) < 0.0, 0.0, pdtr(self._whole(s), self.mean_steps))

    def survival_integral(self, s: ArrayLike) -> Values:
        """step * E[min(s/step, number of steps)], from the chances of k and of k - 1 steps at most."""
        from scipy.special import pdtr, pdtrc

        whole = self._whole(s)
        steps = np.maximum(np.asarray(s, dtype=np.float64), 0.0) / self.step
        fewer = np.where(whole > 0.0, pdtr(np.maximum(whole - 1.0, 0.0), self.mean_steps), 0.0)
        return np.asarray(self.step * (self.mean_steps * fewer + steps * pdtrc(whole, self.mean_steps)))

    def _whole(self, s: ArrayLike) -> Values:
        """floor(s/step), with room for the rounding of a product of steps."""
        return np.floor(np.maximum(np.asarray(s, dtype=np.float64), 0.0) / self.step * (1.0 + 1e-12))
