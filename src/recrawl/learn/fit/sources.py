"""The quality of several sources of signals, from lone signals, coincidences and crawl outcomes.

With odds o_k = lambda_k/(1 - lambda_k), source k alone signals changes at rate t_k = alpha o_k, alpha = Delta prod(1 -
lambda_k).  Lone signals are Poisson at g_k = nu_k + t_k, coincidences at c = Delta - alpha - sum t_k, and an interval
without a coincidence was unchanged with probability exp(-alpha elapsed) prod (nu_k/g_k)^(n_k).  Three sorts of evidence
in one likelihood: coincidences alone say how the recalls go together, outcomes which lone signals are false.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import at_least_0, column, numbers
from recrawl.errors import InputError, UndeterminedError
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.outcomes import Outcomes, as_many, outcomes, refuse
from recrawl.model.sources import Sources

_LOGIT = 14.0
"""Recalls are sought from 1e-6 to 1 - 1e-6."""

_FLAT = 1e-3
"""A direction that bends less than this is known to a factor of e^30 at best: not known."""


@dataclass(frozen=True, eq=False)
class SourceFit:
    """Estimates by source, each with its standard error (from the curvature of the likelihood).

    An error is inf where the likelihood does not bend: what cannot be told, and estimates at the end of their range (a
    recall of 0 or 1, no false signals).  `contradicted` counts intervals with a coincidence that found no change.
    """

    change_rate: float
    recall: Array
    false_signal_rate: Array
    precision: Array
    change_rate_error: float
    recall_error: Array
    false_signal_rate_error: Array
    precision_error: Array
    contradicted: float
    converged: bool

    def sources(self) -> Sources:
        """As a class of sources, for `Scheduler` and `simulate`."""
        return Sources(self.recall, self.false_signal_rate / self.change_rate)


def fit_sources(
    elapsed: ArrayLike, lone: ArrayLike, coincidences: ArrayLike, changed: ArrayLike, weights: ArrayLike | None = None
) -> SourceFit:
    """Recall and false signals of each source, from crawls of one page or of pages taken to be alike.

    For each crawl: the time `elapsed` since the crawl before, the `lone` signals that came meanwhile (one column a
    source), how many `coincidences` of two or more sources (see `together`), and whether it `changed`.

    A coincidence is certain news.  Where a crawl found no change after one, no quality of the sources explains it: the
    interval's signals and coincidences count, its outcome does not, and the interval is `contradicted`.

    >>> rows = 40
    >>> lone, both = np.tile([[0, 1], [1, 0], [0, 0], [0, 0]], (rows, 1)), np.tile([0, 0, 1, 0], rows)
    >>> result = fit_sources(np.ones(4 * rows), lone, both, changed=np.tile([0, 1, 1, 0], rows))
    >>> result.recall.round(2).tolist(), result.false_signal_rate.round(2).tolist()
    ([1.0, 0.5], [0.0, 0.25])
    """
    data = outcomes(elapsed, np.atleast_2d(numbers("lone", lone)), changed, weights=weights)
    both = as_many("coincidences", column("coincidences", coincidences), data.used)
    refuse("coincidences", both, ~((both >= 0.0) & (both < np.inf)), "be counts >= 0")
    seen = both[data.used]
    _require(data, seen)
    scaled, units, heavy = data.scaled(signals=False)
    return _solve(_Evidence.of(scaled, seen), float(units[0]), heavy)


def _require(data: Outcomes, seen: Array) -> None:
    """Refuse what says nothing about sources."""
    silent = (data.features[:, 1:] == 0.0).all(axis=0) & (not seen.any())
    if not len(data.changed):
        what = "there is no interval with a known outcome"
    elif not data.changed.any():
        what = "no interval changed"
    elif data.changed[seen == 0.0].all():
        what = "every interval changed" if data.changed.all() else "every interval without a coincidence changed"
    elif silent.any():
        what = f"source {int(np.argmax(silent))} was never heard; leave it out"
    else:
        return
    raise UndeterminedError(f"the sources cannot be told: {what}")


@dataclass(frozen=True)
class _Evidence:
    """What the likelihood needs: counts over all the time, outcomes of the intervals without a coincidence."""

    time: float
    lone: Array
    coincidences: float
    unchanged: Array  # summed features
    rows: Array  # features of changed intervals, and their weights
    weights: Array
    contradicted: float

    @classmethod
    def of(cls, data: Outcomes, seen: Array) -> "_Evidence":
        total = data.weights @ data.features
        plain = seen == 0.0
        same, other = plain & ~data.changed, plain & data.changed
        return cls(
            float(total[0]),
            total[1:],
            float(data.weights @ seen),
            data.weights[same] @ data.features[same],
            data.features[other],
            data.weights[other],
            float(data.weights @ (~plain & ~data.changed)),
        )

    def loss(self, parameters: Array) -> float:
        """-log likelihood at (log Delta, logit lambda_k .., log nu_k ..)."""
        delta, recall, false = _natural(parameters)
        alpha = delta * np.prod(1.0 - recall)
        true = alpha * recall / (1.0 - recall)
        lone = false + true
        ended = max(delta - alpha - true.sum(), 1e-300)
        theta = np.concatenate(([alpha], np.log1p(true / false)))
        changed = -np.expm1(-(self.rows @ theta))
        total = self.weights @ np.log(np.maximum(changed, 1e-300)) - self.unchanged @ theta
        total += self.lone @ np.log(lone) - self.time * lone.sum()
        total += self.coincidences * np.log(ended) - self.time * ended
        return -float(total)


def _natural(parameters: Array) -> tuple[float, Array, Array]:
    count = len(parameters) // 2
    return (
        float(np.exp(parameters[0])),
        1.0 / (1.0 + np.exp(-parameters[1 : 1 + count])),
        np.exp(parameters[1 + count :]),
    )


def _solve(evidence: _Evidence, unit: float, heavy: float) -> SourceFit:
    """The best fit; `unit` and `heavy` are those of time and weights in the evidence."""
    from scipy.optimize import minimize

    count = len(evidence.lone)
    least = np.log(1e-6 / evidence.time)
    rates = np.maximum(evidence.lone / evidence.time, 1e-3 / evidence.time)
    guess = (evidence.weights.sum() + evidence.coincidences + 1.0) / evidence.time
    start = np.concatenate(([np.log(guess)], np.zeros(count), np.log(rates / 2.0)))
    bounds = [(least, np.log(1e6 * guess)), *[(-_LOGIT, _LOGIT)] * count, *[(least, np.log(2.0 * r)) for r in rates]]
    found = minimize(evidence.loss, start, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500, "maxfun": 20000})
    delta, recall, false = _natural(found.x)
    covariance, unknown = _covariance(evidence.loss, found.x)
    errors = np.where(unknown, np.inf, np.sqrt(np.diag(covariance))) / np.sqrt(heavy)
    precision, odds_error = _precision(found.x, covariance, unknown)
    return SourceFit(
        delta / unit,
        recall,
        false / unit,
        precision,
        float(delta / unit * errors[0]),
        recall * (1.0 - recall) * errors[1 : 1 + count],
        false / unit * errors[1 + count :],
        precision * (1.0 - precision) * odds_error / np.sqrt(heavy),
        evidence.contradicted * heavy,
        bool(found.success),
    )


def _precision(at: Array, covariance: Array, unknown: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Share of a source's signals that are true, and the standard error of its log odds.

    The odds are lambda Delta/nu, so that their logarithm moves with log Delta, with (1 - lambda) of logit lambda, and
    against log nu.
    """
    delta, recall, false = _natural(at)
    count, true = len(recall), recall * delta
    errors = np.empty(count)
    for k in range(count):
        involved = np.array([0, 1 + k, 1 + count + k])
        slope = np.array([1.0, 1.0 - recall[k], -1.0])
        variance = slope @ covariance[np.ix_(involved, involved)] @ slope
        errors[k] = np.inf if unknown[involved].any() else np.sqrt(max(variance, 0.0))
    return true / (true + false), errors


