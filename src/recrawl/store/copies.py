"""New folders from old ones: backups.  A folder gets its name when all is in it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from recrawl.errors import InputError
from recrawl.files.whole import sync_folder
from recrawl.store import journal_file
from recrawl.store.folder import Folder
from recrawl.store.room import room_for

INCOMPLETE = ".incomplete"
SLICE_BYTES = 2 << 20


@contextmanager
def new_folder(target: str | os.PathLike[str]) -> Iterator[Folder]:
    """A folder to fill, named TARGET.incomplete until the block ends.  An error takes it away; a kill leaves it so."""
    place = os.path.abspath(target)
    if os.path.exists(place) and (not os.path.isdir(place) or os.listdir(place)):
        raise InputError(f"target must be a new folder, or an empty one, got {os.fspath(target)!r}", "target")
    half = place + INCOMPLETE
    with room_for("a copy", place):
        try:
            os.makedirs(half)
        except FileExistsError:
            message = f"{half} is there, of a copy that was cut short or is still being made; delete it if nobody is"
            raise InputError(message, "target") from None
        try:
            yield Folder(half)
            sync_folder(os.path.join(half, ""))
            os.rename(half, place)
            sync_folder(place)
        except BaseException:
            shutil.rmtree(half, ignore_errors=True)
            raise


def copy(source: Folder, target: str | os.PathLike[str], upto: int) -> None:
    """Copy the state after group `upto`, where a journal ends: the snapshot before it, and the journals since.

    These files do not change any more.  Nobody must delete them meanwhile.
    """
    snapshots = [number for number in source.snapshots() if number <= upto]
    first = max(snapshots, default=0)
    journals = [begins for begins, ends in pairwise(source.journals()) if ends > first and begins < upto]
    if upto not in source.journals() or (first < upto and min(journals, default=upto) > first):
        raise InputError(f"upto must be what rotate() gave last, got {upto}", "upto")
    with new_folder(target) as folder:
        if snapshots:
            _copy_file(source.snapshot(first), folder.snapshot(first))
        for begins in journals:
            for tail in ("", "-wal"):  # a log is there only where closing found no room to move it into the file
                if os.path.exists(source.journal(begins) + tail):
                    _copy_file(source.journal(begins) + tail, folder.journal(begins) + tail)
        journal_file.create(folder.journal(upto))


def _copy_file(source: str, target: str) -> None:
    """Synced slice by slice: where much waits for the disk, so does the next group of the journal."""
    with open(source, "rb") as old, open(target, "xb") as new:
        while data := old.read(SLICE_BYTES):
            new.write(data)
            new.flush()
            os.fdatasync(new.fileno())
