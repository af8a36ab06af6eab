"""The most probable parameters of every page under its group's prior, and how sure they are."""

import math

import numpy as np
from numpy.typing import NDArray

from recrawl._jit import jit
from recrawl.learn.fit.likelihood import Array, maximise, slopes

Ids = NDArray[np.int64]


@jit
def page_modes(
    begin: Ids,
    rows: Array,
    linear: Array,
    group: Ids,
    shape: Array,
    rate: Array,
    false: Array,
    true: Array,
    theta: Array,
    certainty: Array,
) -> int:
    """Fill theta = (alpha, kappa) of each page, from its old value as a start; returns how many did not converge.

    `rows` holds the changed intervals of page i at begin[i] : begin[i+1], `linear` the sums of the unchanged.  In
    log alpha and logit phi the mode of a Gamma or Beta posterior is its mean, and its curvature there its counts:
    `certainty` gets the shape of the Gamma and the counts c + d of the Beta that bend as the posterior does, and the
    correlation of log alpha and logit phi.
    """
    lost = 0
    held = np.zeros(2, dtype=np.bool_)
    total, power, unit = np.empty(2), np.zeros(2), np.zeros(2)
    gradient, information = np.empty(2), np.empty((2, 2))
    ones = np.ones(len(rows))
    for i in range(len(theta)):
        g = group[i]
        total[0] = linear[i, 0] + rate[g]
        total[1] = linear[i, 1] + false[g]
        power[0] = shape[g]
        unit[1] = true[g]
        mine = rows[begin[i] : begin[i + 1]]
        weights = ones[begin[i] : begin[i + 1]]
        _, converged = maximise(theta[i], held, mine, weights, total, power, unit)
        lost += not converged
        slopes(theta[i], mine, weights, total, power, unit, gradient, information)
        alpha, phi = theta[i, 0], math.exp(-theta[i, 1])
        uu = alpha * alpha * information[0, 0]
        vv = (1.0 - phi) ** 2 * information[1, 1]
        uv = alpha * (1.0 - phi) * information[0, 1]
        certainty[i, 0] = uu - uv * uv / vv if vv > 0.0 else uu
        bend = vv - uv * uv / uu if uu > 0.0 else vv
        certainty[i, 1] = bend / max(phi * (1.0 - phi), 1e-300)
        certainty[i, 2] = uv / math.sqrt(uu * vv) if uu > 0.0 and vv > 0.0 else 0.0
    return lost
