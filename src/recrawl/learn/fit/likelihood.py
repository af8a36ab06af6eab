"""The likelihood of crawl outcomes, and the one solver that every estimate goes through.

An interval with features z = (tau, n_1 .. n_K) was unchanged with probability e^(-x), x = theta.z, theta = (alpha,
kappa_1 .. kappa_K).  So, with changed intervals j of weight w_j and S the weighted sum of the unchanged ones,

    l(theta) = -S.theta + sum_j w_j log(1 - e^(-theta.z_j)) + sum_i a_i log(theta_i) + d_i log(1 - e^(-theta_i))

The last sum is a prior (prior.py) and zero for a plain fit.  Every term is concave, and so is the whole.
"""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_STEPS = 200
_HALVINGS = 60


@jit
def log_changed(x: float) -> float:
    """log(1 - e^-x), -inf at 0."""
    if x <= 0.0:
        return -math.inf
    return math.log(-math.expm1(-x)) if x < 0.7 else math.log1p(-math.exp(-x))


@jit
def log_likelihood(theta: Array, rows: Array, weights: Array, linear: Array, power: Array, unit: Array) -> float:
    """l at theta; `rows` are the z of changed intervals, `linear` is S, `power` a, `unit` d."""
    total = 0.0
    for i in range(len(theta)):
        if linear[i] > 0.0:
            total -= linear[i] * theta[i]
        if power[i] > 0.0:
            total += power[i] * math.log(theta[i]) if theta[i] > 0.0 else -math.inf
        if unit[i] > 0.0:
            total += unit[i] * log_changed(theta[i])
    for j in range(len(weights)):
        x = 0.0
        for i in range(len(theta)):
            x += theta[i] * rows[j, i]
        total += weights[j] * log_changed(x)
    return total


@jit
def slopes(
    theta: Array,
    rows: Array,
    weights: Array,
    linear: Array,
    power: Array,
    unit: Array,
    gradient: Array,
    information: Array,
) -> None:
    """Fill the gradient of l and minus its second derivatives."""
    p = len(theta)
    information[:] = 0.0
    for i in range(p):
        gradient[i] = -linear[i]
        if power[i] > 0.0:
            gradient[i] += power[i] / theta[i]
            information[i, i] += power[i] / theta[i] ** 2
        if unit[i] > 0.0:
            gradient[i] += unit[i] / math.expm1(theta[i])
            information[i, i] += unit[i] * math.exp(-theta[i]) / math.expm1(-theta[i]) ** 2
    for j in range(len(weights)):
        x = 0.0
        for i in range(p):
            x += theta[i] * rows[j, i]
        slope = weights[j] / math.expm1(x)
        bend = weights[j] * math.exp(-x) / math.expm1(-x) ** 2
        for i in range(p):
            gradient[i] += slope * rows[j, i]
            for k in range(i + 1):
                information[i, k] += bend * rows[j, i] * rows[j, k]
    for i in range(p):
        for k in range(i):
            information[k, i] = information[i, k]


@jit
def _solve(matrix: Array, right: Array, free: Flags, out: Array) -> float:
    """`out` = matrix^-1 right over the free parameters (0 elsewhere), by Cholesky; returns right.out.

    Parameters are scaled to a unit diagonal and given a ridge of 1e-13, which only matters where they cannot be told
    apart: the step then takes the shortest way.
    """
    p = len(right)
    lower = np.zeros((p, p))
    scale = np.ones(p)
    for i in range(p):
        out[i] = 0.0
        if free[i] and matrix[i, i] > 0.0:
            scale[i] = 1.0 / math.sqrt(matrix[i, i])
    for i in range(p):
        for k in range(i + 1):
            both = free[i] and free[k]
            total = matrix[i, k] * scale[i] * scale[k] if both else 0.0
            if i == k:
                total = total + 1e-13 if free[i] else 1.0
            for r in range(k):
                total -= lower[i, r] * lower[k, r]
            lower[i, k] = math.sqrt(max(total, 1e-14)) if i == k else total / lower[k, k]
    for i in range(p):
        total = right[i] * scale[i] if free[i] else 0.0
        for r in range(i):
            total -= lower[i, r] * out[r]
        out[i] = total / lower[i, i]
    for i in range(p - 1, -1, -1):
        total = out[i]
        for r in range(i + 1, p):
            total -= lower[r, i] * out[r]
        out[i] = total / lower[i, i]
    decrement = 0.0
    for i in range(p):
        out[i] = out[i] * scale[i] if free[i] else 0.0
        decrement += right[i] * out[i]
    return decrement


@jit
def _newton_step(
    theta: Array, held: Flags, gradient: Array, information: Array, free: Flags, step: Array
) -> tuple[float, float]:
    """Fill the step of the parameters that may move; (twice its expected gain, the part of it that stays >= 0).

    A parameter at 0 may move if its slope points up and, given the others, its step does.
    """
    p = len(theta)
    for i in range(p):
        free[i] = not held[i] and (theta[i] > 0.0 or gradient[i] > 0.0)
    settled = False
    decrement = 0.0
    while not settled:
        decrement = _solve(information, gradient, free, step)
        settled = True
        for i in range(p):
            if free[i] and theta[i] == 0.0 and step[i] < 0.0:
                free[i] = False
                settled = False
    room = 1.0
    for i in range(p):
        if step[i] < 0.0:
            room = min(room, -theta[i] / step[i])
    return decrement, room


@jit
def maximise(
    theta: Array, held: Flags, rows: Array, weights: Array, linear: Array, power: Array, unit: Array
) -> tuple[float, bool]:
    """Climb from `theta` (changed in place) to the maximum of l over theta >= 0; `held` parameters stay.

    Projected Newton: the full step cut off at 0 if l does not fall, else the step up to the first bound, else halves of
    that.  Returns l and whether the first-order conditions hold: before the last step a further one could gain
    1e-12 of l at most, and after it about the square of that.
    """
    p = len(theta)
    gradient, information = np.empty(p), np.empty((p, p))
    free = np.empty(p, dtype=np.bool_)
    step, trial = np.empty(p), np.empty(p)
    best = log_likelihood(theta, rows, weights, linear, power, unit)
    near = False
    for _ in range(_STEPS):
        slopes(theta, rows, weights, linear, power, unit, gradient, information)
        decrement, room = _newton_step(theta, held, gradient, information, free, step)
        if near or decrement <= 1e-30:
            return best, True
        near = decrement <= 1e-12 * (1.0 + abs(best))  # one step more: Newton squares the error
        slack = 1e-12 * (1.0 + abs(best)) if near else 0.0
        size = 1.0
        for _halving in range(_HALVINGS):
            for i in range(p):
                trial[i] = max(theta[i] + size * step[i], 0.0)
                if size == room and theta[i] + size * step[i] < 1e-12 * theta[i]:
                    trial[i] = 0.0
            value = log_likelihood(trial, rows, weights, linear, power, unit)
            if value >= best - slack:
                break
            size = room if room < size else 0.5 * size
        else:
            return best, near
        theta[:] = trial
        best = value
    return best, False
