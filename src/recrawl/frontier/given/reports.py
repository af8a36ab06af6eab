"""What callers say of a fetch, checked and made into columns."""

import hashlib
import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Values
from recrawl.errors import InputError
from recrawl.frontier.answers import Validators
from recrawl.frontier.given.fetched import (
    digest_of,
    each,
    error_of,
    status_of,
    target_of,
    told_of,
    validators_of,
    waits_of,
)
from recrawl.frontier.kept.copies import UNCHANGED, UNKNOWN
from recrawl.frontier.outcomes import AWAY, FAILED, MOVED

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
    statuses = each("status", status, n, status_of)
    errors = each("error", error, n, error_of)
    targets = each("moved_to", moved_to, n, target_of)
    told = np.full(n, math.nan) if changed is None else np.array(each("changed", changed, n, told_of), dtype=np.float64)
    kept = each("validators", validators, n, validators_of)
    digests = _digests(digest, n)
    waits = waits_of(retry_after, n)
    if (status is None or isinstance(status, int)) and not any(errors) and not any(targets):  # all alike, as is usual
        kind, blame = _kind(statuses[0], "", "", 0) if n else (UNKNOWN, 0)
        kinds, blamed = np.full(n, kind, dtype=np.uint8), np.full(n, blame, dtype=np.uint8)
    else:
        rows = [_kind(*row, k) for k, row in enumerate(zip(statuses, errors, targets, strict=True))]
        kinds = np.array([kind for kind, _ in rows], dtype=np.uint8)
        blamed = np.array([blame for _, blame in rows], dtype=np.uint8)
    return Reports(kinds, told, digests, waits, blamed, targets, kept, errors)


def joined(parts: Sequence[Reports]) -> Reports:
    """What was said by several callers, one after the other."""
    columns = list(zip(*parts, strict=True))
    return Reports(*map(np.concatenate, columns[:5]), *(list(chain.from_iterable(column)) for column in columns[5:]))  # type: ignore[arg-type]


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
    return np.array(each("digest", values, n, _digest), dtype=np.uint64)


def _digest(value: object, row: int) -> int:
    raw = digest_of(value, row)
    return 0 if raw is None else int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little") or 1
