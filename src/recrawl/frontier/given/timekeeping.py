"""Frontier time: seconds since 1970 that never go back and never jump.

Within a run time goes on with the monotonic clock, whatever is done to the clock on the wall.  When a frontier is
opened it goes on from the clock on the wall, or from where it was if that lies behind.
"""

import math
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Protocol

import numpy as np

from recrawl.arguments import Values, numbers, real
from recrawl.clock import SystemClock
from recrawl.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DAY = 86400.0


class Clock(Protocol):
    """Where time comes from."""

    def wall(self) -> float:
        """Seconds since 1970; may be set back or forth."""

    def monotonic(self) -> float:
        """Seconds since some moment; only goes forward."""


class FrontierTime:
    """The time of a frontier that was last used at `last`."""

    def __init__(self, clock: Clock | None, last: float = -math.inf) -> None:
        self._clock = SystemClock() if clock is None else clock
        self.opened = max(self._clock.wall(), last)
        self._began = self._clock.monotonic()
        self._latest = self.opened

    def now(self) -> float:
        """The present."""
        self._latest = max(self._latest, self.opened + (self._clock.monotonic() - self._began))
        return self._latest


def happened_times(happened: object, n: int) -> tuple[Values, Values] | None:
    """When changes happened, and for how long after that they may have: a day, for dates without time.

    Takes seconds since 1970, datetimes with a time zone, dates, texts in ISO format, and None or NaN for "not said";
    one for all or one each.  A time at midnight sharp, in UTC or in the zone it names, is taken for a date: that is how
    sites write dates.
    """
    if happened is None:
        return None
    if isinstance(happened, (str, date, bool)):
        happened = [happened] * n
    if isinstance(happened, (list, tuple)) and not all(type(value) in (int, float) for value in happened):
        if len(happened) != n:
            raise InputError(f"happened must be one time, or one for each of {n}, got {len(happened)}", "happened")
        pairs = [_moment(value, row) for row, value in enumerate(happened)]
        times, spans = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    else:
        values: ArrayLike = happened  # type: ignore[assignment]
        given = numbers("happened", values)
        if given.ndim > 1 or given.size not in (1, n):
            raise InputError(f"happened must be one time, or one for each of {n}, got {given.size}", "happened")
        times, spans = np.array(np.broadcast_to(given.reshape(-1), (n,))), np.zeros(n)
    if np.isinf(times).any():
        row = int(np.argmax(np.isinf(times)))
        raise InputError(f"happened must be a time or None, got {times[row]} in row {row}", "happened", row)
    spans[times % DAY == 0.0] = DAY
    return times, spans


def _moment(value: object, row: int) -> tuple[float, float]:
    if value is None:
        return math.nan, 0.0
    if isinstance(value, str):
        value = _read(value, row)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InputError(f"happened must have a time zone, got {value!r} in row {row}", "happened", row)
        return value.timestamp(), DAY if value.time() == time() else 0.0
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp(), DAY
    if not isinstance(value, bool) and (seconds := real(value)) is not None:
        return seconds, 0.0
    raise InputError(f"happened must be a time, a date or None, got {value!r:.80} in row {row}", "happened", row)


def _read(text: str, row: int) -> datetime | date | None:
    clean = text.strip()
    try:
        if len(clean) == 10:
            return date.fromisoformat(clean)
        found = datetime.fromisoformat(clean)
    except ValueError:
        raise InputError(
            f"happened must be a date or time such as 2026-01-31T12:00:00Z, got {text!r:.80} in row {row}",
            "happened",
            row,
        ) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
