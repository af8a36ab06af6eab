"""Signals that weigh a share of the page's own: hints that say less than others, or more."""

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.errors import InputError
from tests.engine.test_scheduler_equals_scan import CLASSES


def staleness_after(ids, **keywords):
    s = Scheduler(paper_mix(6, seed=2))
    s.signal(ids, 1.0, **keywords)
    return s.staleness(np.arange(6), 1.0)


def test_scale_multiplies_the_own_weight():
    s = Scheduler(paper_mix(6, seed=2))
    before, own = s.staleness(np.arange(6), 1.0), s.columns()["kappa"]
    got = staleness_after([0, 1, 2, 3], scale=[0.5, 0.0, 1.0, 2.0])
    assert got.tolist() == (before + own * [0.5, 0.0, 1.0, 2.0, 0.0, 0.0]).tolist()


@pytest.mark.parametrize("scale", [1.0, 1, [1.0, 1.0, 1.0]])
def test_a_scale_of_one_is_none(scale):
    got, expected = staleness_after([0, 3, 3], scale=scale), staleness_after([0, 3, 3])
    assert got.tobytes() == expected.tobytes()


def test_none_of_a_certain_signal_is_nothing():
    s = Scheduler(paper_mix(6, seed=2), "greedy-cis")
    before = s.staleness(np.arange(6), 1.0)
    s.signal(np.arange(6), 1.0, scale=0.0)
    assert s.staleness(np.arange(6), 1.0).tolist() == before.tolist()


@pytest.mark.parametrize("scale", [-1.0, np.inf, np.nan, "a", [1.0, 2.0], [[1.0]]])
def test_scales_that_mean_nothing_are_refused(scale):
    with pytest.raises(InputError) as error:
        staleness_after([0, 1, 2], scale=scale)
    assert error.value.argument == "scale"


def test_scale_is_refused_beside_a_weight_and_for_classes():
    with pytest.raises(InputError, match="where a weight is given"):
        staleness_after([0], scale=0.5, weight=1.0)
    with pytest.raises(InputError, match="classes of sources"):
        Scheduler(paper_mix(5), sources=CLASSES).signal([0], 1.0, scale=0.5)
