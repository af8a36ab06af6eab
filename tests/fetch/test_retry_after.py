"""Retry-After in both its forms."""

import pytest

from recrawl.fetch.retry_after import seconds

NOW = 1_000_000_000.0  # Sun, 09 Sep 2001 01:46:40 GMT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("Sun, 09 Sep 2001 01:47:40 GMT", 60.0),
        ("Sunday, 09-Sep-01 01:47:40 GMT", 60.0),
        ("Sun Sep  9 01:47:40 2001", 60.0),
        ("Sun, 09 Sep 2001 03:47:40 +0200", 60.0),
        ("Sun, 09 Sep 2001 01:00:00 GMT", 0.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("9" * 100, None),
        ("Sun, 99 Sep 2001 01:47:40 GMT", None),
        ("\u0661", None),
    ],
)
def test_both_forms(value, expected):
    assert seconds(value, NOW) == expected
