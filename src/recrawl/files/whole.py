"""Writes a file beside its place and puts it there when it is whole: what was there stays until then.

The new file is on the disk before it takes the name, and the folder is told last, so that after a crash, too, the name
stands for the old file or the new one, never for a part.  A link is followed, and what it points to is replaced.
Devices and pipes have nothing to lose and are written as they are; ``-`` is stdout.
"""

import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO

STANDARD = "-"
"""Names stdin among the files that are read, and stdout among those that are written."""


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write bytes into, in place once the block ends; an error or Ctrl-C inside leaves the old file alone.

    An OSError raised inside gets the name of the file, which a full disk does not say.
    """
    path = os.fspath(path)
    if path == STANDARD:
        yield _stdout()
        sys.stdout.flush()
        return
    place = os.path.realpath(path)
    beside = _beside(place)
    try:
        if _takes_bytes_at_once(place):
            with open(place, "wb") as file:
                yield file
            return
        if os.path.exists(place) and not os.access(place, os.W_OK):  # replacing it would get round its protection
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        with _new(beside) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _keep_mode_and_owner(place, beside)
        os.replace(beside, place)
        sync_folder(place)
    except OSError as error:
        if error.filename not in (None, beside, place):  # of another file, such as one that is read meanwhile
            raise
        raise OSError(error.errno, error.strerror or str(error), path) from error
    finally:
        with suppress(OSError):  # it has its name, or was never made
            os.unlink(beside)


@contextmanager
def whole_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """The same for UTF-8 text; line ends are written as they are given."""
    with whole(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            with suppress(OSError):  # said by flush, or of no matter beside the error that is on its way
                text.detach()


def _stdout() -> BinaryIO:
    sys.stdout.flush()
    return sys.stdout.buffer


def _takes_bytes_at_once(place: str) -> bool:
    """Whether it is a device or a pipe; a folder is not, and fails as a folder does."""
    try:
        mode = os.stat(place).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode)


def _beside(place: str) -> str:
    """A hidden name that no other writer uses; of a long name the beginning, since names have a greatest length."""
    folder, name = os.path.split(place)
    return os.path.join(folder, f".{name[:40]}.{os.getpid()}-{secrets.token_hex(4)}.tmp")


@contextmanager
def _new(path: str) -> Iterator[BinaryIO]:
    """A file that must not be there yet; where the block fails, what is still to be written is dropped with it."""
    file = open(path, "xb")  # noqa: SIM115 (closing may fail in turn, and must not hide why)
    try:
        yield file
    except BaseException:
        with suppress(OSError):
            file.close()
        raise
    file.close()


def _keep_mode_and_owner(old: str, new: str) -> None:
    try:
        was, now = os.stat(old), os.stat(new)
    except FileNotFoundError:  # the first of its name
        return
    if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
        with suppress(OSError):  # only root may give files away
            os.chown(new, was.st_uid, was.st_gid)
    os.chmod(new, stat.S_IMODE(was.st_mode))


def sync_folder(path: str) -> None:
    """Have the name of a file on the disk, too, and not only what is in it."""
    with suppress(OSError):  # not every system opens folders, not every file system syncs them
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