def _covariance(loss: Callable[[Array], float], at: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Covariance of the parameters, and which of them may move without the loss bending: those are not known.

    The curvature is that in rates and recalls themselves: in logarithms any loss bends at the end of the range, as the
    parameter stops moving there.  With x = e^u the two differ by the slope; with x = 1/(1 + e^-u) by 1 - 2x of it.
    """
    n, h = len(at), 1e-3
    steps = h * np.eye(n)
    curve = np.empty((n, n))
    for i in range(n):
        for j in range(i + 1):
            corners = [loss(at + a * steps[i] + b * steps[j]) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))]
            curve[i, j] = curve[j, i] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4.0 * h * h)
    slope = np.array([loss(at + step) - loss(at - step) for step in steps]) / (2.0 * h)
    _, recall, _ = _natural(at)
    bend = np.ones(n)
    bend[1 : 1 + len(recall)] = 1.0 - 2.0 * recall
    curve -= np.diag(slope * bend)
    sizes, axes = np.linalg.eigh(curve)
    flat = sizes < _FLAT
    known = axes[:, ~flat]
    return known / sizes[~flat] @ known.T, (np.abs(axes[:, flat]) > 1e-2).any(axis=1)


def together(
    pages: ArrayLike, times: ArrayLike, sources: ArrayLike, window: float = 0.0
) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
    """Signals as events: lone ones with their source, coincidences once, as source -1, at their first signal's time.

    A coincidence is signals of one page, each within `window` of the one before, from two sources or more.

    >>> together(pages=[0, 0, 0, 1], times=[1.0, 1.1, 5.0, 1.0], sources=[0, 1, 0, 1], window=0.2)
    (array([0, 0, 1]), array([1., 5., 1.]), array([-1,  0,  1]))
    """
    whose, when, of = np.asarray(pages), column("times", times), column("sources", sources)
    if not whose.shape == when.shape == of.shape or whose.ndim != 1:
        raise InputError("pages, times and sources must be columns of one length", argument="times")
    refuse("times", when, ~np.isfinite(when), "be finite")
    refuse("sources", of, ~(np.abs(of) < 2.0**62) | (of % 1.0 != 0.0), "be whole numbers")
    of = of.astype(np.int64)
    refuse("sources", of, ~(of >= 0), "be numbers >= 0 (-1 marks a coincidence)")
    window = at_least_0("window", window)
    order = np.lexsort((of, when, whose))
    whose, when, of = whose[order], when[order], of[order]
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = (whose[1:] != whose[:-1]) | (when[1:] - when[:-1] > window)
    group = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    least, most = (f.reduceat(of, starts) if len(of) else of for f in (np.minimum, np.maximum))
    mixed = (least != most)[group] if len(of) else begins
    kept = begins | ~mixed
    return whose[kept].astype(np.int64), when[kept], np.where(mixed, -1, of)[kept].astype(np.int64)
