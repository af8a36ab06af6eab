"""The two figures of the appendix on estimation: they run, and their verdicts follow from the numbers."""

import numpy as np
import pytest

from recrawl.paper import catalogue
from recrawl.paper.settings import Settings
from recrawl.paper.trials.estimators import Trials

TINY = Settings(repetitions=2, share=0.02, workers=1)


@pytest.mark.parametrize("name", ["estimators-naive", "estimators-mle"])
def test_the_figure_has_a_row_for_each_rate_and_draws(name):
    from matplotlib.figure import Figure

    result = catalogue.get(name).run(TINY)
    # Two qualities, five crawl rates and all of them, bias and absolute error.
    assert len(result.rows) == 2 * 6 * 2
    assert list(result.rows[0])[-3:] == ["mean", "standard_error", "repetitions"]
    figure = Figure()
    result.draw(figure)
    assert [axes.get_xlabel() for axes in figure.axes] == ["true precision", "true recall"]


def trials(bias, spread, n=200):
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.2, 0.95, size=(n, 2))
    return Trials(np.ones(n), truth, truth + bias + spread * rng.standard_normal((n, 2)))


@pytest.mark.parametrize(
    ("name", "bias", "spread", "expected"),
    [
        ("estimators-naive", 0.2, 0.1, [True, True]),
        ("estimators-naive", 0.0, 0.1, [None, None]),
        ("estimators-mle", 0.0, 0.01, [True, False, True, False]),
        ("estimators-mle", 0.0, 1e-4, [True, True, True, True]),
        ("estimators-mle", 0.05, 0.01, [False, False, False, False]),
    ],
)
def test_verdicts_follow_from_the_numbers(name, bias, spread, expected):
    # Unbiased draws are called biased with probability 2% a quality; this seed's are not.
    got = [check.holds for check in catalogue.get(name).verdict(trials(bias, spread)).checks]
    assert got == expected


def test_both_figures_see_the_same_pages():
    from recrawl.paper.trials import appendix

    first, second = (
        appendix.table(estimate, pages=2, seed=3, horizon=2000.0)
        for estimate in (appendix.naive_quality, appendix.fitted_quality)
    )
    assert [row.true_recall for row in first] == [row.true_recall for row in second]
