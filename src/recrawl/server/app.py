"""The application: routes, the dashboard's files, problem documents, and the doors in front of them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from litestar import Litestar, Request
from litestar.config.app import AppConfig
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.types import ASGIApp

from recrawl import __version__
from recrawl.errors import InputError, RecrawlError
from recrawl.frontier import Frontier
from recrawl.server import problems
from recrawl.server.beside import BESIDE
from recrawl.server.bodies import MOST_BYTES, Bodies, Patience
from recrawl.server.described import Described
from recrawl.server.doors import RefusedError, of_refused
from recrawl.server.hearing import Hearing, Strangers, Wanted
from recrawl.server.ndjson import Lines
from recrawl.server.owner import Owner
from recrawl.server.routes import V1
from recrawl.server.strict import StrictRequest
from recrawl.server.views import tick, watch

TICK_S = 10.0
"""Seconds between two samples for the dashboard."""

Opened = Callable[[], Frontier]
Closed = Callable[[Frontier], None]
Folder = str | os.PathLike[str] | None


def application(
    opened: Opened,
    closed: Closed,
    hears: Wanted | None = None,
    folder: Folder = None,
    stopping: list[Callable[[], None]] | None = None,
    failed: Callable[[str], None] = lambda _: None,
    wrong: Callable[[Exception], None] = lambda _: None,
) -> ASGIApp:
    """The service.  `opened` gives the frontier when it starts, and `closed` gets it back when it ends.

    `hears`: which strangers are listened to; what they are known by is kept in `folder`.  `stopping` gets what is to be
    called when the service is about to stop, and `failed` is told why no call will be answered any more.  `wrong` gets
    what was raised when the service began or ended: the server says only that there was something.
    """

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        try:
            async with running(app):
                yield
        except Exception as error:
            wrong(error)
            raise

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        frontier = await asyncio.to_thread(opened)
        try:
            app.state.owner = owner = Owner(frontier, failed)
            if stopping is not None:
                stopping.append(owner.release)
            with owner.running():
                await owner.call(watch, frontier)
                ticking = asyncio.create_task(_ticking(owner))
                try:
                    async with Hearing.of(owner, hears or Wanted(), folder) as app.state.hearing:
                        yield
                finally:
                    ticking.cancel()
                    with suppress(asyncio.CancelledError):
                        await ticking
            await owner.ended()
        finally:
            await asyncio.to_thread(closed, frontier)

    app = Litestar(
        route_handlers=[V1, *BESIDE],
        dependencies={
            "owner": Provide(_owner, sync_to_thread=False),
            "hearing": Provide(_hearing, sync_to_thread=False),
        },
        lifespan=[lifespan],
        request_class=StrictRequest,
        request_max_body_size=MOST_BYTES,
        exception_handlers={
            RefusedError: of_refused,
            InputError: problems.of_input,
            RecrawlError: problems.of_frontier,
            HTTPException: problems.of_http,
            Exception: problems.of_mistake,
        },
        openapi_config=OpenAPIConfig(
            "recrawl", __version__, path="/openapi", render_plugins=[Described()], use_handler_docstrings=True
        ),
        on_app_init=[_quiet],
    )
    patience = Patience()
    if stopping is not None:
        stopping.append(patience.stop)
    return Strangers(Bodies(Lines(_heads(app)), patience), lambda: app.state.get("hearing"), patience)


def _heads(app: ASGIApp) -> ASGIApp:
    """HEAD is GET without the body."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        async def without_body(message: Any) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        if scope["type"] == "http" and scope["method"] == "HEAD":
            changed: Any = {**scope, "method": "GET"}
            await app(changed, receive, without_body)
        else:
            await app(scope, receive, send)

    return answer


def _owner(request: Request[Any, Any, Any]) -> Owner:
    found: Owner = request.app.state.owner
    return found


def _hearing(request: Request[Any, Any, Any]) -> Hearing:
    found: Hearing | None = request.app.state.hearing
    if found is None:
        raise InputError("the service was started without --public-url: it has no subscriptions")
    return found


async def _ticking(owner: Owner) -> None:
    """Have the dashboard remember how things stand."""
    while True:
        await asyncio.sleep(TICK_S)
        with suppress(RecrawlError):
            await owner.call(tick, owner.frontier)


def _quiet(config: AppConfig) -> AppConfig:
    """No debug pages, whatever the environment says: they show source."""
    config.debug = False
    return config
