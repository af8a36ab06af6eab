"""Dates in every format met: W3C and ISO 8601 first, then whatever has a day, a month and a year.

A date without a zone is taken to be UTC, and so is one with a zone that is unknown: it is off by hours, and by the same
each time.  What could be read in two ways is read as the place suggests: 05/06/2024 has the month first, 05.06.2024 the
day.
"""

import re
import zoneinfo
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache

from recrawl.signals.date_words import AFTERNOON, MONTHS, MORNING, ZONES

_ISO = re.compile(
    r"(?P<year>\d{4})(?:"
    r"-?W(?P<week>\d{2})(?:-?(?P<weekday>[1-7]))?"
    r"|-?(?P<month>\d{2})-?(?P<day>\d{2})|-0(?P<long_month>\d{2})-(?P<long_day>\d{2})|-(?P<short_month>\d{1,2})(?:-(?P<short_day>\d{1,2}))?"
    r"|-?(?P<ordinal>\d{3}))?"
    r"(?:(?P<date_zone>[Zz]|[+-]\d\d:\d\d)|(?:[Tt]|\s+)(?P<time>.+))?"
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:[.,](?P<fraction>\d+))?)?"
    r"|(?P<minute_2>\d{2})(?:(?P<second_2>\d{2})(?:[.,](?P<fraction_2>\d+))?)?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?(?![A-Za-z]))?\s*(?::(?=[+-]))?(?P<zone>.*)",
    re.DOTALL,
)
_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})(?::(?=\d)|h(?=\d\d))(\d{1,2})(?:[:m](\d{1,2})(?:[.,](\d+))?)?(?!\d)\s*((?:am|pm)(?![a-z])|a\.m\.|p\.m\.)?\s*"
    r"((?:[a-z]{1,5}\s*)?[+-]{1,2}\s?\d{1,2}(?::?\d{2})?(?!\d)|[a-z]{1,5}(?![a-z]))?",
    re.IGNORECASE,
)
_OFFSET = re.compile(
    r"(?:UTC|GMT|UT|Z)?\s*([+\-\u2212]){1,2}\s?(\d{1,2})(?::?(\d{2}))?(?::?\d{2})?(?:\s+[A-Za-z/]+|Z)?", re.IGNORECASE
)
_SHORT = re.compile(r"(\d\d)(-?)(\d\d)\2(\d\d)|-(\d\d)-?(\d\d)|(?!\d(?:19|20)\d\d$)(\d\d)-?(\d{3})")
"""ISO 8601 with years of two digits, as it once was.  22013 is rather 2013 with a digit too many than a day of 2022."""
_DIGITS = re.compile(r"(\d{8})(\d{6})(\D.*)?")
"""Date and time with nothing between them: 20240501120000."""
_MEANT_AS_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt]\d|-)")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_PLACE = re.compile(r"(?<![^\s\[(])[A-Za-z_]+/[A-Za-z0-9_+/-]+")
"""A zone by its place, such as Europe/Berlin."""
_NAMED_ZONE = re.compile(r"[A-Za-z]{1,5}")
_COMMENT = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_OFFSET_LAST = re.compile(r"\s[+-]\d{4}$")
_EPOCH = re.compile(r"\d{9,10}(?:\.\d+)?|\d{12,13}")
_WORD = re.compile(r"[^\W\d_]+|\d+|[./-]")
_MOST = 120
"""Characters; no date is that long."""
_EARLIEST = 1000
"""Earlier years are how programs write that there is no date."""


def read(text: str) -> tuple[datetime | None, bool]:
    """The moment, in UTC, and whether a time of day was given; None where it is no date.

    >>> read("2024-05-01")
    (datetime.datetime(2024, 5, 1, 0, 0, tzinfo=datetime.timezone.utc), False)
    >>> read("Wed, 1 May 24 02:00 EST")
    (datetime.datetime(2024, 5, 1, 7, 0, tzinfo=datetime.timezone.utc), True)
    >>> read("soon")
    (None, False)
    """
    text = " ".join(text[: 4 * _MOST].split())
    if not text or len(text) > _MOST:
        return None, False
    for way in (_iso, _digits, _short, _epoch, _loose):
        try:
            found = way(text)
            if found is not None and found[0].year >= _EARLIEST:
                return found[0].astimezone(UTC), found[1]
        except (ValueError, OverflowError):  # February 30, or before year 1
            continue
    return None, False


def _iso(text: str) -> tuple[datetime, bool] | None:
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, time = int(found["year"]), found["time"]
    if found["week"]:
        day = date.fromisocalendar(year, int(found["week"]), int(found["weekday"] or 1))
    elif found["ordinal"]:
        day = date(year, 1, 1) + timedelta(days=int(found["ordinal"]) - 1)
        if day.year != year:
            return None
    else:
        month = found["month"] or found["long_month"] or found["short_month"]
        number = found["day"] or found["long_day"] or found["short_day"]
        day = date(year, int(month or 1), int(number or 1))
    if not time:
        return datetime(day.year, day.month, day.day, tzinfo=_zone(found["date_zone"])), False
    return _at(day, time)


def _digits(text: str) -> tuple[datetime, bool] | None:
    found = _DIGITS.fullmatch(text)
    return None if found is None else _iso(f"{found[1]}T{found[2]}{found[3] or ''}")


def _short(text: str) -> tuple[datetime, bool] | None:
    found = _SHORT.fullmatch(text)
    if found is None:
        return None
    year, _, month, day, other_year, other_month, ordinal_year, ordinal = found.groups()
    first = date(_year(year or other_year or ordinal_year), int(month or other_month or 1), int(day or 1))
    first += timedelta(days=int(ordinal or 1) - 1)
    return datetime(first.year, first.month, first.day, tzinfo=UTC), False


def _at(day: date, text: str) -> tuple[datetime, bool] | None:
    """The day at the time that the text begins with; at midnight where that is none."""
    found = _TIME.fullmatch(text)
    if found is None:
        named = not text[0].isalpha() or text.upper() in ZONES or _OFFSET.fullmatch(text)
        zone = _zone(text) if named else _zone_of_place(text)
        return None if zone is None else (datetime(day.year, day.month, day.day, tzinfo=zone), False)
    zone = _zone(found["zone"])
    if zone is None:
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or found["minute_2"] or 0)
    second, fraction = int(found["second"] or found["second_2"] or 0), found["fraction"] or found["fraction_2"]
    return _moment(day, _hour(hour, found["half"]), minute, second, fraction, zone), True


def _moment(day: date, hour: int, minute: int, second: int, fraction: str | None, zone: tzinfo) -> datetime:
    if hour > 24 or minute > 59 or second > 60:
        raise ValueError("no time of day")
    if hour == 24 and (minute or second):  # who counts so has the day right
        hour = 0
    after = timedelta(hours=hour, minutes=minute, seconds=min(second, 59))  # a leap second is the one before
    after += timedelta(microseconds=int((fraction or "0")[:6].ljust(6, "0")))
    return datetime(day.year, day.month, day.day, tzinfo=zone) + after


def _hour(hour: int, half: str | None) -> int:
    if not half:
        return hour
    if not 1 <= hour <= 12:
        return hour  # 17:00 PM: people mean it twice
    return hour % 12 + (12 if half[0] in "pP" else 0)


def _zone(text: str | None) -> tzinfo | None:
    """UTC where there is none; None where it cannot be read."""
    text, comments = _COMMENT.sub("", text or "").strip(), text or ""
    if not text:
        return _zone_of_place(comments) or UTC
    offset = _OFFSET.fullmatch(text)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return timezone(timedelta(minutes=-minutes if offset[1] != "+" else minutes))
    place = _zone_of_place(text)
    if place:
        return place
    named = _NAMED_ZONE.match(text)
    if named:
        return timezone(timedelta(hours=ZONES.get(named[0].upper(), 0)))
    return None


def _zone_of_place(text: str) -> tzinfo | None:
    """Where the text names a place that this machine knows the zone of."""
    found = _PLACE.search(text)
    name = _places().get(found[0].lower()) if found else None
    return zoneinfo.ZoneInfo(name) if name else None


@cache
def _places() -> dict[str, str]:
    """Names of zones by their lower case.  Takes a tenth of a second, and is asked for where one seems to be named."""
    return {name.lower(): name for name in zoneinfo.available_timezones()}


def _epoch(text: str) -> tuple[datetime, bool] | None:
    if _EPOCH.fullmatch(text) is None:
        return None
    number = float(text)
    return datetime.fromtimestamp(number / 1000 if number >= 1e11 else number, UTC), True


def _loose(text: str) -> tuple[datetime, bool] | None:
    """Any order of day, month and year, with a time somewhere or not."""
    if _MEANT_AS_ISO.match(text):
        return None  # and is none: a date with garbage behind it may be any
    place = _zone_of_place(text)
    text = _COMMENT.sub(" ", _PLACE.sub(" ", text) if place else text)
    clock = _CLOCK.search(text)
    rest = text if clock is None else f"{text[: clock.start()]} {text[clock.end() :]}"
    if ":" in rest:
        return None  # a time that is none, or half a zone
    offset = _OFFSET_LAST.search(rest)
    rest = rest[: offset.start()] if offset else rest
    words = _WORD.findall(rest.lower())
    if clock is not None and clock[6] and _month(clock[6].lower()):
        words.append(clock[6].lower())  # 10:00 May 1
    day = _day(words)
    if day is None:
        return None
    if clock is None:
        return datetime(day.year, day.month, day.day, tzinfo=_zone(offset and offset[0])), False
    half = clock[5] or next((("am", "pm")[word in AFTERNOON] for word in words if word in AFTERNOON | MORNING), None)
    named = _zone_after(clock, text)
    if offset and (not named or named.isalpha()):  # a number is surer than a name
        named = offset[0]
    zone = _zone(named) if named else place or (_zone("KST") if _HANGUL.search(text) else UTC)
    hour, minute, second = (int(part or 0) for part in clock.groups()[:3])
    return _moment(day, _hour(hour, half), minute, second, clock[4], zone or UTC), True


def _zone_after(clock: re.Match[str], text: str) -> str:
    """What names the zone, right behind the time or further on; before it "at" and "met" are words as any other."""
    if clock[6] and (clock[6].upper() in ZONES or not clock[6].isalpha()):
        return clock[6]
    words = (word for word in _WORD.findall(text[clock.end() :]) if word.upper() in ZONES)
    return next(words, clock[6] or "")


def _month(word: str) -> int | None:
    """By the whole name, or the longest beginning that is one, of three letters or more."""
    return next((MONTHS[word[:length]] for length in range(len(word), 2, -1) if word[:length] in MONTHS), None)


def _day(words: list[str]) -> date | None:
    months = [(at, month) for at, word in enumerate(words) if not word.isdecimal() and (month := _month(word))]
    if months:
        at, month = months[1 if len(months) > 1 and months[0][0] == 0 else 0]  # a Tuesday may be called mar, too
        return _day_around(month, words[:at], words[at:])
    numbers = [word for word in words if word.isdecimal()]
    if len(numbers) != 3:
        return None
    first, second, third = numbers
    if len(first) == 4:
        return date(int(first), int(second), int(third))
    day, number = (first, int(second)) if "." in words or int(first) > 12 else (second, int(first))
    return date(_year(third), number, int(day))


def _day_around(month: int, before: list[str], after: list[str]) -> date | None:
    """The day by its month's name: the year has four digits or comes second, and the day stands nearest."""
    early, late = ([word for word in words if word.isdecimal()] for words in (before, after))
    numbers = early + late
    if len(numbers) < 2:
        alone = [] if before else [word for word in after[1:] if word != "."]  # Nov. 2020
        return date(int(alone[0]), month, 1) if alone == numbers and len("".join(alone)) == 4 else None
    at = next((at for at, number in enumerate(numbers) if len(number) == 4), 1)
    year = numbers.pop(at)
    days_before = len(early) - (at < len(early))
    return date(_year(year), month, int(numbers[max(0, days_before - 1)]))


def _year(text: str) -> int:
    """Of two digits the year nearest to now, as mail readers have it; of three, 1900 is left out."""
    year = int(text)
    if len(text) == 2:
        return year + (2000 if year < 50 else 1900)
    return year + 1900 if len(text) == 3 else year
