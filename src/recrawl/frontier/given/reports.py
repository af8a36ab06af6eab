"""What callers say of a fetch, checked and made into columns."""

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Values, real
from recrawl.errors import InputError
from recrawl.frontier.answers import Validators
from recrawl.frontier.kept.copies import UNCHANGED, UNKNOWN
from recrawl.frontier.outcomes import AWAY, FAILED, MOVED
from recrawl.urls import normalise

_ANSWERED = frozenset({401, 403, 404, 405, 406, 410, 414, 451})
"""Failures that say something of the page, not of the host."""


class Reports(NamedTuple):
    """One row for each fetch."""

    kinds: NDArray[np.uint8]
    """FAILED, AWAY, MOVED; UNCHANGED where the server said so; UNKNOWN where there is a copy to be compared."""
    told: Values
    """Whether the page had changed: 1, 0, NaN where nobody said."""
    digests: NDArray[np.uint64]
    retry_after: Values
    blamed: NDArray[np.uint8]
    """Whether a failure is the host's fault."""
    moved_to: list[str]
    validators: list[Validators | None]
    errors: list[str]


def reports(
    n: int,
    status: object,
    changed: object,
    digest: object,
    validators: object,
    error: object,
    retry_after: ArrayLike | None,
    moved_to: object,
) -> Reports:
    """Check what was said of n fetches: of each argument one for all, or one each."""
    statuses = _each("status", status, n, _status)
    errors = _each("error", error, n, _error)
    targets = _each("moved_to", moved_to, n, _target)
    told = np.full(n, math.nan) if changed is None else np.array(_each("changed", changed, n, _told), dtype=np.float64)
    kept = _each("validators", validators, n, _validators)
    digests = _digests(digest, n)
    waits = _waits(retry_after, n)
    if (status is None or isinstance(status, int)) and not any(errors) and not any(targets):  # all alike, as is usual
        kind, blame = _kind(statuses[0], "", "", 0) if n else (UNKNOWN, 0)
        kinds, blamed = np.full(n, kind, dtype=np.uint8), np.full(n, blame, dtype=np.uint8)
    else:
        rows = [_kind(*row, k) for k, row in enumerate(zip(statuses, errors, targets, strict=True))]
        kinds = np.array([kind for kind, _ in rows], dtype=np.uint8)
        blamed = np.array([blame for _, blame in rows], dtype=np.uint8)
    return Reports(kinds, told, digests, waits, blamed, targets, kept, errors)


def _kind(status: int, error: str, target: str, row: int) -> tuple[int, int]:
    """What came of a fetch, and whether a failure is the host's fault."""
    if error:
        return FAILED, 1
    if status in (301, 308):
        if not target:
            raise InputError(f"moved_to must say where to, for status {status} in row {row}", "moved_to", row)
        return MOVED, 0
    if target:
        raise InputError(f"moved_to must come with status 301 or 308, got {status} in row {row}", "moved_to", row)
    if status == 304:
        return UNCHANGED, 0
    if 200 <= status < 300:
        return UNKNOWN, 0
    if status in (404, 410):
        return AWAY, 0
    return FAILED, int(status not in _ANSWERED and not 300 <= status < 400)


T = TypeVar("T")


def _each(name: str, values: object, n: int, check: Callable[[Any, int], T]) -> list[T]:
    """One value for all of n, checked once, or a sequence of n."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (list, tuple)) and not isinstance(values, Validators):
        if len(values) != n:
            raise InputError(f"{name} must be one for all, or one for each of {n}, got {len(values)}", argument=name)
        return [check(value, row) for row, value in enumerate(values)]
    return [check(values, 0)] * n


def _status(value: object, row: int) -> int:
    if value is None:
        return 200
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 100 <= value <= 599:
        raise InputError(
            f"status must be a whole number from 100 to 599, got {value!r:.80} in row {row}", "status", row
        )
    return int(value)


def _error(value: object, row: int) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or len(value) > 100:
        raise InputError(f"error must be a short name such as timeout, got {value!r:.80} in row {row}", "error", row)
    return value


def _told(value: object, row: int) -> float:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, float, np.number)) and value in (0, 1)):
        return float(bool(value))
    raise InputError(f"changed must be True, False or None, got {value!r:.80} in row {row}", "changed", row)


def _target(value: object, row: int) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str):
        raise InputError(f"moved_to must be a URL, got {value!r:.80} in row {row}", "moved_to", row)
    try:
        return normalise(value)
    except InputError as error:
        raise InputError(f"moved_to in row {row}: {error}", "moved_to", row) from None


def _digests(values: Any, n: int) -> NDArray[np.uint64]:
    """64 bits of each digest; 0 is for none."""
    if type(values) in (list, tuple) and len(values) == n and set(map(type, values)) == {str}:  # as is usual
        try:
            hashes = [hashlib.blake2b(value.encode(), digest_size=8).digest() for value in values]
        except UnicodeEncodeError:  # whose, is found out below
            pass
        else:
            found = np.frombuffer(bytearray(b"".join(hashes)), dtype="<u8").astype(np.uint64, copy=False)
            found[found == 0] = 1
            return found
    return np.array(_each("digest", values, n, _digest), dtype=np.uint64)


def _digest(value: object, row: int) -> int:
    if value is None:
        return 0
    if isinstance(value, (bool, float)) or not isinstance(value, (str, bytes, int, np.integer)):
        raise InputError(f"digest must be text, bytes or a whole number, got {value!r:.80} in row {row}", "digest", row)
    try:
        raw = value if isinstance(value, bytes) else str(value).encode()
    except UnicodeEncodeError:
        raise InputError(f"digest must be text that can be written as UTF-8, in row {row}", "digest", row) from None
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little") or 1


def _validators(value: object, row: int) -> Validators | None:
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


def _waits(values: ArrayLike | None, n: int) -> Values:
    if values is None:
        return np.full(n, math.nan)
    given = np.array(_each("retry_after", values, n, _wait), dtype=np.float64)
    bad = np.isinf(given) | (given < 0.0)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"retry_after must be seconds >= 0, got {given[row]} in row {row}", "retry_after", row)
    return given
