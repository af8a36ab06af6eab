"""Dates as feeds, sitemaps and headers write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.signals import dates, http_dates


def at(*parts):
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2003", at(2003, 1, 1)),
        ("2003-12", at(2003, 12, 1)),
        ("2003-12-31", at(2003, 12, 31)),
        (" 2003-12-31 \n", at(2003, 12, 31)),
        ("20031231", at(2003, 12, 31)),
        ("2003-1-5", at(2003, 1, 5)),
        ("2003-335", at(2003, 12, 1)),
        ("2003335", at(2003, 12, 1)),
        ("2004-W53-6", at(2005, 1, 1)),
        ("2004W10", at(2004, 3, 1)),
        ("31 Dec 2003", at(2003, 12, 31)),
        ("December 31, 2003", at(2003, 12, 31)),
        ("Wed, 31 Dec 03", at(2003, 12, 31)),
        ("2003/12/31", at(2003, 12, 31)),
        ("12/31/2003", at(2003, 12, 31)),
        ("31/12/2003", at(2003, 12, 31)),
        ("05.06.2003", at(2003, 6, 5)),
        ("05/06/2003", at(2003, 5, 6)),
    ],
)
def test_days(text, moment):
    assert dates.read(text) == (moment, False)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2003-12-31T10:14Z", at(2003, 12, 31, 10, 14)),
        ("2003-12-31T10:14:55Z", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31t10:14:55z", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31T10:14:55", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31 10:14:55", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31 10:14:55.0", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31T10:14:55.123456789Z", at(2003, 12, 31, 10, 14, 55, 123456)),
        ("2003-12-31T10:14:55,5+01:00", at(2003, 12, 31, 9, 14, 55, 500000)),
        ("2003-12-31T10:14:55-08:00", at(2003, 12, 31, 18, 14, 55)),
        ("2003-12-31T10:14:55+0530", at(2003, 12, 31, 4, 44, 55)),
        ("2003-12-31T10:14:55+01", at(2003, 12, 31, 9, 14, 55)),
        ("2003-12-31 10:14:55 +0000", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31 10:14:55 UTC", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31T24:00:00Z", at(2004, 1, 1)),
        ("2003-12-31T23:59:60Z", at(2003, 12, 31, 23, 59, 59)),
        ("20031231T101455Z", at(2003, 12, 31, 10, 14, 55)),
        ("2003-12-31T1014", at(2003, 12, 31, 10, 14)),
        ("2003-12-31T10", at(2003, 12, 31, 10)),
        ("Thu, 01 Jan 2004 19:48:21 GMT", at(2004, 1, 1, 19, 48, 21)),
        ("Thu, 01 Jan 2004 19:48 GMT", at(2004, 1, 1, 19, 48)),
        ("01 Jan 2004 19:48:21 EST", at(2004, 1, 2, 0, 48, 21)),
        ("Thu, 1 January 2004 19:48:21 +0100", at(2004, 1, 1, 18, 48, 21)),
        ("Thu,01 Jan 04 19:48:21 -0800", at(2004, 1, 2, 3, 48, 21)),
        ("Thu, 01 Jan 2004 19:48:21", at(2004, 1, 1, 19, 48, 21)),
        ("Thu, 01 Jan 104 19:48:21 GMT", at(2004, 1, 1, 19, 48, 21)),
        ("Thu, 31 Jun 99 19:48:21 GMT".replace("31 Jun", "30 Jun"), at(1999, 6, 30, 19, 48, 21)),
        ("Thursday, 01-Jan-04 19:48:21 GMT", at(2004, 1, 1, 19, 48, 21)),
        ("Thu Jan  1 19:48:21 2004", at(2004, 1, 1, 19, 48, 21)),
        ("Thu Jan 1 19:48:21 EST 2004", at(2004, 1, 2, 0, 48, 21)),
        ("Thu Jan 01 2004 19:48:21 GMT+0100 (Central European Time)", at(2004, 1, 1, 18, 48, 21)),
        ("Thu, 01 Jan 2004 19:48:21 Etc/GMT", at(2004, 1, 1, 19, 48, 21)),
        ("Thu, 01 Jan 2004 19:48:21 GMT+2", at(2004, 1, 1, 17, 48, 21)),
        ("Thu, 01 Jan 2004 19:48:21 CEST", at(2004, 1, 1, 17, 48, 21)),
        ("Thu, 01 Jan 2004 00:00:00 +99:99", at(2004, 1, 1)),
        ("January 1, 2004 5:06 PM", at(2004, 1, 1, 17, 6)),
        ("January 1, 2004, 12:06 am", at(2004, 1, 1, 0, 6)),
        ("1/2/2004 1:23:26 PM", at(2004, 1, 2, 13, 23, 26)),
        ("Do, 01 Mai 2004 10:00:00 +0200", at(2004, 5, 1, 8)),
        ("jeu., 12 févr. 2004 10:00:00 GMT", at(2004, 2, 12, 10)),
        ("Чт, 12 фев 2004 10:00:00 +0300", at(2004, 2, 12, 7)),
        ("Κυρ, 11 Ιούλ 2004 12:00:00 GMT", at(2004, 7, 11, 12)),
        ("2004-július-13T9:15-05:00", at(2004, 7, 13, 14, 15)),
        ("2004년 05월 28일  01:31:15", at(2004, 5, 28, 1, 31, 15)),
        ("2004-05-25 오후 11:23:17", at(2004, 5, 25, 23, 23, 17)),
        ("1072915200", at(2004, 1, 1)),
        ("1072915200000", at(2004, 1, 1)),
    ],
)
def test_moments(text, moment):
    assert dates.read(text) == (moment, True)


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "0000-00-00", "2003-13-01", "2003-02-30", "2003-02-30T10:00:00Z", "-0001-11-30T00:00:00+00:00",
     "10:00", "2003-12-31T10:61:00Z", "2003-366", "1", "x" * 1000, "99 Foo 2003", "Mon, 00 Jan 0000 00:00:00 GMT"],
)  # fmt: skip
def test_what_is_no_date(text):
    assert dates.read(text) == (None, False)


@given(st.text(max_size=60) | st.text("0123456789-:TZ+. /,WJanuryMpGEST", max_size=40))
def test_any_text_is_read(text):
    found, timed = dates.read(text)
    assert found is None or found.tzinfo is UTC
    assert found is not None or not timed


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))
def test_what_python_writes_is_read(moment):
    assert dates.read(moment.isoformat()) == (moment, True)
    assert dates.read(moment.strftime("%a, %d %b %Y %H:%M:%S +0000")) == (moment.replace(microsecond=0), True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thursday, 01-Jan-70 00:02:00 GMT", 20.0),
        ("Thu Jan  1 00:02:00 1970", 20.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("-5", None),
        ("", None),
        ("soon", None),
        ("1970", 1970.0),
    ],
)
def test_retry_after(value, seconds):
    assert http_dates.retry_after(value, 100.0) == seconds
