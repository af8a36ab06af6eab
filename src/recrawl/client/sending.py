"""What goes out: arguments checked as a frontier checks them, and made into what JSON can say.

Most is left to the service, whose frontier refuses it.  Checked here is what would not get that far, since JSON cannot
say it or the service's form has no place for it: so the error is the frontier's own, with argument and row.
"""

import hashlib
import math
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import counts as checked_counts
from recrawl.client.exchange import Call, Request
from recrawl.client.json_text import encoded
from recrawl.errors import InputError
from recrawl.frontier.answers import Validators
from recrawl.frontier.given.checks import bad_url, checked_key, url_list
from recrawl.frontier.given.fetched import digest_of, each
from recrawl.frontier.given.timekeeping import happened_times
from recrawl.urls import Refused, normalise_all

MOST_ITEMS = 10_000
"""Of one request.  The service takes ten times as many, but all others wait while it is busy with them."""
MOST_BYTES = 20 << 20
"""Of one request's body, roughly; the service takes 32 MiB."""
MOST_COUNT = 2**31
_LONGEST_URL = 16_384
_LONGEST_VALIDATOR = 2_048
_LONGEST_SOURCE = 100
_MOST_TOKEN = 2**63 - 1

Fields = dict[str, Any]


@dataclass(frozen=True)
class Urls:
    """URLs of a call."""

    texts: list[str]
    own: dict[int, Refused] = field(default_factory=dict)
    """Those that cannot be sent, being no text or far too long: the service gets an empty one, which it refuses."""

    @classmethod
    def of(cls, urls: str | Sequence[str], skip_bad: bool) -> Self:
        """As callers give them."""
        given: list[Any] = list(url_list(urls))
        bad = {row for row, url in enumerate(given) if not _can_be_sent(url)}
        if not bad:
            return cls(given)
        spelled, refusals = normalise_all(given)
        refused = {entry.item: entry for entry in refusals}
        if refused and not skip_bad:
            raise bad_url(refusals[0], given)
        texts = [(spelled[row] or "") if row in bad else url for row, url in enumerate(given)]
        return cls(texts, {row: refused[row] for row in bad if row in refused})

    def __len__(self) -> int:
        return len(self.texts)


def _can_be_sent(url: object) -> bool:
    if not isinstance(url, str) or len(url) > _LONGEST_URL:
        return False
    return url.isascii() or not any("\ud800" <= character <= "\udfff" for character in url)


def source_of(source: object) -> str:
    """The name of a source, in the words of a frontier where it is none."""
    if not isinstance(source, str) or not 0 < len(source) <= _LONGEST_SOURCE or not _can_be_sent(source):
        raise InputError(f"source must be a name of 1 to 100 characters, got {source!r:.80}", argument="source")
    return source


# -- columns -----------------------------------------------------------------------------------------------------------


def numbers_of(values: ArrayLike | None, checked: "np.ndarray[Any, Any]") -> Any:
    """Numbers that were checked: one for all where one was given, and null for NaN.

    >>> numbers_of(2, np.array([2.0, 2.0])), numbers_of([1, math.nan], np.array([1.0, math.nan]))
    (2.0, [1.0, None])
    """
    if values is None:
        return None
    # JSON has no infinity; of what is in seconds, the largest number there is comes to the same.
    finite = np.where(np.isinf(checked), np.finfo(np.float64).max, checked)
    said = [None if math.isnan(value) else value for value in finite.tolist()]
    return said[0] if np.ndim(values) == 0 and said else said


def counts_of(counts: ArrayLike, n: int) -> Any:
    """How often pages were asked for."""
    checked = checked_counts("counts", counts, n)
    bad = (checked != np.floor(checked)) | (checked > MOST_COUNT)
    if bad.any():
        row = int(np.argmax(bad))
        rule = f"counts must be whole numbers up to {MOST_COUNT:,} for a service"
        raise InputError(f"{rule}, got {checked[row]} in row {row}", "counts", row)
    return checked.astype(np.int64).tolist()


