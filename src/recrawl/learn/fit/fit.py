"""Maximum likelihood from crawl outcomes: how often a page changes, and what its signals are worth."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recrawl.errors import InputError, UndeterminedError
from recrawl.learn.fit.likelihood import Array, slopes
from recrawl.learn.fit.profile import Profile
from recrawl.learn.fit.solve import Solution, solve
from recrawl.learn.outcomes import Outcomes, outcomes
from recrawl.model import Pages


class Interval(NamedTuple):
    """A confidence interval; arrays where there are several sources."""

    low: Any
    high: Any


QUANTITIES = ("unsignalled_rate", "signal_weight", "signal_rate", "change_rate", "precision", "recall")


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimates with their uncertainty.

    Numbers for one source of signals; `signal_weight`, `signal_rate`, `precision` and `recall` are arrays, one entry a
    source, where `fit` was given a column for each.  What the intervals cannot tell raises UndeterminedError and says
    why; `interval` always answers, with a bound or with everything that fits.  An estimate of inf means that the data
    only bound it from below.
    """

    data: Outcomes
    solution: Solution

    @property
    def converged(self) -> bool:
        """Whether the first-order conditions of the maximum hold."""
        return self.solution.converged

    @property
    def log_likelihood(self) -> float:
        """Of the outcomes, at the estimate."""
        return self.solution.log_likelihood

    @property
    def undetermined(self) -> dict[str, str]:
        """What the intervals cannot tell, and why."""
        found = {}
        for name in QUANTITIES:
            try:
                getattr(self, name)
            except UndeterminedError as error:
                found[name] = str(error)
        return found

    @property
    def unsignalled_rate(self) -> float:
        """alpha, changes per unit time that nobody tells us about."""
        self._require("unsignalled_rate", [0])
        return float(self.solution.theta[0])

    @property
    def signal_weight(self) -> Any:
        """kappa, the log-staleness one signal adds."""
        self._require("signal_weight", np.arange(1, len(self.solution.theta)))
        return self._shaped(self.solution.theta[1:])

    @property
    def signal_rate(self) -> Any:
        """gamma, signals per unit time, true and false."""
        return self._shaped(self._gamma)

    @property
    def change_rate(self) -> float:
        """Delta = alpha + sum gamma (1 - e^-kappa); several sources count as each signalling changes of its own."""
        alone = self.solution.determined[0] and self.solution.theta[0] == np.inf  # then signals add nothing to it
        self._require("change_rate", [0] if alone else self._bearing)
        return _change_rate(self._theta)

    @property
    def precision(self) -> Any:
        """1 - e^-kappa, the share of signals with a change behind them."""
        self._require("precision", np.arange(1, len(self.solution.theta)))
        return self._shaped(-np.expm1(-self.solution.theta[1:]))

    @property
    def recall(self) -> Any:
        """gamma (1 - e^-kappa)/Delta, the share of changes that come with a signal."""
        self._require("recall", self._bearing)
        if not 0.0 < _change_rate(self._theta) < np.inf:
            what = "no change was seen" if _change_rate(self._theta) == 0.0 else "the change rate has no upper bound"
            raise UndeterminedError(f"recall cannot be told: {what}; interval() says what fits")
        return self._shaped(np.array([_recall(k, self._theta) for k in range(len(self._gamma))]))

    @cached_property
    def covariance(self) -> Array:
        """Of (alpha, kappa .., gamma ..): the inverse of the observed information.

        inf on the diagonal where the likelihood does not bend: estimates of inf, those at 0 because nothing ever
        changed, and those not determined.  At a bound it is a rough guide; `interval` is the better one.
        """
        data, units, heavy = self.data.scaled()
        theta, p = self.solution.theta * units, len(units)
        size = p + len(data.signals_seen)
        answer = np.zeros((size, size))
        bent = np.isfinite(theta) & self.solution.determined
        rest = ~(data.rows[:, np.isinf(theta)] > 0.0).any(axis=1)
        none, gradient, information = np.zeros(p), np.empty(p), np.empty((p, p))
        finite = np.where(np.isfinite(theta), theta, 0.0)
        rows = np.ascontiguousarray(data.rows[rest])
        slopes(finite, rows, data.row_weights[rest], data.linear, none, none, gradient, information)
        bent &= np.diag(information) > 0.0
        answer[np.arange(p), np.arange(p)] = np.where(bent, 0.0, np.inf)
        free = np.flatnonzero(bent)
        if len(free):
            scale = np.sqrt(np.diag(information)[free])
            unit = information[np.ix_(free, free)] / np.outer(scale, scale)
            answer[np.ix_(free, free)] = np.linalg.pinv(unit, hermitian=True) / np.outer(scale, scale)
        with np.errstate(over="ignore"):
            answer[:p, :p] = answer[:p, :p] / units[:, None] / units / heavy
        spread = data.signals_seen / data.time_seen / data.time_seen if data.time_seen > 0.0 else np.inf
        answer[range(p, size), range(p, size)] = spread
        return answer

    def interval(self, level: float = 0.95) -> dict[str, Interval]:
        """Confidence intervals of all six quantities, by profile likelihood (profile.py)."""
        return dict(_intervals(self, checked_level(level)))

    def pages(self, importance: ArrayLike = 1.0) -> Pages:
        """The estimates as Pages: one source only; signals never seen get weight 0."""
        if self.data.several:
            raise InputError("pages() is for one source of signals; give the engine weights by source", "signals")
        weight = 0.0 if self._gamma[0] == 0.0 else self.signal_weight
        return Pages(self.unsignalled_rate, weight, self.signal_rate, importance)

    def __repr__(self) -> str:
        unknown = self.undetermined
        shown = (f"{q}={'?' if q in unknown else _short(getattr(self, q))}" for q in QUANTITIES)
        return f"Fit({', '.join(shown)}, intervals={len(self.data.changed)})"

    # -- inside ------------------------------------------------------------------------------------------------------

    @property
    def _gamma(self) -> Array:
        if self.data.time_seen == 0.0:
            raise UndeterminedError(
                "signal_rate cannot be told: no time was observed; give observed_time and n_signals"
            )
        return self.data.signals_seen / self.data.time_seen

    @property
    def _theta(self) -> Array:
        return np.concatenate((self.solution.theta, self._gamma))

    @property
    def _bearing(self) -> Any:
        """Parameters the change rate depends on: a source never heard does not count."""
        return np.concatenate(([0], 1 + np.flatnonzero(self._gamma > 0.0)))

    def _require(self, name: str, parameters: Any) -> None:
        for why in np.array(self.solution.unknown)[parameters]:
            if why:
                raise UndeterminedError(f"{name} cannot be told: {why}; interval() says what fits")

    def _shaped(self, values: Array) -> Any:
        return values.copy() if self.data.several else float(values[0])


