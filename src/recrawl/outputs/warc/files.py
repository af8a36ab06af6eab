"""The files of a folder of WARCs: their names, their order, and the whole records of the last one.

Names are PREFIX-NUMBER-TIME.warc.gz; numbers go up, so that a listing by name is in order of writing.
"""

import os
import re
from datetime import UTC, datetime

from recrawl.errors import InputError
from recrawl.outputs.warc.member import HEAD_BYTES, head, inflated_end

VERIFIED_BYTES = 64 << 20
"""So much at the end of the last file is inflated on opening.  What is before has been synced long ago."""
_PREFIX = re.compile(r"[A-Za-z0-9_.-]+")


def check_prefix(prefix: str) -> None:
    """Refuse what does not go into a file name."""
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        raise InputError(f"prefix must be of letters, digits, dots, dashes and underscores, got {prefix!r}", "prefix")


def listed(folder: str, prefix: str) -> list[tuple[int, str]]:
    """Numbers and names of the files, in order."""
    pattern = re.compile(rf"{re.escape(prefix)}-(\d{{6,}})-\d{{14}}\.warc\.gz")
    return sorted((int(match[1]), name) for name in os.listdir(folder) if (match := pattern.fullmatch(name)))


def name_of(prefix: str, number: int, seconds: float) -> str:
    """The name of a new file.

    >>> name_of("recrawl", 7, 1700000000.0)
    'recrawl-000007-20231114221320.warc.gz'
    """
    return f"{prefix}-{number:06d}-{datetime.fromtimestamp(int(seconds), UTC):%Y%m%d%H%M%S}.warc.gz"


def whole_bytes(path: str) -> int:
    """How many bytes of a file are whole records; what follows was cut short by a crash."""
    size = os.path.getsize(path)
    at = 0
    with open(path, "rb") as file:
        while at < size:
            file.seek(at)
            found = head(file.read(HEAD_BYTES))
            if found and at + found.member < size - VERIFIED_BYTES:
                at += found.member
                continue
            end = inflated_end(file, at)
            if end is None:
                break
            at = end
    return at
