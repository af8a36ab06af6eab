"""Checks of what callers say of a fetch, value by value."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import Values, real
from recrawl.errors import InputError
from recrawl.frontier.answers import Validators
from recrawl.urls import normalise

T = TypeVar("T")


def each(name: str, values: object, n: int, check: Callable[[Any, int], T]) -> list[T]:
    """One value for all of n, checked once, or a sequence of n."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (list, tuple)) and not isinstance(values, Validators):
        if len(values) != n:
            raise InputError(f"{name} must be one for all, or one for each of {n}, got {len(values)}", argument=name)
        return [check(value, row) for row, value in enumerate(values)]
    return [check(values, 0)] * n


def status_of(value: object, row: int) -> int:
    """An HTTP status; 200 where nothing is said."""
    if value is None:
        return 200
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 100 <= value <= 599:
        raise InputError(
            f"status must be a whole number from 100 to 599, got {value!r:.80} in row {row}", "status", row
        )
    return int(value)


def error_of(value: object, row: int) -> str:
    """The name of what went wrong; empty where nothing did."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or len(value) > 100:
        raise InputError(f"error must be a short name such as timeout, got {value!r:.80} in row {row}", "error", row)
    return value


def told_of(value: object, row: int) -> float:
    """Whether the page had changed: 1, 0, NaN where nobody said."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, float, np.number)) and value in (0, 1)):
        return float(bool(value))
    raise InputError(f"changed must be True, False or None, got {value!r:.80} in row {row}", "changed", row)


def target_of(value: object, row: int) -> str:
    """Where a page has moved to, in the one spelling; empty where it has not."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str):
        raise InputError(f"moved_to must be a URL, got {value!r:.80} in row {row}", "moved_to", row)
    try:
        return normalise(value)
    except InputError as error:
        raise InputError(f"moved_to in row {row}: {error}", "moved_to", row) from None


def digest_of(value: object, row: int) -> bytes | None:
    """A digest as bytes."""
    if value is None:
        return None
    if isinstance(value, (bool, float)) or not isinstance(value, (str, bytes, int, np.integer)):
        raise InputError(f"digest must be text, bytes or a whole number, got {value!r:.80} in row {row}", "digest", row)
    try:
        return value if isinstance(value, bytes) else str(value).encode()
    except UnicodeEncodeError:
        raise InputError(f"digest must be text that can be written as UTF-8, in row {row}", "digest", row) from None


def validators_of(value: object, row: int) -> Validators | None:
    """ETag and Last-Modified."""
    if value is None or isinstance(value, Validators):
        found = value
    elif isinstance(value, Mapping) and set(value) <= {"etag", "last_modified"}:
        found = Validators(**{name: text or "" for name, text in value.items()})
    else:
        raise InputError(
            f"validators must be of the form {{'etag': ..., 'last_modified': ...}}, got {value!r:.80} in row {row}",
            "validators",
            row,
        )
    if found is not None:
        for text in found:
            if not isinstance(text, str) or "\n" in text or not text.isprintable():
                raise InputError(f"validators must be printable text, got {text!r:.80} in row {row}", "validators", row)
    return found


def _wait(value: object, row: int) -> float:
    if value is None:
        return math.nan
    seconds = None if isinstance(value, bool) else real(value)
    if seconds is None:
        raise InputError(f"retry_after must be seconds, got {value!r:.80} in row {row}", "retry_after", row)
    return seconds


def waits_of(values: ArrayLike | None, n: int) -> Values:
    """Seconds that hosts want to be left alone; NaN where they did not say."""
    if values is None:
        return np.full(n, math.nan)
    given = np.array(each("retry_after", values, n, _wait), dtype=np.float64)
    bad = np.isinf(given) | (given < 0.0)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"retry_after must be seconds >= 0, got {given[row]} in row {row}", "retry_after", row)
    return given
