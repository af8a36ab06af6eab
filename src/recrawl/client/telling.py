"""Calls that change something, as generators of requests (exchange.py).  They take what `Frontier`'s take."""

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from recrawl.arguments import above, at_least_0, whole_number
from recrawl.client import reading
from recrawl.client.exchange import Call, Request
from recrawl.client.json_text import encoded
from recrawl.client.sending import (
    MOST_ITEMS,
    Fields,
    Urls,
    column,
    counts_of,
    digest_text,
    key_of,
    moments_of,
    numbers_of,
    source_of,
    tokens_of,
    told,
    validators_said,
)
from recrawl.errors import InputError
from recrawl.frontier.answers import Added, Batch, Completed, Heard, HostSet, Requested
from recrawl.frontier.given.checks import groups_of, is_name, optional
from recrawl.frontier.given.checks import moments_of as fetch_times
from recrawl.frontier.given.fetched import error_of, status_of, target_of, told_of, validators_of, waits_of
from recrawl.frontier.settings import Settings

MOST_LEASED = 10_000
"""Pages of one lease, as the service gives them."""
MOST_WAIT = 60.0
"""Seconds that the service lets a lease wait; who wants to wait longer asks again."""
NOTHING = object()


def add(
    urls: str | Sequence[str],
    *,
    importance: ArrayLike | None = None,
    every: ArrayLike | None = None,
    max_age: ArrayLike | None = None,
    group: str | Sequence[str] | None = None,
    skip_bad: bool = False,
    key: str | None = None,
) -> Call[Added]:
    """Pages to be kept fresh; see `Frontier.add`.

    More than 10,000, or 20 MB, go in several requests: each is done as a whole or not at all.
    """
    given = Urls.of(urls, skip_bad)
    n = len(given)
    groups = groups_of(group, n)
    fields = {
        "urls": given.texts,
        "importance": numbers_of(importance, optional("importance", importance, n)),
        "every": numbers_of(every, optional("every", every, n)),
        "max_age": numbers_of(max_age, optional("max_age", max_age, n)),
        "group": groups if groups is None or isinstance(group, (list, tuple)) else group,
        "skip_bad": bool(skip_bad),
    }
    return reading.added((yield from told("/v1/pages", n, fields, key)), given.own)


def forget(urls: str | Sequence[str], *, skip_bad: bool = False, key: str | None = None) -> Call[int]:
    """Forget pages, with all that is known of them; how many there were.  See `Frontier.forget`."""
    given = Urls.of(urls, skip_bad)
    fields = {"urls": given.texts, "skip_bad": bool(skip_bad)}
    answers = yield from told("/v1/pages/forget", len(given), fields, key)
    return sum(answer["forgotten"] for _, answer in answers)


def signal(
    urls: str | Sequence[str],
    source: str = "signals",
    happened: object = None,
    *,
    skip_bad: bool = False,
    key: str | None = None,
) -> Call[Heard]:
    """Signals of a source that pages may have changed; see `Frontier.signal`.

    More than 10,000, or 20 MB, go in several requests: each is done as a whole or not at all.
    """
    given = Urls.of(urls, skip_bad)
    n = len(given)
    fields = {
        "urls": given.texts,
        "source": source_of(source),
        "happened": moments_of(happened, n),
        "skip_bad": bool(skip_bad),
    }
    return reading.heard((yield from told("/v1/signals", n, fields, key)), given.own, n)


def request(
    urls: str | Sequence[str],
    counts: ArrayLike = 1,
    *,
    skip_bad: bool = False,
    key: str | None = None,
) -> Call[Requested]:
    """Users asked for pages, so many times since the last call; see `Frontier.request`."""
    given = Urls.of(urls, skip_bad)
    fields = {"urls": given.texts, "counts": counts_of(counts, len(given)), "skip_bad": bool(skip_bad)}
    return reading.requested((yield from told("/v1/requests", len(given), fields, key)), given.own)


