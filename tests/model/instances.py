"""Page parameters over every limit of the model, for Hypothesis and for grids."""

import math

from hypothesis import strategies as st

positive = st.floats(-7.0, 3.0).map(lambda e: 10.0**e)
"""Rates over ten decades."""

weights = st.one_of(st.just(0.0), st.just(math.inf), st.floats(-12.0, 2.0).map(lambda e: 10.0**e))
"""Signal weights, pure noise and certain news included."""

rates_or_none = st.one_of(st.just(0.0), positive)

staleness = st.floats(-9.0, 1.6).map(lambda e: 10.0**e)


@st.composite
def page(draw):
    """alpha, kappa, gamma of a page that changes now and then."""
    kind = draw(st.sampled_from(["general", "comparable", "all signalled", "no signals"]))
    if kind == "general":
        return draw(positive), draw(weights), draw(rates_or_none)
    if kind == "all signalled":
        return 0.0, draw(weights.filter(lambda k: k > 0.0)), draw(positive)
    if kind == "no signals":
        return draw(positive), draw(weights), 0.0
    # signals about as telling as time: c = gamma kappa/alpha between 1e-2 and 1e3, where the forms meet
    alpha, kappa = draw(positive), 10.0 ** draw(st.floats(-6.0, 1.0))
    return alpha, kappa, alpha * 10.0 ** draw(st.floats(-2.0, 3.0)) / kappa
