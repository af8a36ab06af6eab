"""The right to write in a folder: one process at a time, and one that has lost its place writes no more."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from recrawl.errors import InUseError
from recrawl.store.folder import Folder


class Place:
    """A lock on a file of the folder, which the system drops when the process dies.

    `token` is higher with each one that takes the place.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._process = os.getpid()
        self._path = folder.lock
        self._file = _locked(folder)
        held = os.fstat(self._file.fileno())
        self._inode, self._device = held.st_ino, held.st_dev
        self.token = _words(self._file)[1] + 1
        with suppress(OSError):  # no room for these words; the lock itself is none of the disk's business
            self._file.seek(0)
            # As wide as before, and nothing cut: on a full disk, too, what was written can be written over.
            self._file.write(b"%-10d %-20d\n" % (self._process, self.token))

    def check(self) -> None:
        """Refuse where the file has been deleted or replaced, and in a process forked from the one that has the place.

        Takes 2 us.
        """
        try:
            found = os.stat(self._path)
            held = found.st_ino == self._inode and found.st_dev == self._device and os.getpid() == self._process
        except FileNotFoundError:
            held = False
        if not held:
            raise InUseError(self._folder.path, _owner(self._folder))

    def leave(self) -> None:
        """Let others have it."""
        self._file.close()


@contextmanager
def quiet(folder: Folder) -> Iterator[None]:
    """Nobody writes in the folder while the block runs; nothing in it is changed, and there need not be a lock file."""
    try:
        file = open(folder.lock, "rb")  # noqa: SIM115 (closed below, with the lock)
    except FileNotFoundError:  # a copy: nobody was ever at work here
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            raise InUseError(folder.path, _owner(folder)) from None
        yield


def _locked(folder: Folder) -> BinaryIO:
    while True:
        descriptor = os.open(folder.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        # Unbuffered: words for which there is no room are not to be tried again when the file is closed.
        file: BinaryIO = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.stat(folder.lock), os.fstat(file.fileno())):
                return file
        except FileNotFoundError:
            pass  # deleted between opening and locking: once more
        except OSError:
            file.close()
            raise InUseError(folder.path, _owner(folder)) from None
        file.close()


def _owner(folder: Folder) -> str:
    try:
        with open(folder.lock, "rb") as file:
            return _words(file)[0]
    except OSError:
        return ""


def _words(file: BinaryIO) -> tuple[str, int]:
    """The process that wrote the file, and its token; 0 where there is none."""
    words = file.read(100).split()
    process = words[0].decode(errors="replace") if words else ""
    return process, int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
