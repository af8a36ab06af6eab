"""What crawls of one page, or of a class of pages, found: checked once, read by every estimator."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import column, numbers
from recrawl.errors import InputError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Outcomes:
    """Intervals between crawls whose end is known to have found a change or none, and the signals seen meanwhile.

    `features` has a row (elapsed, signals of each source) for each interval; `censored` counts those left out, and
    `used` says which of the rows given are here.
    """

    features: Array
    changed: Flags
    weights: Array
    signals_seen: Array
    time_seen: float
    censored: int
    several: bool
    used: Flags

    @property
    def rows(self) -> Array:
        """Features of the changed intervals."""
        return np.ascontiguousarray(self.features[self.changed])

    @property
    def row_weights(self) -> Array:
        """Their weights."""
        return self.weights[self.changed]

    @property
    def linear(self) -> Array:
        """Summed features of the unchanged intervals: all that the likelihood needs of them."""
        unchanged = ~self.changed
        total: Array = self.weights[unchanged] @ self.features[unchanged]
        return total

    def scaled(self, signals: bool = True) -> "tuple[Outcomes, Array, float]":
        """The same in units in which numbers are about 1, and those units: of each feature, and of the weights.

        Squares and sums then stay within float64 for any unit of time and any weights.  Units are powers of two, so
        that nothing is rounded.  `signals` False leaves counts as they are.
        """
        count = self.features.shape[1]
        powers = np.array([_power(self.features[:, i]) if signals or i == 0 else 0 for i in range(count)])
        heavy = _power(self.weights)
        features, weights = np.ldexp(self.features, -powers), np.ldexp(self.weights, -heavy)
        return replace(self, features=features, weights=weights), np.ldexp(1.0, powers), float(np.ldexp(1.0, heavy))


def outcomes(
    elapsed: ArrayLike,
    signals: ArrayLike,
    changed: ArrayLike,
    observed_time: float | None = None,
    n_signals: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Outcomes:
    """Check and gather.  NaN in `elapsed` (a first visit) or in `changed` (nobody compared) leaves an interval out."""
    tau = np.atleast_1d(column("elapsed", elapsed))
    n = numbers("signals", signals)
    several = n.ndim == 2
    if n.ndim > 2:
        raise InputError(f"signals must be counts, one column a source, got shape {n.shape}", argument="signals")
    n = n if several else as_many("signals", n, tau)[:, None]
    z = as_many("changed", column("changed", changed), tau)
    w = as_many("weights", np.ones(1) if weights is None else column("weights", weights), tau)
    if len(n) != len(tau):
        raise InputError(f"signals must have as many rows as elapsed, got {len(n)} and {len(tau)}", "signals")
    check_intervals(tau, n, z)
    refuse("weights", w, ~((w >= 0.0) & (w < np.inf)), "be finite and >= 0")
    timed = ~np.isnan(tau)
    known = timed & ~np.isnan(z)
    used = known & (w > 0.0)
    with np.errstate(over="ignore"):
        time, seen = float(w[timed] @ tau[timed]), w[timed] @ n[timed]
    if not (time < np.inf and (seen < np.inf).all()):
        raise InputError("weights times elapsed or signals must have a finite sum; give smaller weights", "weights")
    time, seen = _signals_seen(observed_time, n_signals, time, seen)
    features, censored = np.column_stack((tau, n))[used], int(np.sum(~known))
    return Outcomes(features, z[used] == 1.0, w[used], seen, time, censored, several, used)


def check_intervals(elapsed: Array, signals: Array, changed: Array) -> None:
    """Refuse times, counts and outcomes that the model has no meaning for."""
    timed = (elapsed > 0.0) & (elapsed < np.inf)
    refuse("elapsed", elapsed, ~(np.isnan(elapsed) | timed), "be > 0 and finite (NaN: first visit)")
    refuse("signals", signals, ~((signals >= 0.0) & (signals < np.inf)), "be counts >= 0")
    check_changed(changed)


def check_changed(changed: Array) -> None:
    """Refuse what is neither a change nor none nor not known."""
    refuse("changed", changed, ~(np.isnan(changed) | (changed == 0.0) | (changed == 1.0)), "be 0 or 1 (NaN: not known)")


def _power(values: Array) -> int:
    """The power of two nearest to the (geometric) mean of what is not 0."""
    found = values[values > 0.0]
    return int(np.clip(np.rint(np.frexp(found)[1].mean()), -1022, 1023)) if len(found) else 0


def as_many(name: str, values: Array, tau: Array | Flags) -> Array:
    """A column as long as `tau`; a single number counts for every row."""
    if values.ndim == 0 or len(values) == 1:
        return np.broadcast_to(values, tau.shape)
    if len(values) != len(tau):
        raise InputError(f"{name} must have as many rows as elapsed, got {len(values)} and {len(tau)}", argument=name)
    return values


def _signals_seen(
    observed_time: float | None, n_signals: ArrayLike | None, time: float, seen: Array
) -> tuple[float, Array]:
    """Time and signal counts for the signal rate: the caller's, or what the intervals hold."""
    if (observed_time is None) != (n_signals is None):
        raise InputError("observed_time and n_signals must come together: signals, and the time they were counted over")
    if observed_time is None or n_signals is None:
        return float(time), np.asarray(seen)
    if not 0.0 < observed_time < np.inf:
        raise InputError(f"observed_time must be > 0 and finite, got {observed_time}", argument="observed_time")
    given = np.atleast_1d(column("n_signals", n_signals))
    if given.shape != seen.shape:
        raise InputError(f"n_signals must be one count a source, {len(seen)}, got {len(given)}", argument="n_signals")
    refuse("n_signals", given, ~((given >= 0.0) & (given < np.inf)), "be counts >= 0")
    return float(observed_time), np.array(given)


def refuse(name: str, values: Array, bad: Flags, rule: str) -> None:
    """Name the first row that breaks a rule."""
    if bad.any():
        place = np.argwhere(bad)[0]
        row = int(place[0])
        raise InputError(f"{name} must {rule}, got {values[tuple(place)]} in row {row}", argument=name, row=row)