def moments_of(happened: object, n: int) -> Any:
    """When changes happened: dates and times as texts, so that a date stays one."""
    if happened_times(happened, n) is None:
        return None
    if isinstance(happened, np.ndarray):
        happened = happened.tolist()
    if not isinstance(happened, (list, tuple)):
        return _moment(happened)
    return _moment(happened[0]) if len(happened) == 1 else [_moment(value) for value in happened]


def _moment(value: Any) -> float | str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, date):  # or a datetime
        return value.isoformat()
    return None if math.isnan(value) else float(value)


def tokens_of(tokens: object) -> list[int]:
    """Tokens, as leases gave them."""
    if isinstance(tokens, np.ndarray):
        tokens = tokens.tolist()
    given: list[Any] = list(tokens) if isinstance(tokens, (list, tuple)) else [tokens]
    for row, token in enumerate(given):
        whole = isinstance(token, (int, np.integer)) and not isinstance(token, bool)
        if not whole or not 0 <= token <= _MOST_TOKEN:
            raise InputError(f"tokens must be those of leases, got {token!r:.80} in row {row}", "tokens", row)
    return [int(token) for token in given]


def column(name: str, values: object, n: int, check: Any, said: Any) -> Any:
    """One for all or one each, checked as a frontier does and said as JSON does."""
    if values is None:
        return None
    if isinstance(values, (list, tuple, np.ndarray)) and not isinstance(values, Validators):
        return [said(value) for value in each(name, values, n, check)]
    return said(check(values, 0))


def digest_text(value: object, row: int) -> str | None:
    """A digest as text.  A frontier takes text and its UTF-8 for the same; other bytes go as hexadecimal digits."""
    raw = digest_of(value, row)
    if raw is None:
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.hex()


def validators_said(kept: Validators | None) -> dict[str, str] | None:
    """Validators by name; those too long for a frontier to keep are empty."""
    if kept is None:
        return None
    fits = max(map(len, kept)) <= _LONGEST_VALIDATOR
    return {"etag": kept.etag, "last_modified": kept.last_modified} if fits else {"etag": "", "last_modified": ""}


# -- requests ----------------------------------------------------------------------------------------------------------


def told(path: str, n: int, fields: Fields, key: str | None) -> Call[list[tuple[int, Any]]]:
    """Send n items in as few requests as they fit into; what was answered, each with the row it begins with.

    Of `fields`, lists have something for each item, all else is for all of them.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    own = key_of(key)
    answers = []
    for number, (first, body) in enumerate(_bodies(given, n)):
        answer = yield Request("POST", path, body, key=own if number == 0 else _further(own, number), first=first)
        answers.append((first, answer))
    return answers


def key_of(key: str | None) -> str:
    """The caller's key, or a new one."""
    given = checked_key(key)
    if given is None:
        return secrets.token_hex(16)
    if not given.isascii() or not given.isprintable() or given != given.strip():
        raise InputError(f"key must be printable ASCII for a service, got {given!r:.80}", argument="key")
    return given


def _further(key: str, number: int) -> str:
    """The key of a further request of the same call; one that was long stays within what is allowed."""
    return f"{hashlib.blake2b(key.encode(), digest_size=16).hexdigest()}.{number}"


def _bodies(fields: Fields, n: int) -> Iterator[tuple[int, bytes]]:
    ends = [min(begin + MOST_ITEMS, n) for begin in range(0, n, MOST_ITEMS)] or [0]
    left = [(begin, end) for begin, end in zip([0, *ends], ends, strict=False)][::-1]
    while left:
        begin, end = left.pop()
        body = encoded({name: v[begin:end] if isinstance(v, list) else v for name, v in fields.items()})
        if len(body) > MOST_BYTES and end - begin > 1:
            middle = (begin + end) // 2
            left += [(middle, end), (begin, middle)]
        else:
            yield begin, body
