"""When pages change.  Seeds are fixed, so nothing here fails by chance; tolerances are four standard deviations."""

import numpy as np
import pytest

from recrawl.errors import InputError
from recrawl.livingweb import Builds, Bursty, Daily, HostPlan, Poisson, World

RNG = np.random.default_rng
DAYS = 200.0


@pytest.mark.parametrize("way", [Poisson(500, 0.2, spread=0.0), Daily(500, 0.2, spread=0.0)])
def test_rates_are_as_given(way):
    history = way.history(DAYS, RNG(0))
    history.check()
    mean = 500 * 0.2 * DAYS
    assert len(history.change_times) == pytest.approx(mean, abs=4.0 * np.sqrt(mean))


def test_bursts_come_soon_after_each_other():
    plain = Poisson(500, 0.2, spread=0.0).history(DAYS, RNG(0))
    bursty = Bursty(500, 0.2, spread=0.0, echoes=0.7, after_hours=2.0).history(DAYS, RNG(0))
    # a burst has 1 / (1 - echoes) changes on average, and a variance of 1 / (1 - echoes)^3 changes
    mean = 500 * 0.2 * DAYS
    assert len(bursty.change_times) == pytest.approx(mean, abs=4.0 * np.sqrt(mean / 0.3**2))
    shares = []
    for history in (plain, bursty):
        order = np.lexsort((history.change_times, history.change_pages))
        gaps = np.diff(history.change_times[order])[np.diff(history.change_pages[order]) == 0]
        shares.append(np.mean(gaps < 0.25))
    assert shares[0] < 0.1
    assert shares[1] > 0.5


def test_a_daily_cycle_has_its_peak():
    times = Daily(500, 0.5, peak_hour=14.0).history(DAYS, RNG(0)).change_times
    hours = np.bincount((times * 24 % 24).astype(int), minlength=24)
    assert hours[11:17].sum() > 5 * (hours[:5].sum() + hours[23])


def test_builds_touch_everything_at_one_moment():
    history = Builds(40, every_days=7.0, between=Poisson(1, 0.0)).history(30.0, RNG(0))
    assert history.change_times.tolist() == np.repeat([7.0, 14.0, 21.0, 28.0], 40).tolist()
    some = Builds(1000, every_days=7.0, touched=0.3, between=Poisson(1, 0.0)).history(8.0, RNG(0))
    assert len(some.change_times) == pytest.approx(300, abs=4 * np.sqrt(210))


def test_the_same_seed_is_the_same_world():
    plans = (HostPlan("a", Bursty(20)), HostPlan("b", Poisson(20)))
    one, two, other = (World(plans, days=30.0, seed=seed) for seed in (1, 1, 2))
    assert one.changes == two.changes
    assert one.changes != other.changes


def test_what_no_way_can_be_is_refused():
    with pytest.raises(InputError, match="echoes"):
        Bursty(3, echoes=1.0)
    with pytest.raises(InputError, match="pages"):
        Poisson(0)
