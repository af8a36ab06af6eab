"""Requests whose bodies are read strictly: a number in quotes is no number."""

from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ClientException

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
            raise ClientException(str(error)) from None
        except (RecursionError, UnicodeDecodeError) as error:
            raise ClientException(f"the body cannot be read: {error}") from None
