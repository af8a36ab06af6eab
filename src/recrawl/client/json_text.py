"""JSON: by msgspec where it is installed, which is several times as fast, or by the standard library."""

import json
from contextlib import suppress
from importlib import import_module
from typing import Any

from recrawl.errors import InputError

fast: Any = None
with suppress(ImportError):  # it comes with the extra `server`
    fast = import_module("msgspec.json")


def encoded(value: object) -> bytes:
    """As JSON.

    >>> encoded({"urls": ["https://a.example/"], "importance": None})
    b'{"urls":["https://a.example/"],"importance":null}'
    """
    try:
        if fast is not None:
            body: bytes = fast.encode(value)
            return body
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:  # surrogates that stand alone
        raise InputError(f"texts must be such as can be written as UTF-8, got {error.object!r:.80}") from None


def decoded(body: bytes) -> Any:
    """From JSON; ValueError where it is none."""
    if fast is None:
        return json.loads(body)
    try:
        return fast.decode(body)
    except Exception as error:  # its own kinds, of which not all are a ValueError
        raise ValueError(str(error)) from None