def fit(
    elapsed: ArrayLike,
    signals: ArrayLike,
    changed: ArrayLike,
    observed_time: float | None = None,
    n_signals: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Fit:
    """Maximum-likelihood estimate from crawls of one page, or of pages taken to be alike.

    For each crawl: the time `elapsed` since the crawl before, the `signals` that came meanwhile (one column a source
    where there are several) and whether it `changed`.  The model is P[unchanged] = e^-(alpha elapsed + kappa signals),
    alpha, kappa >= 0.  When crawls happen may depend on the signals seen: the likelihood is the same.

    NaN in `elapsed` marks a first visit, in `changed` a crawl that compared nothing; the signals of the latter still
    count for the signal rate, which is signals over time: that of the intervals, or `n_signals` in `observed_time`.
    `weights` count intervals several times.

    >>> result = fit(elapsed=[1.0, 2.0, 1.0, 3.0], signals=[0, 1, 0, 0], changed=[0, 1, 1, 0])
    >>> round(result.unsignalled_rate, 4), result.signal_weight, result.converged
    (0.2231, inf, True)
    >>> result.interval(0.95)["precision"].high
    1.0
    """
    data = outcomes(elapsed, signals, changed, observed_time, n_signals, weights)
    return Fit(data, solve(data))


def checked_level(level: float) -> float:
    """A level of confidence."""
    if not 0.0 < level < 1.0:
        raise InputError(f"level must be between 0 and 1, got {level}; e.g. 0.95", argument="level")
    return float(level)


def _short(value: Any) -> str:
    return f"[{', '.join(f'{v:.6g}' for v in value)}]" if np.ndim(value) else f"{value:.6g}"


def _change_rate(theta: Array) -> float:
    sources = len(theta) // 2
    return float(theta[0] - theta[1 + sources :] @ np.expm1(-theta[1 : 1 + sources]))


def _recall(k: int, theta: Array) -> float:
    true = -theta[1 + len(theta) // 2 + k] * np.expm1(-theta[1 + k])
    return float(true / _change_rate(theta)) if true > 0.0 else 0.0


def _intervals(result: Fit, level: float) -> tuple[tuple[str, Interval], ...]:
    profile = Profile(result.data, result.solution, level)
    p = len(result.solution.theta)
    weights, rates = profile.parameters(), profile.signal_rates()
    change = profile.derived(_change_rate)
    recalls = [profile.derived(partial(_recall, k)) for k in range(p - 1)]
    if weights[0][1] == np.inf:
        change = change[0], np.inf
        recalls = [(0.0, high) for _, high in recalls]
    if any(high == np.inf for _, high in rates):
        change = change[0], np.inf
    if weights[0][0] == 0.0 and not any(low > 0.0 for low, _ in weights[1:]):
        recalls = [(0.0, 1.0) for _ in recalls]  # no change need have happened
    several = [weights[1:], rates, [tuple(-np.expm1(-np.array(w))) for w in weights[1:]], recalls]
    kappa, gamma, precision, recall = (_gathered(ranges, result.data.several) for ranges in several)
    found = (Interval(*weights[0]), kappa, gamma, Interval(*change), precision, recall)
    return tuple(zip(QUANTITIES, found, strict=True))


def _gathered(ranges: Any, several: bool) -> Interval:
    low, high = np.array(ranges, dtype=np.float64).T
    return Interval(low, high) if several else Interval(float(low[0]), float(high[0]))
