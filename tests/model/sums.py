"""The sums of Theorem 1 in many digits: the slow, obvious twin of the kernels."""

import mpmath as mp


def exact(x, alpha, kappa, gamma, digits=60):
    """(psi, w, V) per unit importance, for alpha, kappa, gamma > 0 and a sum of reasonable length."""
    with mp.workdps(digits):
        x, alpha, kappa, gamma = mp.mpf(x), mp.mpf(alpha), mp.mpf(kappa), mp.mpf(gamma)
        theta = gamma / alpha
        r = theta / (1 + theta)
        terms = 1 if kappa == mp.inf else int(mp.floor(x / kappa)) + 1
        psi = w = mp.mpf(0)
        for i in range(terms):
            y = x - i * kappa if i else x
            psi += _lower(i + 1, theta * y) / gamma
            w += (mp.exp(-i * kappa) if i else 1) * r ** (i + 1) * _lower(i + 1, (1 + theta) * y) / gamma
        return psi, w, w - mp.exp(-x) * psi


def _lower(k, z):
    """P(k, z) = 1 - e^-z (1 + z + ... + z^(k-1)/(k-1)!); extra digits make up for the cancellation."""
    if z == 0:
        return mp.mpf(0)
    return mp.gammainc(k, 0, z, regularized=True)
