"""Worlds from histories."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.histories import History
from recrawl.histories.signals import Quality, Signals
from recrawl.sim import simulate
from recrawl.sim.histories import true_pages, world_of


def two(created: float = 0.0) -> History:
    return History(
        "two",
        ("a", "b"),
        np.array([0.0, created]),
        np.full(2, np.inf),
        np.array([0, 0, 0]),
        np.array([1.0, 4.0, 9.0]),
        10.0,
    )


def test_a_world_has_the_changes_of_the_history_and_the_signals_that_arrive_in_it() -> None:
    signals = Signals(
        np.array([1, 0, 0]), np.array([0.0, 4.5, 10.5]), np.array([0.0, 4.0, 9.0]), np.array([False, True, True])
    )
    world = world_of(two(), signals)
    assert world.changes.of(0).tolist() == [1.0, 4.0, 9.0]
    assert world.changes.of(1).tolist() == []
    assert world.signal_times.tolist() == [4.5]
    assert world.horizon == 10.0


@pytest.mark.parametrize("policy", ["uniform", "nutch", "stormcrawler", "greedy", "greedy-ncis", "greedy-ncis:learn"])
def test_every_policy_runs_also_where_a_page_never_changes(policy: str) -> None:
    run = simulate(true_pages(two(), np.ones(2), Quality(0.6, 0.5)), policy, rate=1.0, world=world_of(two()))
    assert 0.0 < run.freshness <= 1.0
    assert run.page_freshness[1] == 1.0


def test_pages_in_hindsight_have_their_mean_rates_and_the_quality_of_their_signals() -> None:
    pages = true_pages(two(), np.ones(2), Quality(0.6, 0.5))
    assert pages.change_rate == pytest.approx([0.3, 0.0])
    assert pages.precision == pytest.approx([0.6, 0.0])
    assert pages.recall == pytest.approx([0.5, 0.0])


def test_pages_that_come_are_refused() -> None:
    with pytest.raises(InputError, match="got 1 that come or go"):
        world_of(two(created=3.0))
