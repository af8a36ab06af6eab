"""What a host of the living web is like: plain records, all with defaults of a healthy host."""

from dataclasses import dataclass, field
from typing import Literal

from recrawl.arguments import above, at_least_0, between, whole_number
from recrawl.errors import InputError
from recrawl.livingweb.changing import Changing, Poisson
from recrawl.livingweb.faults import FAULTS

LASTMOD = ("exact", "date", "midnight", "build", "future", "none")
ROBOTS = ("fair", "absent", "unavailable", "moved", "huge", "html")
PINGS = {
    "json": "POST of JSON, all right",
    "get": "GET, one URL each",
    "text/plain": "JSON that says it is text/plain",
    "host as url": "host is http://NAME:PORT/",
    "host without port": "host is NAME",
    "bare key": "keyLocation has no .txt",
    "https key": "keyLocation begins with https, though the host has none",
}
VALIDATORS = ("honest", "absent", "always new", "frozen")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


@dataclass(frozen=True)
class SitemapPlan:
    """A sitemap, and what its lastmod is worth.

    ============== ===========================================================================================
    `build_days`   days between builds; None: it is always up to date
    `recall`       share of the changes that lastmod follows
    `precision`    share of the advances of lastmod that are changes; the rest are false bumps
    `lastmod`      "exact" (seconds), "date", "midnight" (a time, always 00:00), "build" (all pages are bumped at
                   each build), "future" (a tenth of the pages are dated a year ahead), "none"
    `frozen_after` days after which it is built no more
    `parts`        more than 1: a sitemap index at /sitemap.xml, and so many sitemaps
    `gzip`         sitemaps (not the index) are .xml.gz
    ============== ===========================================================================================
    """

    build_days: float | None = 1.0
    recall: float = 1.0
    precision: float = 1.0
    lastmod: Literal["exact", "date", "midnight", "build", "future", "none"] = "exact"
    frozen_after: float | None = None
    parts: int = 1
    gzip: bool = False

    def __post_init__(self) -> None:
        if self.build_days is not None:
            above("build_days", self.build_days, 0.0, finite=True)
        between("recall", self.recall, 0.0, 1.0)
        between("precision", self.precision, 0.0, 1.0)
        whole_number("parts", self.parts, 1)
        _one_of("lastmod", self.lastmod, LASTMOD)
        if self.frozen_after is not None:
            at_least_0("frozen_after", self.frozen_after)


@dataclass(frozen=True)
class FeedPlan:
    """RSS at /feed.rss and Atom at /feed.atom.

    ============== ===========================================================================================
    `window`       how many of the latest changes are in it
    `hub`          "": there is none; "fair": a WebSub hub at /hub; "silent": one that never delivers
    `signature`    how deliveries are signed: sha1, sha256, sha384 or sha512
    ============== ===========================================================================================
    """

    window: int = 20
    hub: Literal["", "fair", "silent"] = ""
    signature: Literal["sha1", "sha256", "sha384", "sha512"] = "sha256"

    def __post_init__(self) -> None:
        whole_number("window", self.window, 1)
        _one_of("hub", self.hub, ("", "fair", "silent"))
        _one_of("signature", self.signature, ("sha1", "sha256", "sha384", "sha512"))


@dataclass(frozen=True)
class PingPlan:
    """IndexNow pings.

    ============== ===========================================================================================
    `endpoint`     where they go, such as http://127.0.0.1:8080/indexnow; only loopback addresses
    `recall`       share of the changes that are told
    `precision`    share of the pings that are of changes; the rest are false
    `key`          the key; the host has it at /KEY.txt
    `style`        how it is written, as real senders do: one of PINGS
    ============== ===========================================================================================
    """

    endpoint: str
    recall: float = 1.0
    precision: float = 1.0
    key: str = "0123456789abcdef"
    style: str = "json"

    def __post_init__(self) -> None:
        between("recall", self.recall, 0.0, 1.0)
        between("precision", self.precision, 0.0, 1.0)
        _one_of("style", self.style, tuple(PINGS))


@dataclass(frozen=True)
class HostPlan:
    """A host of the living web.

    ================ =========================================================================================
    `name`           letters, digits and dashes; it answers to NAME, NAME.localhost, NAME.example and NAME.test
    `changing`       when its pages change: `Replay`, `Poisson`, `Bursty`, `Daily` or `Builds`
    `sitemap`        a `SitemapPlan`; None: there is no sitemap
    `feed`           a `FeedPlan`; None: there is no feed
    `pings`          a `PingPlan`; None: no IndexNow
    `disallow`       prefixes of paths that robots.txt forbids; pages link to traps below the first
    `crawl_delay`    seconds of the web's clock that robots.txt asks for
    `robots`         "fair", "absent" (404), "unavailable" (503: all is forbidden), "moved" (301 to
                     /robots2.txt), "huge" (600 KiB, the rules first), "html" (200, a page)
    `etag`           "honest", "absent", "always new" (different at each fetch), "frozen" (never another)
    `last_modified`  the same; "always new" is the moment of the fetch
    `noise`          each fetch has another time stamp and another advertisement, which is no change
    `chunked`        bodies come in chunks
    `gzip`           bodies are compressed for who accepts it
    `latency`        the machine's seconds before an answer
    `faults`         names from `recrawl.livingweb.faults.FAULTS`; a page has one of them
    `fault_share`    the share of the pages that have a fault
    `fault_sources`  its sitemaps and feeds have the first of the faults, too
    ================ =========================================================================================
    """

    name: str
    changing: Changing = field(default_factory=Poisson)
    sitemap: SitemapPlan | None = field(default_factory=SitemapPlan)
    feed: FeedPlan | None = None
    pings: PingPlan | None = None
    disallow: tuple[str, ...] = ()
    crawl_delay: float | None = None
    robots: Literal["fair", "absent", "unavailable", "moved", "huge", "html"] = "fair"
    etag: Literal["honest", "absent", "always new", "frozen"] = "honest"
    last_modified: Literal["honest", "absent", "always new", "frozen"] = "honest"
    noise: bool = False
    chunked: bool = False
    gzip: bool = False
    latency: float = 0.0
    faults: tuple[str, ...] = ()
    fault_share: float = 1.0
    fault_sources: bool = False

    def __post_init__(self) -> None:
        if not self.name or len(self.name) > 63 or not _NAME.issuperset(self.name):
            raise InputError(f"name must be of a-z, 0-9 and -, got {self.name!r}", argument="name")
        for prefix in self.disallow:
            if not prefix.startswith("/") or prefix == "/":
                raise InputError(f"disallow must be prefixes such as /private/, got {prefix!r}", argument="disallow")
        if self.crawl_delay is not None:
            at_least_0("crawl_delay", self.crawl_delay)
        _one_of("robots", self.robots, ROBOTS)
        _one_of("etag", self.etag, VALIDATORS)
        _one_of("last_modified", self.last_modified, VALIDATORS)
        at_least_0("latency", self.latency)
        between("fault_share", self.fault_share, 0.0, 1.0)
        for fault in self.faults:
            _one_of("faults", fault, tuple(FAULTS))


def _one_of(argument: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{argument} must be one of {', '.join(known)}, got {value!r}", argument=argument)
