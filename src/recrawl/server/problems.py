"""Errors as problem documents (RFC 9457): what was wrong, and whether it makes sense to send the same again."""

import sys
import traceback
from typing import Annotated, Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.status_codes import (
    HTTP_400_BAD_REQUEST,
    HTTP_422_UNPROCESSABLE_ENTITY,
    HTTP_500_INTERNAL_SERVER_ERROR,
    HTTP_503_SERVICE_UNAVAILABLE,
    HTTP_507_INSUFFICIENT_STORAGE,
)
from msgspec import Meta, Struct

from recrawl.errors import InputError, RecrawlError, StoreFullError

TYPE = "application/problem+json"
KEY = "Idempotency-Key"
"""What is a key to the frontier is a header here."""
REJECTED, FAILED = "rejected", "failed"
"""`outcome`: nothing was done and the same will be refused again; or, it may be sent again."""


class Problem(Struct, omit_defaults=True):
    """A problem document."""

    title: str
    status: int
    detail: Annotated[str, Meta(description="what was wrong, and what to do about it")]
    outcome: Annotated[
        str,
        Meta(
            description="rejected: nothing was done, and the same will be refused again; "
            "failed: it may be sent again, with the same Idempotency-Key if it had one"
        ),
    ]
    type: str = "about:blank"
    argument: Annotated[str | None, Meta(description="the field that was wrong; absent: not known, or several")] = None
    row: Annotated[int | None, Meta(description="its first wrong item, from 0 on; absent: does not apply")] = None


def document(status: int, title: str, detail: str, outcome: str, **more: Any) -> bytes:
    """One problem document."""
    return msgspec.json.encode(Problem(title, status, detail, outcome, **more))


def problem(status: int, title: str, detail: str, outcome: str, **more: Any) -> Response[bytes]:
    """An answer that is one."""
    return Response(document(status, title, detail, outcome, **more), status_code=status, media_type=TYPE)


def of_input(_: Request[Any, Any, Any], error: InputError) -> Response[bytes]:
    """What the caller passed makes no sense; or it came with a key that was used for something else."""
    argument, detail, status, title = error.argument, str(error), HTTP_400_BAD_REQUEST, "bad request"
    if argument == "key":
        argument, detail = KEY, KEY + detail.removeprefix("key")
        status, title = HTTP_422_UNPROCESSABLE_ENTITY, "key in use"
    return problem(status, title, detail, REJECTED, argument=argument, row=error.row)


def of_frontier(_: Request[Any, Any, Any], error: RecrawlError) -> Response[bytes]:
    """The frontier could not do it now."""
    if isinstance(error, StoreFullError):
        return problem(HTTP_507_INSUFFICIENT_STORAGE, "the disk is full", str(error), FAILED)
    return problem(HTTP_503_SERVICE_UNAVAILABLE, "not possible now", str(error), FAILED)


def of_http(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What the framework refuses: unknown paths, wrong methods, bodies that are no JSON or too large."""
    status = error.status_code
    reasons, argument = "", None
    if isinstance(error.extra, list):
        said = [each for each in error.extra if isinstance(each, dict)]
        named = [(KEY if each.get("key") == "key" else each.get("key") or "body", each) for each in said]
        reasons = "; ".join(f"{name}: {each.get('message', '')}" for name, each in named)
        argument = next((name for name, each in named if len(named) == 1 and "key" in each), None)
    if reasons == "data: 'data'":
        reasons, argument = "a JSON body is needed, at least {}", None
    # The framework's own words name the method, the path and this server; they are not for clients.
    detail = reasons if status == HTTP_400_BAD_REQUEST and reasons else error.detail
    outcome = REJECTED if status < HTTP_500_INTERNAL_SERVER_ERROR else FAILED
    title = "bad request" if status == HTTP_400_BAD_REQUEST else "not answered"
    answer = problem(status, title, detail, outcome, argument=argument)
    answer.headers.update(error.headers or {})
    return answer


def of_mistake(_: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """A mistake of ours; what it was stands in the log."""
    traceback.print_exception(error, file=sys.stderr)
    return problem(
        HTTP_500_INTERNAL_SERVER_ERROR, "internal error", "the service has made a mistake; its log has more", FAILED
    )


def _spec(description: str) -> ResponseSpec:
    return ResponseSpec(Problem, generate_examples=False, description=description, media_type=TYPE)


ANSWERS = {
    400: _spec("rejected: something in the request is wrong; nothing was done"),
    401: _spec("rejected: a token is needed"),
    403: _spec("rejected: who asks may not"),
    408: _spec("failed: the body did not come in time"),
    413: _spec("rejected: the body is too large"),
    414: ResponseSpec(None, generate_examples=False, description="rejected: the URL is too long; without a document"),
    415: _spec("rejected: the body is of a type that the call does not take"),
    422: _spec("rejected: the Idempotency-Key was used for another request; nothing was done"),
    431: ResponseSpec(None, generate_examples=False, description="rejected: too many headers; without a document"),
    503: _spec("failed: not possible now, may be sent again"),
    507: _spec("failed: the disk is full; may be sent again when there is room"),
}
"""What any call may answer beside what it is for."""
