"""Signals that count as more or as less than one."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.learn import Learner
from recrawl.learn.online.layout import SQUARES, WEIGHT


def test_weights_add_up():
    learner = Learner(3, now=0.0)
    learner.signalled([0, 2, 0], 1.0, weights=[0.25, 2.0, 0.5])
    learner.signalled([0, 1], 2.0, weights=3.0)
    assert learner.heard([0, 1, 2]).tolist() == [3.75, 3.0, 2.0]


@pytest.mark.parametrize("weights", [1.0, [1.0, 1.0, 1.0]])
def test_without_weights_each_counts_as_one(weights):
    plain, weighted = Learner(3, now=0.0), Learner(3, now=0.0)
    plain.signalled([0, 2, 0], 1.0)
    weighted.signalled([0, 2, 0], 1.0, weights=weights)
    assert plain.heard([0, 1, 2]).tolist() == weighted.heard([0, 1, 2]).tolist() == [2.0, 0.0, 1.0]


ONE = [WEIGHT, SQUARES]


def test_a_weight_is_as_if_so_many_signals_were_observed():
    counting, told = Learner(2, now=0.0), Learner(2, now=0.0)
    for k in range(1, 40):
        counting.signalled([0], k - 0.5, weights=0.3 * (k % 4))
        heard = float(counting.heard([0])[0])
        counting.observe([0], None, None, [k % 2], float(k), 0.3)
        told.signalled([], k - 0.5)
        told._memory.numbers[ONE] = counting._memory.numbers[ONE]  # only `signalled` hears what one signal counts
        told.observe([0], [1.0], [heard], [k % 2], float(k), 0.3)
    assert counting.pages().signal_weight.tolist() == told.pages().signal_weight.tolist()


def test_an_interval_may_begin_with_part_of_a_signal():
    learner = Learner(2, now=0.0)
    learner.restart([1], 1.0, signals=0.75)
    assert learner.heard([0, 1]).tolist() == [0.0, 0.75]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -0.5], "weights must be finite and >= 0, got -0.5 in row 1"),
        (np.nan, "weights must be finite and >= 0, got nan"),
        (np.inf, "weights must be finite and >= 0, got inf"),
        ([1.0, 1.0, 1.0], "weights must be one number or 2, got 3"),
        ("much", "weights must be numbers"),
    ],
)
def test_bad_weights_change_nothing(weights, message):
    learner = Learner(2, now=0.0)
    with pytest.raises(InputError, match=message):
        learner.signalled([0, 1], 1.0, weights=weights)
    assert (learner.heard([0, 1]).tolist(), learner.now) == ([0.0, 0.0], 0.0)
