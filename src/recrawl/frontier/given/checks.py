"""Checks of what callers of the frontier pass, beyond those that everyone shares (arguments.py)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import MOST_COUNT, Values, numbers
from recrawl.errors import InputError
from recrawl.frontier.settings import Settings
from recrawl.urls import Refused
from recrawl.urls.normal import shown

_AHEAD = 2.0 * 86400.0
"""Fetches may be dated this many seconds ahead, and count as of now: clocks on walls are set forth by a day."""
_TINY = float(np.nextafter(0.0, 1.0))
_RANGES = {
    "importance": (0.0, MOST_COUNT, f"from 0 to {MOST_COUNT:g}"),
    "every": (1e-9, MOST_COUNT, f"seconds from 1e-09 to {MOST_COUNT:g}"),
    "max_age": (_TINY, math.inf, "> 0"),
}


def known_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, refused where one is none."""
    for name in settings:
        if name not in Settings.__dataclass_fields__:
            known = ", ".join(Settings.__dataclass_fields__)
            raise InputError(f"{name} must be one of the settings ({known})", argument=name)
    return settings


def optional(name: str, values: ArrayLike | None, n: int) -> Values:
    """One number for all or one each, NaN where nothing is said."""
    if values is None:
        return np.full(n, math.nan)
    given = numbers(name, values)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n):
        raise InputError(f"{name} must be one number, or one for each of {n}, got {given.size}", argument=name)
    least, most, rule = _RANGES[name]
    bad = np.atleast_1d((given < least) | (given > most))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{name} must be {rule}, got {np.atleast_1d(given)[row]} in row {row}", argument=name, row=row)
    return np.array(np.broadcast_to(given, (n,)))


def groups_of(group: object, n: int) -> list[str] | None:
    """Names of hosts that politeness counts for: one for all, or one each."""
    if group is None:
        return None
    names: list[Any] = list(group) if isinstance(group, (list, tuple)) else [group] * n
    if len(names) != n:
        raise InputError(f"group must be one name, or one for each of {n}, got {len(names)}", argument="group")
    for row, name in enumerate(names):
        if not is_name(name):
            raise InputError(
                f"group must be a name of 1 to 255 characters, got {name!r:.80} in row {row}", "group", row
            )
    return names


def is_name(name: object) -> bool:
    """Whether it can be the name of a host; surrogates that stand alone cannot be written down."""
    if not isinstance(name, str) or not 0 < len(name) <= 255:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in name)


def moments_of(at: ArrayLike | None, n: int, now: float) -> Values:
    """When pages were fetched; never later than now."""
    if at is None:
        return np.full(n, now)
    given = numbers("at", at)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n):
        raise InputError(f"at must be one time, or one for each of {n}, got {given.size}", argument="at")
    bad = np.atleast_1d(~np.isfinite(given) | (given > now + _AHEAD))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"at must be a time in seconds since 1970, not in the future, got {np.atleast_1d(given)[row]} in row {row}",
            argument="at",
            row=row,
        )
    return np.minimum(np.array(np.broadcast_to(given, (n,))), now)


def url_list(urls: str | Sequence[str]) -> Sequence[str]:
    """URLs of a call, where one alone is a list of one."""
    if isinstance(urls, str):
        return [urls]
    if isinstance(urls, (list, tuple)):
        return urls
    if isinstance(urls, (bytes, dict)) or not hasattr(urls, "__iter__"):
        raise InputError(f"urls must be a URL or a list of them, got {urls!r:.80}", argument="urls")
    return list(urls)


def bad_url(first: Refused, urls: Sequence[object]) -> InputError:
    """The error for the first of the URLs that were refused."""
    got = shown(urls[first.item])
    return InputError(f"urls in row {first.item}: {first.reason}, got {got}", argument="urls", row=first.item)


def checked_key(key: object) -> str | None:
    """An idempotency key."""
    if key is None:
        return None
    if not isinstance(key, str) or not 0 < len(key) <= 200:
        raise InputError(f"key must be a text of 1 to 200 characters, got {key!r:.80}", argument="key")
    return key
