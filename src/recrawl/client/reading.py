"""What comes back, as the answers of a frontier.  JSON has null where they have NaN."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from recrawl.frontier.answers import (
    Added,
    Batch,
    Completed,
    Freshness,
    Heard,
    HostView,
    PageView,
    Requested,
    Validators,
)
from recrawl.urls import Refused

if TYPE_CHECKING:
    from recrawl.learn.named.sources import SourceQuality

Parts = list[tuple[int, Any]]
"""Answers to the requests of one call, each with the row it begins with."""
Own = Mapping[int, Refused]
"""URLs that were refused before anything was sent."""
_UNKNOWN_RATES = ("change_rate", "change_rate_error", "precision", "fresh", "value")


def added(parts: Parts, own: Own) -> Added:
    """What `add` did."""
    return Added(_sum(parts, "new"), _sum(parts, "known"), _refused(parts, own))


def heard(parts: Parts, own: Own, n: int) -> Heard:
    """What became of signals."""
    return Heard(
        _sum(parts, "heard"),
        _sum(parts, "old"),
        _sum(parts, "repeated"),
        unknown=_all(parts, "unknown"),
        refused=_refused(parts, own),
        codes=tuple(code for part, size in _sized(parts, n) for code in _codes(part, size)),
    )


def _codes(part: Any, size: int) -> Iterable[int]:
    """What became of each signal; nothing is known of a request that was repeated with its key."""
    if "each" in part:
        return map(Heard.WORDS.index, part["each"])
    return (0,) * size if part["heard"] == size else ()


def requested(parts: Parts, own: Own) -> Requested:
    """What became of requests."""
    return Requested(_sum(parts, "counted"), _all(parts, "unknown"), _refused(parts, own))


def batch(said: Any) -> Batch:
    """Pages to be fetched."""
    pages = said["pages"]
    marks = [(page.get("etag", ""), page.get("last_modified", "")) for page in pages]
    return Batch(
        urls=tuple(page["url"] for page in pages),
        tokens=tuple(page["token"] for page in pages),
        first=tuple(page.get("first", False) for page in pages),
        expires=said["expires"],
        wait=said["wait"],
        kept=tuple("\n".join(mark).encode() if any(mark) else b"" for mark in marks) if any(map(any, marks)) else (),
    )


def completed(parts: Parts) -> Completed:
    """What became of answers to leases."""
    counts = ("changed", "unchanged", "unknown", "failed", "gone", "moved", "late")
    return Completed(
        **{name: _sum(parts, name) for name in counts}, repeated=_all(parts, "repeated"), each=_all(parts, "each")
    )


def page(said: dict[str, Any]) -> PageView:
    """What is known of a page."""
    fields = dict(said)
    validators = Validators(fields.pop("etag"), fields.pop("last_modified"))
    return PageView(**_numbers(fields, _UNKNOWN_RATES), validators=validators)


def host(said: dict[str, Any]) -> HostView:
    """How a host is doing."""
    return HostView(**said)


def source(said: dict[str, Any]) -> "SourceQuality":
    """What is known of a source of signals."""
    from recrawl.learn.named.sources import SourceQuality  # which brings numba

    return SourceQuality(**_numbers(said, ("precision", "recall", "latency")))


def freshness(said: dict[str, Any]) -> Freshness:
    """How fresh the copies are."""
    return Freshness(**_numbers(said, ("mean", "weighted", "error")))


def _numbers(fields: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {**fields, **{name: math.nan if fields[name] is None else fields[name] for name in names}}


def _sum(parts: Parts, name: str) -> int:
    return sum(part[name] for _, part in parts)


def _all(parts: Parts, name: str) -> tuple[Any, ...]:
    return tuple(value for _, part in parts for value in part[name])


def _sized(parts: Parts, n: int) -> Iterable[tuple[Any, int]]:
    ends = [first for first, _ in parts[1:]] + [n]
    return [(part, end - first) for (first, part), end in zip(parts, ends, strict=True)]


def _refused(parts: Parts, own: Own) -> tuple[Refused, ...]:
    found = [
        Refused(bad["item"] + first, bad["url"], bad["reason"]) for first, part in parts for bad in part["refused"]
    ]
    return tuple(own.get(bad.item, bad) for bad in found)
