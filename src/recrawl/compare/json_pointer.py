"""A part of a JSON document by its pointer (RFC 6901)."""

import json
import re

from recrawl.errors import InputError

_WRONG_TILDE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]*")


def steps(pointer: str) -> tuple[str, ...]:
    """The names along a pointer.

    >>> steps("/a~1b/0/m~0n"), steps("")
    (('a/b', '0', 'm~n'), ())
    """
    if pointer and not pointer.startswith("/"):
        message = f"compare must have a JSON pointer after json:, which is empty or begins with /, got {pointer!r}"
        raise InputError(f"{message}; for example json:/items/0/price", "compare")
    if _WRONG_TILDE.search(pointer):
        message = f"compare must have a JSON pointer in which ~ is written ~0 and / in a name ~1, got {pointer!r}"
        raise InputError(f"{message}; see RFC 6901", "compare")
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:])


def pointed(document: object, names: tuple[str, ...]) -> object:
    """What the names lead to; a LookupError where there is no such place.

    >>> pointed({"a": [10, 20]}, ("a", "1"))
    20
    """
    for name in names:
        if isinstance(document, dict):
            document = document[name]
        elif isinstance(document, list) and _INDEX.fullmatch(name):
            document = document[int(name)]
        else:
            raise LookupError(name)
    return document


def canonical(document: object) -> str:
    """One spelling for equal values: names in order, a line for each value, so that a difference is easy to see."""
    return json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False)
