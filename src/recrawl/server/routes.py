"""The calls of the frontier over HTTP: each is one request, checked whole before anything is done."""

import math
from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

from litestar import MediaType, Request, Response, Router, get, post, put
from litestar.di import NamedDependency
from litestar.params import HeaderParameter, JSONBody, QueryParameter
from litestar.response import Stream
from msgspec import UNSET

from recrawl.frontier import Validators
from recrawl.frontier.completing import Outcomes
from recrawl.frontier.given import keys
from recrawl.server import answers, messages, slices
from recrawl.server.bodies import JSON, LINES
from recrawl.server.doors import AGAIN, Look, RefusedError
from recrawl.server.hearing import Hearing
from recrawl.server.owner import Owned
from recrawl.server.problems import ANSWERS
from recrawl.server.strict import check_query

Key = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="the same request repeated with the same key is done once, and answered as before; "
        "with a key that another one had it is refused",
    ),
]
After = Annotated[
    int,
    QueryParameter(
        name="after", ge=-1, le=2**62, description="as the answer before gave it; absent: from the first on"
    ),
]
USUAL = 1000
"""Pages or hosts of an answer, where nobody says how many."""
Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=10_000, description=f"at most so many; absent: {USUAL:,}")]
Got = Request[Any, Any, Any]
Heard = NamedDependency[Hearing]


def column(value: Any) -> Any:
    """A list of numbers, in which null says nothing, as the frontier takes it."""
    return [math.nan if each is None else each for each in value] if isinstance(value, list) else value


def wants_lines(accept: str) -> bool:
    """Whether an Accept header asks for lines: names them, and nothing that we have before them or by a higher weight.

    >>> wants_lines("application/x-ndjson, */*;q=0.1"), wants_lines("application/json;q=.5, Application/JSONL")
    (True, True)
    >>> wants_lines("*/*"), wants_lines("application/json, application/x-ndjson"), wants_lines("application/jsonl;q=0")
    (False, False, False)
    """
    best, lines = 0.0, False
    for each in accept.lower().split(","):
        kind, _, parameters = each.partition(";")
        weight = _weight(parameters)
        if kind.strip() in (JSON, *LINES) and weight > best:
            best, lines = weight, kind.strip() in LINES
    return lines


def _weight(parameters: str) -> float:
    """How much a type is wanted, from 0 to 1; 1 where nothing is said that makes sense."""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            with suppress(ValueError):
                return float(value)
    return 1.0


@post("/pages", status_code=200, responses=ANSWERS, summary="Add pages, or say something new of those known")
async def add(request: Got, data: JSONBody[messages.Pages], owner: Owned, key: Key = None) -> answers.Added:
    """Pages known already are not doubled.  Also as NDJSON: url, importance, every, max_age, group on each line."""
    done = await owner.call(
        owner.frontier.add,
        data.urls,
        importance=column(data.importance),
        every=column(data.every),
        max_age=column(data.max_age),
        group=data.group,
        skip_bad=data.skip_bad,
        key=await _with_hash(request, key),
    )
    return answers.Added.of(done)


@post("/pages/forget", status_code=200, responses=ANSWERS, summary="Forget pages")
async def forget(request: Got, data: JSONBody[messages.Forget], owner: Owned, key: Key = None) -> answers.Forgotten:
    """With all that is known of them.  Also as NDJSON, with url on each line."""
    mine = await _with_hash(request, key)
    return answers.Forgotten(await owner.call(owner.frontier.forget, data.urls, skip_bad=data.skip_bad, key=mine))


@get("/pages", responses=ANSWERS, summary="Page through all pages")
async def pages(request: Got, owner: Owned, after: After = -1, limit: Limit = USUAL) -> Response[answers.Pages]:
    """Ask again with `after` as it is answered, until there are none.  With Accept: application/x-ndjson, all."""
    if wants_lines(request.headers.get("accept", "")):
        return Stream(slices.lines(owner, after), media_type=LINES[0])  # type: ignore[return-value]
    return _as_it_is(await slices.pages(owner, after, limit))


@get("/page", responses=ANSWERS, summary="What is known of one page")
async def page(owner: Owned, url: Annotated[str, QueryParameter(name="url", max_length=16_384)]) -> answers.OnePage:
    """Null where there is no such page."""
    view = await owner.call(owner.frontier.page, url)
    return answers.OnePage(None if view is None else answers.Page.of(view))


@post("/signals", status_code=200, responses=ANSWERS, summary="Pages may have changed")
async def signal(request: Got, data: JSONBody[messages.Signals], owner: Owned, key: Key = None) -> answers.Heard:
    """How many signals count.  Also as NDJSON, with url and happened on each line, and ?source= in the query."""
    mine = await _with_hash(request, key)
    return answers.Heard.of(await owner.signal(data.urls, data.source, data.happened, data.skip_bad, mine))


@post("/requests", status_code=200, responses=ANSWERS, summary="Users asked for pages")
async def requested(
    request: Got, data: JSONBody[messages.Requests], owner: Owned, key: Key = None
) -> answers.Requested:
    """Importance is learned from it.  Also as NDJSON, with url and count on each line."""
    mine = await _with_hash(request, key)
    done = await owner.call(owner.frontier.request, data.urls, data.counts, skip_bad=data.skip_bad, key=mine)
    return answers.Requested.of(done)


@post("/lease", status_code=200, responses=ANSWERS, summary="Pages to be fetched now")
async def lease(request: Got, data: JSONBody[messages.Lease], owner: Owned, key: Key = None) -> answers.Leased:
    """The best pages, never more than the rate allows.  They are nobody else's until answered for, or expired."""
    gone = _gone(request) if data.wait else None
    # Who asks again may wait less long, as recrawl.Client does with what is left of a long wait.
    mine = None if key is None else keys.Key(key, f"{data.n} {data.seconds}".encode())
    refused = _refused(request) if data.wait else None
    return answers.Leased.of(await owner.lease(data.n, data.seconds, data.wait, mine, gone, refused))


