"""What the service answers: each field with its unit, and what null or absence means."""

import math
from dataclasses import asdict
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from recrawl import frontier as of
from recrawl.learn.named.sources import SourceQuality

Moment = Annotated[float | None, Meta(description="seconds since 1970; null: never")]
Share = Annotated[float | None, Meta(description="from 0 to 1; null: not known yet")]


class Refused(Struct):
    """A URL that was not taken."""

    item: Annotated[int, Meta(description="its place in the list, from 0 on")]
    url: Annotated[str, Meta(description="as it was given; of a long one the first 97 characters, and three dots")]
    reason: str


class Added(Struct):
    """What became of pages."""

    new: Annotated[int, Meta(description="pages that were not known")]
    known: Annotated[int, Meta(description="pages that were; importance and max_age are replaced where given")]
    refused: Annotated[list[Refused], Meta(description="only with skip_bad")]

    @classmethod
    def of(cls, done: of.Added) -> "Added":
        """As the frontier has it."""
        return cls(done.new, done.known, _refused(done.refused))


class Forgotten(Struct):
    """What became of pages that are to be forgotten."""

    forgotten: Annotated[int, Meta(description="pages that there were")]


class Heard(Struct):
    """What became of signals."""

    heard: Annotated[int, Meta(description="signals that count")]
    old: Annotated[int, Meta(description="signals of a change from before the last fetch: they weigh nothing")]
    repeated: Annotated[int, Meta(description="signals that the same source gave before, with the same `happened`")]
    unknown: Annotated[list[str], Meta(description="URLs that are no pages here")]
    refused: Annotated[list[Refused], Meta(description="only with skip_bad")]
    each: Annotated[
        list[str] | UnsetType,
        Meta(
            description="for each signal: heard, old, repeated, unknown or refused; absent: all were heard, "
            "or the request was a repeated one with the same key"
        ),
    ] = UNSET

    @classmethod
    def of(cls, done: of.Heard) -> "Heard":
        """As the frontier has it."""
        each: list[str] | UnsetType = list(done.each) if done.dropped else UNSET
        return cls(done.heard, done.old, done.repeated, list(done.unknown), _refused(done.refused), each)


class Requested(Struct):
    """What became of requests of users."""

    counted: Annotated[int, Meta(description="pages whose requests were counted")]
    unknown: Annotated[list[str], Meta(description="URLs that are no pages here")]
    refused: Annotated[list[Refused], Meta(description="only with skip_bad")]

    @classmethod
    def of(cls, done: of.Requested) -> "Requested":
        """As the frontier has it."""
        return cls(done.counted, list(done.unknown), _refused(done.refused))


class LeasedPage(Struct, omit_defaults=True):
    """A page to be fetched."""

    url: str
    token: Annotated[int, Meta(description="to be given with the outcome")]
    first: Annotated[bool, Meta(description="whether it was never fetched before; absent: false")] = False
    etag: Annotated[str, Meta(description="to be sent as If-None-Match; absent: none")] = ""
    last_modified: Annotated[str, Meta(description="to be sent as If-Modified-Since; absent: none")] = ""


class Leased(Struct):
    """Pages to be fetched now, best first."""

    pages: list[LeasedPage]
    expires: Annotated[
        float, Meta(description="when pages not answered for are offered again, in seconds since 1970; 0: no pages")
    ]
    wait: Annotated[float, Meta(description="seconds after which it makes sense to ask again")]

    @classmethod
    def of(cls, batch: of.Batch) -> "Leased":
        """As the frontier has it."""
        if batch.kept:
            marks = [kept.decode().split("\n") if kept else ("", "") for kept in batch.kept]
            pages = [
                LeasedPage(url, token, first, *mark)
                for url, token, first, mark in zip(batch.urls, batch.tokens, batch.first, marks, strict=True)
            ]
        else:
            pages = list(map(LeasedPage, batch.urls, batch.tokens, batch.first))
        return cls(pages, batch.expires, batch.wait)


class Completed(Struct):
    """What became of outcomes."""

    changed: int
    unchanged: int
    unknown: Annotated[int, Meta(description="first copies, and those with nothing to compare with")]
    failed: int
    gone: int
    moved: int
    late: Annotated[int, Meta(description="of all these, those whose lease had expired")]
    repeated: Annotated[list[int], Meta(description="tokens that had been answered before: nothing was done")]
    each: Annotated[
        list[str],
        Meta(
            description="for each token: changed, unchanged, unknown, failed, gone, moved or repeated; empty where the "
            "request was a repeated one with the same key"
        ),
    ]

    @classmethod
    def of(cls, done: of.Completed) -> "Completed":
        """As the frontier has it."""
        return cls(
            done.changed,
            done.unchanged,
            done.unknown,
            done.failed,
            done.gone,
            done.moved,
            done.late,
            list(done.repeated),
            list(done.each),
        )


class GivenBack(Struct):
    """What became of leases that were given back."""

    given_back: Annotated[int, Meta(description="leases that were still open")]


