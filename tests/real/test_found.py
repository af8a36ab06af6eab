"""From scores to the table."""

import numpy as np
import pytest

from recrawl.real.found import ANY_RIVAL, BEST, Cell, Found
from recrawl.real.resampling import Resampling, weighted_mean
from recrawl.real.rivals import NUTCH, SHIPPED, STORMCRAWLER, UNIFORM, rivals
from recrawl.real.settings import Setting
from recrawl.real.stage import stage
from recrawl.real.trials import OURS, Score

SETTING = Setting(None, pages=50, years=1.0)
CELL = Cell(SETTING, 1.0, "equal", "none")


def scores(of: dict[tuple[str, str, float], float]) -> Found:
    """Every page as fresh as said, by policy, constants and budget."""
    ours = {OURS: ("none", "equal")}
    return Found(
        Score(SETTING, budget, *ours.get(policy, ("", "")), policy, constants, np.full(50, fresh))
        for (policy, constants, budget), fresh in of.items()
    )


def table() -> Found:
    rules = {
        (name, SHIPPED, budget): 1.0 - 0.4 / budget
        for name in (UNIFORM, NUTCH, STORMCRAWLER)
        for budget in (1.0, 2.0, 4.0, 8.0)
    }
    return scores({**rules, (OURS, "", 1.0): 0.85, (NUTCH, "others", 1.0): 0.7})


def test_the_best_constants_are_those_that_were_freshest() -> None:
    assert table().score(CELL, NUTCH + BEST).constants == "others"
    assert table().score(CELL, NUTCH).constants == SHIPPED


def test_the_lead_is_ours_minus_theirs() -> None:
    lead = table().lead(CELL, NUTCH + BEST)
    assert lead.mean == pytest.approx(0.15)
    assert lead.standard_error == pytest.approx(0.0, abs=1e-12)


def test_bandwidth_is_read_off_the_rivals_curve() -> None:
    need = table().need(CELL, UNIFORM)
    assert need.times == pytest.approx(0.4 / 0.15)  # stale in inverse proportion to the budget
    assert need.low == pytest.approx(need.high)


def test_bandwidth_beyond_the_ladder_is_said_to_be_more() -> None:
    found = scores({(UNIFORM, SHIPPED, 1.0): 0.5, (UNIFORM, SHIPPED, 2.0): 0.6, (OURS, "", 1.0): 0.9})
    assert str(found.need(CELL, UNIFORM)) == "> ×2"


def test_bandwidth_below_the_ladder_is_said_to_be_at_most_that() -> None:
    found = scores({(UNIFORM, SHIPPED, 0.25): 0.9, (UNIFORM, SHIPPED, 1.0): 0.9, (OURS, "", 1.0): 0.9})
    assert str(found.need(CELL, UNIFORM)) == "≤ ×0.25"
    found = scores({(UNIFORM, SHIPPED, 1.0): 0.9, (OURS, "", 1.0): 0.9})
    assert str(found.need(CELL, UNIFORM)) == "×1"


def test_any_rival_is_the_best_of_all() -> None:
    assert table().score(CELL, ANY_RIVAL).constants == "others"


def test_errors_are_those_of_a_mean_over_pages() -> None:
    rng = np.random.default_rng(0)
    fresh = rng.random(400)
    drawn = Resampling(400, rng, resamples=4000).means(fresh[None], np.ones(400))
    # a standard deviation from 4,000 samples is good to 1.1%: 5 of that fail by chance once in a million runs
    assert drawn.std() == pytest.approx(fresh.std() / 20.0, rel=0.06)
    assert drawn.mean() == pytest.approx(weighted_mean(fresh, np.ones(400)), abs=0.002)


def test_differences_are_paired() -> None:
    fresh = np.random.default_rng(1).random((1, 100))
    drawn = Resampling(100, np.random.default_rng(2))
    both = drawn.means(np.vstack((fresh, fresh - 0.1)), np.ones(100))
    assert np.ptp(both[0] - both[1]) < 1e-12


def test_samples_in_which_no_page_counts_are_left_out() -> None:
    drawn = Resampling(2, np.random.default_rng(0)).means(np.array([[0.5, 0.7]]), np.array([1.0, 0.0]))
    assert drawn.shape[1] == pytest.approx(750, abs=75)  # three of four have the first page; 5.5 standard deviations
    assert drawn == pytest.approx(0.5)


def test_constants_have_names_of_their_own() -> None:
    for budget in (0.05, 1.0, 4.0, 51.2):
        named = [(policy, constants) for policy, constants, _ in rivals(budget)]
        assert len(named) == len(set(named)), budget
        assert [name for name, constants in named if constants == SHIPPED] == [UNIFORM, NUTCH, STORMCRAWLER]


def test_a_stage_has_what_was_asked_for() -> None:
    ready = stage(SETTING)
    assert len(ready.history) == 50
    assert ready.mean_pages == pytest.approx(50.0)
    moving = stage(Setting(None, moving=True, pages=50, years=1.0))
    assert moving.mean_pages < 50.0
    assert (moving.weights("equal") <= moving.history.end * 0.75).all()
