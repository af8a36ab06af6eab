"""Rates and stretches of time as people write them: 5/s, 1000/h, 30 m, 1d."""

import math
import re

from recrawl.errors import InputError

SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "day": 86_400.0, "w": 604_800.0}
_RATE = re.compile(r"\s*([0-9.]+)\s*/\s*(?:([0-9.]+)\s*)?([a-z]+)\s*", re.IGNORECASE)
_TIME = re.compile(r"\s*([0-9.]+)\s*([a-z]*)\s*", re.IGNORECASE)


def rate(name: str, value: object, *, or_0: bool = False) -> float | None:
    """Requests a second, from a number or a text such as 5/s; None for "none": no limit.

    `or_0`: 0 makes sense, too, where it can be raised later.

    >>> rate("rate", "5/s"), rate("rate", "90/min"), rate("rate", 2), rate("rate", "none"), rate("rate", 0, or_0=True)
    (5.0, 1.5, 2.0, None, 0.0)
    """
    if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
        return None
    found = _number(value)
    if found is None and isinstance(value, str) and (read := _RATE.fullmatch(value)):
        count, of, unit = _number(read[1]), _number(read[2] or "1"), SECONDS.get(read[3].lower())
        found = count / (of * unit) if count is not None and of and unit else None
    if found is None or not 0.0 <= found < math.inf or (found == 0.0 and not or_0):
        least = "at least" if or_0 else "above"
        raise InputError(
            f"{name} must be {least} 0, requests a second or a text such as 5/s, 100/min, 20000/day; got {value!r:.80}",
            argument=name,
        )
    return found


def seconds(name: str, value: object) -> float:
    """Seconds, from a number or a text such as 30 s, 5m, 1h, 2d.

    >>> seconds("gap", "1.5"), seconds("gap", "2 h"), seconds("gap", 3)
    (1.5, 7200.0, 3.0)
    """
    found = _number(value)
    if found is None and isinstance(value, str) and (read := _TIME.fullmatch(value)):
        count, unit = _number(read[1]), SECONDS.get(read[2].lower())
        found = count * unit if count is not None and unit else None
    if found is None or not 0.0 <= found < math.inf:
        raise InputError(
            f"{name} must be seconds >= 0, or a text such as 30s, 5m, 1h, 2d; got {value!r:.80}", argument=name
        )
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None
