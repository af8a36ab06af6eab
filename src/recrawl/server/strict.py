"""Requests whose bodies are read strictly: a number in quotes is no number."""

import re
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ClientException

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
