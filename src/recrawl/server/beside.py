"""What stands beside the calls: the dashboard, metrics, and whether all is well."""

from asyncio import to_thread
from typing import Any

from litestar import MediaType, Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import File

from recrawl.errors import RecrawlError, StoreFullError
from recrawl.server import answers
from recrawl.server.dashboard import CALLS, CONTENT_SECURITY_POLICY, FILES, INDEX
from recrawl.server.metrics import exposition
from recrawl.server.owner import Owned
from recrawl.server.problems import ANSWERS
from recrawl.server.views import VIEWS

SAFE = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "X-Content-Type-Options": "nosniff"}


@get("/", include_in_schema=False, sync_to_thread=False)
def index() -> File:
    """The dashboard."""
    return File(INDEX, media_type=MediaType.HTML, content_disposition_type="inline", headers=SAFE)


@get("/docs", include_in_schema=False, sync_to_thread=False)
def docs() -> File:
    """What can be asked, drawn from the OpenAPI document."""
    return File(CALLS, media_type=MediaType.HTML, content_disposition_type="inline", headers=SAFE)


@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static(name: FromPath[str]) -> File:
    """What the dashboard consists of: looked up by name, so that no name is tried at the disk."""
    file = FILES.get(name.removeprefix("/"))
    if file is None:
        raise NotFoundException(f"there is no file {name!r:.80}")
    return File(file, filename=file.name, content_disposition_type="inline", headers=SAFE)


@get("/v1/dashboard/{name:str}", include_in_schema=False)
async def view(owner: Owned, name: FromPath[str], request: Request[Any, Any, Any]) -> Response[dict[str, Any]]:
    """What the dashboard shows."""
    function = VIEWS.get(name)
    if function is None:
        raise NotFoundException(f"there is no view {name!r:.40}")
    # Not in the owner's thread: views look for some milliseconds at a time, and compute in between.
    found = await to_thread(function, owner.frontier, dict(request.query_params.items()))
    return Response(found, headers=SAFE)


@get("/metrics", media_type="text/plain; version=0.0.4", summary="Metrics for Prometheus", responses=ANSWERS)
async def metrics(owner: Owned) -> str:
    """In its text format."""
    return await owner.call(exposition, owner.frontier, owner.lag)


@get("/healthz", summary="Whether the process answers", sync_to_thread=False)
def healthz() -> answers.Health:
    """Always."""
    return answers.Health()


@get("/readyz", summary="Whether the frontier takes calls", responses={503: ANSWERS[503]})
async def readyz(owner: Owned) -> answers.Health:
    """After all calls that came before.  503 while nothing can be written, such as where the disk is full."""
    try:
        await owner.call(owner.frontier.ready)
    except StoreFullError as error:
        raise RecrawlError(str(error)) from error
    return answers.Health()


BESIDE = [index, docs, static, view, metrics, healthz, readyz]
