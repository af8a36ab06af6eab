"""Bodies with an object on each line (NDJSON), made into what the calls take: lists, one for each field.

A door in front of the application: whoever sends ``content-type: application/x-ndjson`` gets the call that the same
path has for JSON.  What is one for all lines, such as `source` and `skip_bad`, stands in the query.
"""

from asyncio import to_thread
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import parse_qsl

import msgspec
from litestar.types import ASGIApp
from msgspec import Meta, Struct

from recrawl.server import messages
from recrawl.server.bodies import LINES, content_type, given, refuse
from recrawl.server.messages import Number, Status, Token


class NewPage(Struct, forbid_unknown_fields=True):
    """A page to be kept fresh."""

    url: str
    importance: Number | None = None
    every: Number | None = None
    max_age: Number | None = None
    group: str | None = None


class Named(Struct, forbid_unknown_fields=True):
    """A page to be forgotten."""

    url: str


class Signal(Struct, forbid_unknown_fields=True):
    """A sign that a page may have changed."""

    url: str
    happened: float | str | None = None


class Request(Struct, forbid_unknown_fields=True):
    """How often users asked for a page."""

    url: str
    count: Annotated[int, Meta(ge=0, le=2**31)] = 1


class Outcome(Struct, forbid_unknown_fields=True):
    """What came of a fetch."""

    token: Token
    status: Status | None = None
    changed: bool | None = None
    digest: str | None = None
    etag: str = ""
    last_modified: str = ""
    error: str | None = None
    retry_after: Number | None = None
    moved_to: str | None = None
    at: Number | None = None


def _column(rows: list[Any], name: str) -> list[Any] | None:
    """One field of all lines; None where no line has it."""
    values = [getattr(row, name) for row in rows]
    return None if all(value is None for value in values) else values


def _pages(rows: list[NewPage], options: dict[str, Any]) -> Struct:
    columns: dict[str, Any] = {name: _column(rows, name) for name in ("importance", "every", "max_age")}
    groups = _column(rows, "group")
    if groups is not None and None in groups:
        raise ValueError("group must stand on each line, or on none")
    return messages.Pages([row.url for row in rows], **columns, group=groups, **options)


def _forget(rows: list[Named], options: dict[str, Any]) -> Struct:
    return messages.Forget([row.url for row in rows], **options)


def _signals(rows: list[Signal], options: dict[str, Any]) -> Struct:
    return messages.Signals([row.url for row in rows], happened=_column(rows, "happened"), **options)


def _requests(rows: list[Request], options: dict[str, Any]) -> Struct:
    return messages.Requests([row.url for row in rows], [row.count for row in rows], **options)


def _outcomes(rows: list[Outcome], options: dict[str, Any]) -> Struct:
    names = ("status", "changed", "digest", "error", "retry_after", "moved_to", "at")
    marks = [
        messages.Validators(row.etag, row.last_modified) if row.etag or row.last_modified else None for row in rows
    ]
    return messages.Outcomes(
        [row.token for row in rows],
        **{name: _column(rows, name) for name in names},
        validators=marks if any(marks) else None,
        **options,
    )


Make = Callable[[list[Any], dict[str, Any]], Struct]
CALLS: dict[str, tuple[type[Struct], Make, frozenset[str]]] = {
    "/v1/pages": (NewPage, _pages, frozenset({"skip_bad"})),
    "/v1/pages/forget": (Named, _forget, frozenset({"skip_bad"})),
    "/v1/signals": (Signal, _signals, frozenset({"skip_bad", "source"})),
    "/v1/requests": (Request, _requests, frozenset({"skip_bad"})),
    "/v1/complete": (Outcome, _outcomes, frozenset()),
}
"""By path: what a line is, what lines are made into, and what the query may say."""


def translated(path: str, query: bytes, body: bytes) -> bytes:
    r"""A body of lines as the JSON that the call takes.  Raises ValueError, with the number of the line.

    >>> translated("/v1/signals", b"source=feed", b'{"url": "https://a.example/"}\n{"url": "https://b.example/"}\n')
    b'{"urls":["https://a.example/","https://b.example/"],"source":"feed","happened":null,"skip_bad":false}'
    """
    kind, make, known = CALLS[path]
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in known:
            raise ValueError(f"the query must have none but {', '.join(sorted(known)) or 'nothing'}, got {name!r:.40}")
        options[name] = _flag(name, value) if name == "skip_bad" else value
    if body.count(b"\n") > messages.MOST:
        raise ValueError(f"the body must have at most {messages.MOST:,} lines")
    decoder = msgspec.json.Decoder(kind)
    try:
        rows = decoder.decode_lines(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise ValueError(_where(decoder, body)) from None
    return msgspec.json.encode(make(rows, options))


def _flag(name: str, value: str) -> bool:
    if value.lower() in ("true", "1", "yes", ""):
        return True
    if value.lower() in ("false", "0", "no"):
        return False
    raise ValueError(f"{name} must be true or false, got {value!r:.40}")


def _where(decoder: "msgspec.json.Decoder[Any]", body: bytes) -> str:
    """The first bad line, and what is wrong with it."""
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            decoder.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            return f"line {number}: {error}"
    return "the lines cannot be read"


class Lines:
    """Stands in front of an application, behind a door that gives bodies whole (bodies.py)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Translate what is NDJSON, and pass all else on."""
        if scope["type"] != "http" or scope["method"] != "POST" or content_type(scope) not in LINES:
            await self._app(scope, receive, send)
            return
        if scope["path"] not in CALLS:
            await refuse(send, 415, "unknown type", "this call takes no lines; content-type must be application/json")
            return
        try:
            given_body = (await receive())["body"]
            # Large ones aside, so that others are answered meanwhile.
            body = await to_thread(translated, scope["path"], scope["query_string"], given_body)
        except ValueError as error:
            await refuse(send, 400, "bad request", str(error))
            return
        headers = [(n, v) for n, v in scope["headers"] if n not in (b"content-type", b"content-length")]
        headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        changed: Any = {**scope, "headers": headers, "query_string": b""}
        await self._app(changed, given(body, receive), send)
