"""Precision and recall by maximum likelihood: unbiased, with the error its data allow."""

import numpy as np

from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials import appendix, estimators
from recrawl.sim.statistics import Estimate

TITLE = "Maximum likelihood of signal quality"
PAPER = (
    "The figure shows estimates of precision and recall against the truth, by fitting alpha and beta. The text: the "
    "absolute error of this estimator was on the order of 1e-4."
)

SMALL = 1e-3
"""Errors below this are 'on the order of 1e-4'."""

BIAS_OR_ERROR = (
    "The caption speaks of bias, the text of absolute error. Single errors are as large as the standard errors the "
    "likelihood gives at this horizon, about 1e-2, which no unbiased estimator undercuts on average; 1e-4 can only be "
    "the bias, of which this trial can say that it is below its own standard error."
)


def run(settings: Settings) -> Result:
    """The trial of the appendix, with the fits of recrawl.learn."""
    return estimators.result(appendix.fitted_quality, settings, verdict, [BIAS_OR_ERROR])


def verdict(trials: estimators.Trials) -> Verdict:
    """Unbiased as far as chance allows to tell; and the claim about the absolute error as it is printed."""
    checks = []
    for quality in estimators.QUALITIES:
        errors = trials.errors(quality)
        bias, size = Estimate.of(errors), Estimate.of(np.abs(errors))
        checks += [
            Check(
                f"{quality} by maximum likelihood is unbiased",
                None if bias.repetitions < 2 else not (bias.above_zero or bias.below_zero),
                f"mean error {bias}.",
            ),
            Check(
                f"the absolute error of {quality} is on the order of 1e-4",
                size.mean < SMALL,
                f"mean absolute error {size}.",
            ),
        ]
    return Verdict(checks)
