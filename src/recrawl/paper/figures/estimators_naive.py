"""Precision and recall counted from intervals with signals and changes: biased."""

import numpy as np

from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import Check, Verdict
from recrawl.paper.settings import Settings
from recrawl.paper.trials import appendix, estimators
from recrawl.sim.statistics import Estimate

TITLE = "The naive estimator of signal quality"
PAPER = (
    "The figure shows estimates of precision and recall against the truth, counted from intervals in which a signal "
    "and a change fell together. The text: this estimator is clearly biased."
)


def run(settings: Settings) -> Result:
    """The trial of the appendix, with the counts."""
    return estimators.result(appendix.naive_quality, settings, verdict)


def verdict(trials: estimators.Trials) -> Verdict:
    """Biased means: the mean error differs from 0 by more than chance."""
    return Verdict([_check(quality, trials.errors(quality)) for quality in estimators.QUALITIES])


def _check(quality: str, errors: np.ndarray) -> Check:
    bias = Estimate.of(errors)
    return Check(
        f"naive {quality} is clearly biased",
        True if bias.above_zero or bias.below_zero else None,
        f"mean error {bias}, mean absolute error {np.abs(errors).mean():.3f}.",
    )
