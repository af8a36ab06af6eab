"""Requests that are read strictly: a number in quotes is no number, and a query that nobody reads is no query."""

import re
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.exceptions import ClientException
from litestar.handlers.base import BaseRouteHandler
from litestar.params import QueryParameter

from recrawl.errors import InputError

_PLACE = re.compile(r"- at `\$\.(\w+)")
_decoders: dict[Any, "msgspec.json.Decoder[Any]"] = {}


class StrictRequest(Request[Any, Any, Any]):
    """Litestar would take "5" for 5; here the body is decoded into the call's own type, at once and to the letter."""

    async def json(self) -> Any:
        """The body as the type that the call wants."""
        handler = self.scope["route_handler"]
        decoder = _decoders.get(handler)
        if decoder is None:
            field = handler.parsed_data_field
            decoder = _decoders[handler] = msgspec.json.Decoder(Any if field is None else field.annotation)
        body = await self.body()
        try:
            return decoder.decode(body)
        except msgspec.MsgspecError as error:
            raise _named(str(error)) from None
        except (RecursionError, UnicodeDecodeError) as error:
            raise ClientException(f"the body cannot be read: {error}") from None


def _named(words: str) -> Exception:
    """An error that says which field is wrong, where that is known.

    >>> _named("Expected `int`, got `str` - at `$.n`").argument
    'n'
    """
    found = _PLACE.search(words)
    return ClientException(words) if found is None else InputError(words, argument=found[1])


async def check_query(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """A guard: refuse a query with names that the call does not have, so that a misspelt one is not passed over."""
    query = connection.scope["query_string"]
    if not query:
        return
    fields = [field.kwarg_definition for field in handler.parsed_fn_signature.parameters.values()]
    known = [field.name for field in fields if isinstance(field, QueryParameter)]
    for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in known:
            rule = f"must have none but {', '.join(filter(None, known))}" if known else "must be empty"
            scope: Any = connection.scope
            hint = "" if scope["method"] == "GET" else "; with JSON, options stand in the body"
            raise InputError(f"the query {rule}, got {name!r:.40}{hint}")
