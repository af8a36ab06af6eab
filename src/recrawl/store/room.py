"""Errors of a disk without room, told as what they are."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from recrawl.errors import StoreFullError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


@contextmanager
def room_for(what: str, folder: str) -> Iterator[None]:
    """Raise StoreFullError where the block finds no room; other errors pass."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise StoreFullError(folder, what) from error
