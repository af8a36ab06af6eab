"""Idempotency keys, and what they came with."""

from hashlib import blake2b
from typing import Any, Self


class Key(str):
    """A key that came with a request whose bytes are known: 8 bytes of their hash go with it.

    The same key with another request is refused: to answer it as the first would say that something was done which was
    not.  A key without a hash, as an ordinary text or in a journal of before, goes with any request.
    """

    __slots__ = ("body",)
    body: int

    def __new__(cls, key: str, request: bytes) -> Self:
        """Of a request with this key."""
        made = super().__new__(cls, key)
        made.body = int.from_bytes(blake2b(request, digest_size=8).digest())
        return made


def hash_of(key: str | None) -> int | None:
    """Of the request that a key came with, where it is known."""
    return key.body if isinstance(key, Key) else None


def key_fields(key: str | None) -> dict[str, Any]:
    """What a fact says of the call's key.

    >>> key_fields(None), key_fields("k"), key_fields(Key("k", b"request"))
    ({'key': None}, {'key': 'k'}, {'key': 'k', 'body': 13188247561345667725})
    """
    body = hash_of(key)
    return {"key": key} if key is None or body is None else {"key": str(key), "body": body}