def lease(n: int = 1, *, seconds: float | None = None, wait: float = 0.0, key: str | None = None) -> Call[Batch]:
    """Up to n pages to be fetched now, and never more than 10,000; see `Frontier.lease`.

    Where there are none, the service waits for the first up to `wait` seconds, and answers as soon as there is one.
    """
    most = min(whole_number("n", n, 0), MOST_LEASED)
    fields: Fields = {"n": most}
    if seconds is not None:
        fields["seconds"] = above("seconds", seconds, 0.0, finite=True)
    left, own = at_least_0("wait", wait), key_of(key)
    if most == 0:
        return Batch()
    while True:
        now = min(left, MOST_WAIT)
        batch = reading.batch((yield Request("POST", "/v1/lease", encoded({**fields, "wait": now}), own, wait=now)))
        left -= now
        if len(batch) or left <= 0.0:
            return batch


def complete(
    tokens: int | Sequence[int],
    *,
    status: int | Sequence[int | None] | None = None,
    changed: object = None,
    digest: object = None,
    validators: object = None,
    error: str | Sequence[str | None] | None = None,
    retry_after: ArrayLike | None = None,
    moved_to: str | Sequence[str | None] | None = None,
    at: ArrayLike | None = None,
    key: str | None = None,
) -> Call[Completed]:
    """What came of fetches; see `Frontier.complete`.

    More than 10,000, or 20 MB, go in several requests: each is done as a whole or not at all.
    """
    given = tokens_of(tokens)
    n = len(given)
    fields = {
        "tokens": given,
        "status": column("status", status, n, status_of, int),
        "changed": column("changed", changed, n, told_of, _yes_or_no),
        "digest": column("digest", digest, n, digest_text, _as_it_is),
        "validators": column("validators", validators, n, validators_of, validators_said),
        "error": column("error", error, n, error_of, lambda name: name or None),
        "retry_after": numbers_of(retry_after, waits_of(retry_after, n)),
        "moved_to": column("moved_to", moved_to, n, target_of, lambda url: url or None),
        "at": numbers_of(at, fetch_times(at, n, math.inf)),
    }
    return reading.completed((yield from told("/v1/complete", n, fields, key)))


def give_back(tokens: int | Sequence[int] | None = None) -> Call[int]:
    """Pages were leased and will not be fetched after all: they are offered again; how many there were.

    Tokens must be given: of all that are leased on a service, some may be somebody else's.
    """
    if tokens is None:
        raise InputError(
            "tokens must be given: of all that are leased on a service, some may be somebody else's", argument="tokens"
        )
    given, done = tokens_of(tokens), 0
    for begin in range(0, len(given), MOST_ITEMS):
        body = encoded({"tokens": given[begin : begin + MOST_ITEMS]})
        done += (yield Request("POST", "/v1/give-back", body, first=begin))["given_back"]
    return done


def set_rate(rate: float | None) -> Call[None]:
    """From now on another rate: pages a second, None for no limit."""
    yield Request("PUT", "/v1/rate", encoded({"rate": Settings(rate=rate).rate}))


def set_host(
    host: str, *, gap: Any = NOTHING, max_in_flight: Any = NOTHING, pause: float | None = None
) -> Call[HostSet]:
    """What is asked of a host; see `Frontier.set_host`.  What is not given stays; None brings back the usual."""
    if not is_name(host):
        raise InputError(f"host must be a name of 1 to 255 characters, got {host!r:.80}", argument="host")
    fields: Fields = {"host": host}
    for name, value in (("gap", gap), ("max_in_flight", max_in_flight)):
        if value is not NOTHING:
            fields[name] = None if value is None else getattr(Settings(**{name: value}), name)
    if pause is not None:
        fields["pause"] = at_least_0("pause", pause)
    said = yield Request("PUT", "/v1/hosts", encoded(fields))
    return HostSet(said["host"], said["pages"])


def _yes_or_no(told: float) -> bool | None:
    return None if math.isnan(told) else bool(told)


def _as_it_is(text: str | None) -> str | None:
    return text
