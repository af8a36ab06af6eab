"""Greatest ages that are set later count as if the page had had them from the beginning."""

import numpy as np
import pytest

from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model import Pages


def scheduler(n=30, **more):
    rates = np.linspace(0.1, 3.0, n)
    return Scheduler(Pages.from_rates(change_rate=rates, importance=1.0, recall=0.5, false_signal_rate=0.2), **more)


@pytest.mark.parametrize("leased", [False, True])
def test_a_greatest_age_set_later_counts_as_one_from_the_beginning(leased):
    ages = np.where(np.arange(30) % 3 == 0, 2.5, np.inf)
    late, twin = scheduler(), scheduler(max_age=ages)
    if leased:
        ids = late.lease(5, 0.1)
        twin.hold(ids, 0.1)
    late.set_max_age(np.arange(30), ages, 0.2)
    if leased:
        late.release(ids, 0.3)
        twin.release(ids, 0.3)
    late.check()
    for step in range(1, 60):
        now = 0.3 + 0.13 * step
        assert late.take(1, now).tolist() == twin.take(1, now).tolist()


def test_a_greatest_age_can_be_lifted():
    late, twin = scheduler(max_age=0.5), scheduler()
    late.set_max_age(np.arange(30), np.inf, 0.0)
    for step in range(1, 40):
        assert late.take(1, 0.2 * step).tolist() == twin.take(1, 0.2 * step).tolist()


def test_bad_ages_are_refused():
    with pytest.raises(InputError, match="max_age must be > 0"):
        scheduler().set_max_age([0], [0.0], 1.0)


def test_what_a_host_is_doing():
    s = scheduler(hosts=np.zeros(30, dtype=np.int64))
    s.set_host(0, gap=2.0, max_in_flight=3)
    s.lease(1, 1.0)
    assert s.host_state(0) == (3.0, 1, 3)
