"""What the frontier's calls answer."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Self

from recrawl.urls import Refused

POLL = 0.1
"""Seconds after which to ask again (`Batch.wait`) where it is not known when there will be something."""


class Validators(NamedTuple):
    """What a server gave along with a page, to be sent back with the next request for it."""

    etag: str = ""
    last_modified: str = ""

    @classmethod
    def read(cls, kept: bytes) -> Self:
        """From one line each."""
        return cls(*kept.decode().split("\n")) if kept else cls()


@dataclass(frozen=True)
class Added:
    """What `add` did: pages that are new, pages that were known (their settings are updated), URLs refused."""

    new: int
    known: int
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True)
class Heard:
    """What became of signals."""

    heard: int
    old: int
    """Of a change from before the last fetch: they weigh nothing."""
    repeated: int
    """The same source said the same before."""
    unknown: tuple[str, ...] = ()
    """URLs that are not in the frontier."""
    refused: tuple[Refused, ...] = ()
    codes: tuple[int, ...] = field(default=(), repr=False)
    """For each signal, its place in WORDS."""

    WORDS: ClassVar = ("heard", "old", "repeated", "unknown", "refused")

    @property
    def each(self) -> tuple[str, ...]:
        """For each signal: heard, old, repeated, unknown or refused."""
        return tuple(self.WORDS[code] for code in self.codes)

    @property
    def dropped(self) -> int:
        """How many changed nothing."""
        return self.old + self.repeated + len(self.unknown) + len(self.refused)


@dataclass(frozen=True)
class Requested:
    """What became of requests: counted, or for URLs that are not in the frontier."""

    counted: int
    unknown: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()


class LeasedPage(NamedTuple):
    """One page to be fetched."""

    url: str
    token: int
    validators: Validators
    first: bool


@dataclass(frozen=True)
class Batch:
    """Pages to be fetched, and when to ask again.

    Iterating gives a `LeasedPage` each.  `expires` is when pages not answered for are offered again, in seconds since
    1970; `wait` is in seconds from now.
    """

    urls: tuple[str, ...] = ()
    tokens: tuple[int, ...] = ()
    first: tuple[bool, ...] = field(default=(), repr=False)
    """Whether the page was never fetched before."""
    expires: float = 0.0
    wait: float = 0.0
    kept: tuple[bytes, ...] = field(default=(), repr=False)
    """Validators as they are kept."""

    @property
    def validators(self) -> tuple[Validators, ...]:
        """What to send along with each request, so that the server can say "not modified"."""
        return tuple(map(Validators.read, self.kept)) if self.kept else (Validators(),) * len(self)

    def __len__(self) -> int:
        return len(self.urls)

    def __iter__(self) -> Iterator[LeasedPage]:
        return map(LeasedPage, self.urls, self.tokens, self.validators, self.first)


@dataclass(frozen=True)
class Completed:
    """What became of answers to leases."""

    changed: int = 0
    unchanged: int = 0
    unknown: int = 0
    """A first copy, or nothing to compare with."""
    failed: int = 0
    gone: int = 0
    moved: int = 0
    late: int = 0
    """Of these, how many came after their lease had expired."""
    repeated: tuple[int, ...] = ()
    """Tokens that had been answered before: nothing was done."""
    each: tuple[str, ...] = field(default=(), repr=False)
    """For each token: changed, unchanged, unknown, failed, gone, moved or repeated."""


@dataclass(frozen=True)
class PageView:
    """What is known of a page.  Times are in seconds since 1970, None where something never happened."""

    url: str
    host: str
    state: str
    """new (never fetched), copy, or gone"""
    leased: bool
    fetches: int
    changes: int
    """Changes found."""
    fetched: float | None
    """When the copy was made or last compared."""
    changed: float | None
    """When a change was last found."""
    failures: int
    """Fetches that failed, in a row."""
    importance: float
    change_rate: float
    """Changes a second, as far as is known."""
    change_rate_error: float
    precision: float
    """The share of its signals that are true, as far as is known."""
    fresh: float
    """The probability that the copy is still like the page."""
    value: float
    """Its crawl value now."""
    validators: Validators
    digest: int | None


@dataclass(frozen=True)
class HostView:
    """How a host is doing."""

    name: str
    pages: int
    in_flight: int
    gap: float
    max_in_flight: int | None
    failures: int
    paused_until: float | None
    probing: bool


@dataclass(frozen=True)
class HostSet:
    """A host that was told how it is to be treated, as it is spelled here, and how many pages it has."""

    host: str
    pages: int


@dataclass(frozen=True)
class Freshness:
    """How fresh the copies are, as far as is known.

    `mean` is the share of pages whose copy is like the page.  Pages never fetched count as not fresh; pages that are
    gone are left out.  `weighted` is the same by importance.  `error` is the standard error of `mean` where it comes
    from a sample.
    """

    mean: float
    weighted: float
    error: float
    pages: int
    new: int
    gone: int