class Page(Struct):
    """What is known of a page.  What is not known is NaN here, and null when it is written: JSON has no NaN."""

    url: str
    host: str
    state: Annotated[str, Meta(description="new (never fetched), copy, or gone")]
    leased: bool
    fetches: int
    changes: Annotated[int, Meta(description="changes found")]
    fetched: Annotated[Moment, Meta(description="when the copy was made or last compared")]
    changed: Annotated[Moment, Meta(description="when a change was last found")]
    failures: Annotated[int, Meta(description="fetches that failed, in a row")]
    importance: float
    change_rate: Annotated[float | None, Meta(description="changes a second, as far as is known")]
    change_rate_error: Annotated[float | None, Meta(description="standard error of the same")]
    precision: Annotated[Share, Meta(description="share of its signals that are true")]
    fresh: Annotated[Share, Meta(description="probability that the copy is still like the page")]
    value: Annotated[float | None, Meta(description="crawl value now")]
    etag: str
    last_modified: str
    digest: int | None

    @classmethod
    def of(cls, view: of.PageView) -> "Page":
        """As the frontier has it."""
        return cls(
            view.url,
            view.host,
            view.state,
            view.leased,
            view.fetches,
            view.changes,
            view.fetched,
            view.changed,
            view.failures,
            view.importance,
            view.change_rate,
            view.change_rate_error,
            view.precision,
            view.fresh,
            view.value,
            *view.validators,
            view.digest,
        )


class OnePage(Struct):
    """What is known of one page."""

    page: Annotated[Page | None, Meta(description="null: there is no such page")]


class Pages(Struct):
    """Some pages, by the numbers they have here."""

    pages: list[Page]
    after: Annotated[int, Meta(description="to be given with the next request")]


class Host(Struct):
    """How a host is doing."""

    name: str
    pages: int
    in_flight: Annotated[int, Meta(description="pages leased now")]
    gap: Annotated[float, Meta(description="seconds between two fetches")]
    max_in_flight: Annotated[int | None, Meta(description="pages leased at once; null: no limit")]
    failures: Annotated[int, Meta(description="fetches that failed, in a row")]
    paused_until: Annotated[Moment, Meta(description="null: it is not paused")]
    probing: Annotated[bool, Meta(description="whether one page is tried after many failures")]

    @classmethod
    def of(cls, view: of.HostView) -> "Host":
        """As the frontier has it."""
        return cls(
            view.name,
            view.pages,
            view.in_flight,
            view.gap,
            view.max_in_flight,
            view.failures,
            view.paused_until,
            view.probing,
        )


class Hosts(Struct):
    """Some hosts, in the order they came."""

    hosts: list[Host]
    after: Annotated[int, Meta(description="to be given with the next request")]


class HostSet(Struct):
    """A host was told how it is to be treated."""

    host: Annotated[str, Meta(description="as it is spelled in the URLs of its pages")]
    pages: Annotated[int, Meta(description="pages that it has; 0: none yet, or the name is misspelt")]


class Rate(Struct):
    """The budget."""

    rate: Annotated[float | None, Meta(description="pages a second; null: no limit")]


class Source(Struct):
    """What was learned of a source of signals."""

    name: str
    signals: int
    precision: Annotated[Share, Meta(description="share of its signals that tell of a change")]
    recall: Annotated[Share, Meta(description="share of the changes that it signals")]
    latency: Annotated[
        float | None, Meta(description="seconds by which half of its signals are late; null: it never said when")
    ]
    judged: Annotated[int, Meta(description="signals that a later fetch could judge")]

    @classmethod
    def of(cls, quality: SourceQuality) -> "Source":
        """As the frontier has it."""
        return cls(**_known(quality._asdict()))


class Sources(Struct):
    """Sources of signals."""

    sources: list[Source]


class Freshness(Struct):
    """How fresh copies are, estimated."""

    mean: Annotated[Share, Meta(description="share of pages whose copy is like the page; null: there are no pages")]
    weighted: Annotated[Share, Meta(description="the same, by importance")]
    error: Annotated[float, Meta(description="standard error of mean, where it comes from a sample")]
    pages: int
    new: Annotated[int, Meta(description="pages never fetched")]
    gone: Annotated[int, Meta(description="pages that are gone, and left out")]

    @classmethod
    def of(cls, fresh: of.Freshness) -> "Freshness":
        """As the frontier has it."""
        return cls(**_known(asdict(fresh)))


class Statistics(Struct):
    """Counts since the beginning, and of what there is now; and how fresh copies are."""

    counts: dict[str, int]
    freshness: Freshness


class Subscription(Struct):
    """A feed, and the hub that tells of its changes."""

    topic: str
    hub: str


class Subscriptions(Struct):
    """Feeds that hubs are asked to tell of."""

    subscriptions: list[Subscription]
    active: Annotated[int, Meta(description="how many hubs have confirmed")]


class Health(Struct):
    """The process answers."""

    status: str = "ok"


def _refused(refused: tuple[Any, ...]) -> list[Refused]:
    return [Refused(*each) for each in refused]


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN: what is not known is null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in fields.items()
    }
