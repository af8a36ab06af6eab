"""Gaps, requests at once and the busiest second."""

import math

import numpy as np

from recrawl.livingweb.scoring.manners import Busiest, Manners


def test_the_busiest_second_is_that_of_all_windows():
    times = np.sort(np.random.default_rng(0).random(300) * 30.0)
    busiest = Busiest(1.0)
    for time in times.tolist():
        busiest.add(time)
    assert busiest.most == max(int(((times > end - 1.0) & (times <= end)).sum()) for end in times)


def test_gaps_and_pauses_of_hosts_are_apart():
    manners = Manners(2)
    for host, begin, end in ((0, 1.0, 1.5), (1, 1.2, 1.3), (0, 4.0, 9.0), (0, 11.0, 11.0)):
        manners.begin(host, begin, begin, delay=5.0)
        manners.end(host, end)
    assert (manners.gap, manners.pause) == ([3.0, math.inf], [2.0, math.inf])
    assert manners.too_soon == 1
    assert manners.at_once == [1, 1]


def test_what_is_in_flight_together_is_counted():
    manners = Manners(1)
    for _ in range(3):
        manners.begin(0, 1.0, 1.0, None)
    manners.end(0, 2.0)
    manners.begin(0, 3.0, 3.0, None)
    assert manners.at_once == [3]
