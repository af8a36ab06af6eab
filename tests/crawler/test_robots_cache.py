"""How long a robots.txt holds."""

from recrawl.crawler.robots_cache import Known
from recrawl.signals import robots

DAY = 86_400.0
NOW = 1_750_000_000.0


def known(asked):
    return Known(robots.parse(b""), asked, 200, asked + DAY)


def test_it_holds_for_its_time():
    assert [known(NOW).holds(NOW + after) for after in (0.0, DAY - 1.0, DAY)] == [True, True, False]


def test_a_clock_that_is_set_a_little_does_not_matter():
    assert known(NOW).holds(NOW - 600.0)


def test_what_was_asked_for_by_a_clock_far_ahead_does_not_hold_for_years():
    assert not known(NOW + 3650 * DAY).holds(NOW)
