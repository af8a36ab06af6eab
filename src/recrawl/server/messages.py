"""What clients send: each field with its unit, its default and what its absence means.

Fields that nobody knows are refused, so that a misspelt option is not passed over.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

MOST = 100_000
"""Items of one request."""
TEXT = 2_048
WHOLE = 2**63 - 1

Urls = Annotated[list[str], Meta(max_length=MOST, description="URLs, in any spelling")]
SkipBad = Annotated[bool, Meta(description="report bad URLs and take the others; absent: a bad URL refuses them all")]
Token = Annotated[int, Meta(ge=0, le=WHOLE, description="as a lease gave it")]
Tokens = Annotated[list[Token], Meta(max_length=MOST, description="as leases gave them")]
Number = Annotated[float, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Numbers = Annotated[list[Number | None], Meta(max_length=MOST)]
Texts = Annotated[list[str | None], Meta(max_length=MOST)]
Name = Annotated[str, Meta(min_length=1, max_length=255)]
LONGEST_SOURCE = 100
Source = Annotated[
    str,
    Meta(
        min_length=1, max_length=LONGEST_SOURCE, description='kind of the source, such as "sitemap"; absent: "signals"'
    ),
]


class Pages(Struct, forbid_unknown_fields=True):
    """Pages to be kept fresh.  Each list is as long as `urls`; null in a list, or no list: nothing is said."""

    urls: Urls
    importance: Annotated[
        Numbers | Number | None, Meta(description="weight of the page beside others; absent: an average page's")
    ] = None
    every: Annotated[
        Numbers | Number | None, Meta(description="seconds between two changes, as a hint; absent: learned")
    ] = None
    max_age: Annotated[
        Numbers | Number | None, Meta(description="seconds after which the page goes before all others; absent: never")
    ] = None
    group: Annotated[
        list[Name] | Name | None, Meta(description="name that politeness counts for; absent: the URL's host")
    ] = None
    skip_bad: SkipBad = False


class Forget(Struct, forbid_unknown_fields=True):
    """Pages to be forgotten, with all that is known of them."""

    urls: Urls
    skip_bad: SkipBad = False


class Signals(Struct, forbid_unknown_fields=True):
    """Signs that pages may have changed; a URL may occur several times."""

    urls: Urls
    source: Source = "signals"
    happened: Annotated[
        list[float | str | None] | float | str | None,
        Meta(description="when they changed: seconds since 1970 or ISO 8601; absent: not known"),
    ] = None
    skip_bad: SkipBad = False


class Requests(Struct, forbid_unknown_fields=True):
    """How often users asked for pages since the last call; importance is learned from it."""

    urls: Urls
    counts: Annotated[
        list[Annotated[int, Meta(ge=0, le=2**31)]] | Annotated[int, Meta(ge=0, le=2**31)],
        Meta(description="one for all or one each; absent: 1"),
    ] = 1
    skip_bad: SkipBad = False


class Lease(Struct, forbid_unknown_fields=True):
    """Pages to be fetched now."""

    n: Annotated[int, Meta(ge=1, le=10_000, description="at most so many pages; absent: 1")] = 1
    seconds: Annotated[
        Annotated[float, Meta(gt=0, le=1e9)] | None,
        Meta(description="seconds until a page not answered for is offered again; absent: the service's"),
    ] = None
    wait: Annotated[
        float, Meta(ge=0, le=60, description="seconds to wait for the first page; absent: 0, answer at once")
    ] = 0.0


class Validators(Struct, forbid_unknown_fields=True):
    """What the server sent along with a page."""

    etag: Annotated[str, Meta(max_length=TEXT)] = ""
    last_modified: Annotated[str, Meta(max_length=TEXT)] = ""


Status = Annotated[int, Meta(ge=100, le=599)]


class Outcomes(Struct, forbid_unknown_fields=True):
    """What came of fetches; of each field one for all tokens, or a list with one each."""

    tokens: Tokens
    status: Annotated[
        list[Status | None] | Status | None,
        Meta(description="HTTP status; absent: 200, or none where there is an error"),
    ] = None
    changed: Annotated[
        list[bool | None] | bool | None, Meta(description="whether the page differs from the copy; absent: by digest")
    ] = None
    digest: Annotated[Texts | str | None, Meta(description="of the content; absent: none")] = None
    validators: Annotated[
        list[Validators | None] | Validators | None, Meta(description="handed out with the next lease; absent: none")
    ] = None
    error: Annotated[Texts | str | None, Meta(description='what went wrong, such as "timeout"; absent: nothing')] = None
    retry_after: Annotated[
        Numbers | Number | None, Meta(description="seconds the host wants to be left alone; absent: not said")
    ] = None
    moved_to: Annotated[Texts | str | None, Meta(description="new URL, for 301 and 308; absent: none")] = None
    at: Annotated[Numbers | Number | None, Meta(description="when, in seconds since 1970; absent: now")] = None


class GiveBack(Struct, forbid_unknown_fields=True):
    """Leases to be ended without an answer."""

    tokens: Tokens


class Host(Struct, forbid_unknown_fields=True):
    """How a host is to be treated.  Null brings back the service's own setting."""

    host: Annotated[Name, Meta(description="in any spelling, with the port where it is not the usual one")]
    gap: Annotated[Seconds | UnsetType | None, Meta(description="seconds between two fetches; absent: as it is")] = (
        UNSET
    )
    max_in_flight: Annotated[
        Annotated[int, Meta(ge=1, le=2**31 - 1)] | UnsetType | None,
        Meta(description="pages leased at once; absent: as it is"),
    ] = UNSET
    pause: Annotated[
        Seconds | None, Meta(description="seconds to leave it alone; 0 ends a pause; absent: as it is")
    ] = None


class Subscribe(Struct, forbid_unknown_fields=True):
    """A feed whose hub is to tell of changes (WebSub)."""

    topic: Annotated[str, Meta(min_length=1, max_length=TEXT, description="URL of the feed")]
    hub: Annotated[
        Annotated[str, Meta(min_length=1, max_length=TEXT)] | None,
        Meta(description="URL of its hub; absent: the feed is asked"),
    ] = None


class Rate(Struct, forbid_unknown_fields=True):
    """The budget."""

    rate: Annotated[
        Annotated[float, Meta(ge=0, le=1e9)] | None,
        Meta(description="pages a second; 0: none until another rate is set; null: no limit"),
    ]