def _refused(request: Got) -> Callable[[], Exception | None] | None:
    """Asks the door once more whether it would let this request in."""
    look: Look | None = request.scope.get(AGAIN)  # type: ignore[assignment]

    def refused() -> Exception | None:
        refusal = None if look is None else look()
        return None if refusal is None else RefusedError(refusal)

    return None if look is None else refused


async def _gone(request: Got) -> None:
    """Ends when who asked has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


@post("/complete", status_code=200, responses=ANSWERS, summary="What came of leased pages")
async def complete(request: Got, data: JSONBody[messages.Outcomes], owner: Owned, key: Key = None) -> answers.Completed:
    """Also as NDJSON, with token, status, digest, etag and so on on each line."""
    said = {
        "status": data.status,
        "changed": data.changed,
        "digest": data.digest,
        "validators": _validators(data.validators),
        "error": data.error,
        "retry_after": column(data.retry_after),
        "moved_to": data.moved_to,
    }
    mine = await _with_hash(request, key)
    return answers.Completed.of(await owner.complete(Outcomes(data.tokens, said, column(data.at), mine)))


@post("/give-back", status_code=200, responses=ANSWERS, summary="End leases without an answer")
async def give_back(data: JSONBody[messages.GiveBack], owner: Owned) -> answers.GivenBack:
    """The pages are offered again."""
    return answers.GivenBack(await owner.call(owner.frontier.give_back, data.tokens))


@get("/hosts", responses=ANSWERS, summary="How hosts are doing")
async def hosts(owner: Owned, after: After = -1, limit: Limit = USUAL) -> Response[answers.Hosts]:
    """Ask again with `after` as it is answered, until there are none."""
    return _as_it_is(await slices.hosts(owner, after, limit))


@put("/hosts", status_code=200, responses=ANSWERS, summary="Politeness of a host")
async def set_host(data: JSONBody[messages.Host], owner: Owned) -> answers.HostSet:
    """What is not said stays as it is."""
    said = {"gap": data.gap, "max_in_flight": data.max_in_flight}
    given = {name: value for name, value in said.items() if value is not UNSET}
    done = await owner.call(owner.frontier.set_host, data.host, pause=data.pause, **given)
    return answers.HostSet(done.host, done.pages)


@get("/rate", responses=ANSWERS, summary="The budget")
async def rate(owner: Owned) -> answers.Rate:
    """Pages a second."""
    return answers.Rate(owner.frontier.rate)


@put("/rate", status_code=200, responses=ANSWERS, summary="Another budget")
async def set_rate(data: JSONBody[messages.Rate], owner: Owned) -> answers.Rate:
    """It holds at once."""
    await owner.call(owner.frontier.set_rate, data.rate)
    return answers.Rate(data.rate)


@get("/sources", responses=ANSWERS, summary="What was learned of sources of signals")
async def sources(
    owner: Owned, host: Annotated[str | None, QueryParameter(name="host", max_length=255)] = None
) -> answers.Sources:
    """On all hosts, or on one."""
    found = await owner.call(owner.frontier.sources, host)
    return answers.Sources([answers.Source.of(each) for each in found])


@get("/statistics", responses=ANSWERS, summary="Counts, and how fresh copies are")
async def statistics(owner: Owned) -> answers.Statistics:
    """Freshness is estimated."""
    frontier = owner.frontier
    counts, fresh = await owner.call(lambda: (frontier.statistics, frontier.freshness()))
    return answers.Statistics(counts, answers.Freshness.of(fresh))


@get("/subscriptions", responses=ANSWERS, summary="Feeds whose hubs tell of changes (WebSub)")
async def subscriptions(hearing: Heard) -> answers.Subscriptions:
    """Only where the service was started with --public-url."""
    topics = await to_thread(hearing.topics)
    many = 0 if hearing.subscriptions is None else hearing.subscriptions.active()
    return answers.Subscriptions([answers.Subscription(each.topic, each.hub) for each in topics], many)


@post("/subscriptions", status_code=200, responses=ANSWERS, summary="Subscribe to a feed at its hub (WebSub)")
async def subscribe(data: JSONBody[messages.Subscribe], hearing: Heard) -> answers.Subscription:
    """Entries of what the hub delivers are signals of the source "websub".  It is renewed before it ends."""
    done = await hearing.subscribe(data.topic, data.hub)
    return answers.Subscription(done.topic, done.hub)


async def _with_hash(request: Got, key: str | None) -> str | None:
    """A key and what it came with: the body, or what lines were translated into."""
    return None if key is None else keys.Key(key, await request.body())


def _as_it_is(written: bytes) -> Response[Any]:
    """JSON that is written already."""
    return Response(written, media_type=MediaType.JSON)


def _validators(given: Any) -> Any:
    if isinstance(given, list):
        return [None if each is None else Validators(each.etag, each.last_modified) for each in given]
    return None if given is None else Validators(given.etag, given.last_modified)


V1 = Router(
    "/v1",
    route_handlers=[
        add, forget, pages, page, signal, requested, lease, complete, give_back, hosts, set_host, rate, set_rate,
        sources, statistics, subscriptions, subscribe,
    ],
    guards=[check_query],
)  # fmt: skip

for _route in V1.routes:  # made with the first call of a path, it would say that there are no others
    _route.route_handlers = [each for each in _route.route_handlers if "OPTIONS" not in each.http_methods]  # type: ignore[union-attr]
