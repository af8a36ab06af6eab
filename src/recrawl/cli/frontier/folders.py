"""What the commands on folders share: the folder must be there, and nobody may have it open."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from recrawl.errors import InputError, InUseError


def check_folder(path: str) -> None:
    """Refuse a DIR that is no folder of a frontier."""
    if not os.path.isdir(path):
        raise InputError(f"DIR must be the folder of a frontier, got {path!r}", argument="folder")


@contextmanager
def unused(path: str, or_else: str = "have it make a copy with Frontier.backup and use that") -> Iterator[None]:
    """Say what to do where a process has the folder open."""
    try:
        yield
    except InUseError as error:
        owner = f"process {error.owner}" if error.owner else "another process"
        raise InputError(f"{path} is in use by {owner}; stop it, or {or_else}", argument="folder") from error
