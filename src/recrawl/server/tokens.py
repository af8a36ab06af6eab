"""Tokens: who may do what.  Kept as hashes in a file beside the frontier; the token itself is shown once.

A token is 32 random bytes, so a plain SHA-256 of it cannot be guessed back, and needs no salt.
"""

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from recrawl.clock import SystemClock, seconds
from recrawl.errors import DataError, InputError
from recrawl.files.whole import whole

Scope = Literal["read", "work", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""Each may do what those before it may."""
FILE = "tokens.json"
PREFIX = "rc_"
LOOK_S = 1.0
"""Seconds after which the file is looked at again, so that a token that was revoked is refused."""


@dataclass(frozen=True)
class Known:
    """A token that was given out."""

    name: str
    scope: Scope
    hash: str
    made: float
    """Seconds since 1970."""


def made(folder: str | os.PathLike[str], name: str, scope: str) -> str:
    """A new token; it is not kept, and cannot be shown again."""
    if scope not in SCOPES:
        raise InputError(f"scope must be one of {', '.join(SCOPES)}, got {scope!r:.40}", argument="scope")
    if not name or len(name) > 100 or not name.isprintable():
        raise InputError(f"name must be 1 to 100 printable characters, got {name!r:.80}", argument="name")
    os.makedirs(folder, exist_ok=True)
    with _alone(folder):
        known = read(folder)
        if any(each.name == name for each in known):
            raise InputError(f"name must be new, got {name!r}; revoke that one first", argument="name")
        token = PREFIX + secrets.token_urlsafe(32)
        _write(folder, [*known, Known(name, scope, _hash(token), SystemClock().wall())])
    return token


def revoked(folder: str | os.PathLike[str], name: str) -> None:
    """Let a token be worth nothing from now on."""
    with _alone(folder):
        known = read(folder)
        left = [each for each in known if each.name != name]
        if len(left) == len(known):
            names = ", ".join(each.name for each in known) or "none"
            raise InputError(f"name must be that of a token, got {name!r:.80}; there are: {names}", argument="name")
        _write(folder, left)


def read(folder: str | os.PathLike[str]) -> list[Known]:
    """The tokens that were given out."""
    path = Path(folder) / FILE
    try:
        known = [Known(**fields) for fields in json.loads(path.read_text())]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError) as error:
        raise DataError(f"it is no list of tokens: {error}", str(path)) from error
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror or error}", str(path)) from error
    if not all(each.scope in SCOPES and isinstance(each.hash, str) for each in known):
        raise DataError("it is no list of tokens: a scope or a hash makes no sense", str(path))
    return known


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse what is no folder: tokens of none are those of a misspelt one."""
    if not os.path.isdir(folder):
        raise InputError(f"DIR must be a folder that is there, got {os.fspath(folder)!r:.200}", argument="folder")


@contextmanager
def _alone(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Change the tokens while nobody else does: who reads them meanwhile would write down what they were before."""
    check_folder(folder)
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _write(folder: str | os.PathLike[str], known: Iterable[Known]) -> None:
    path = Path(folder) / FILE
    with whole(path) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(json.dumps([asdict(each) for each in known], indent=1).encode())


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class Tokens:
    """The tokens of a folder, as they are now."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._known: list[Known] = read(folder)
        self._seen = self._stamp()
        self._looked = seconds()

    @property
    def wanted(self) -> bool:
        """Whether nobody may ask without one: from the first on, also when all have been revoked."""
        self._look()
        return self._seen is not None

    @property
    def version(self) -> object:
        """Another one whenever tokens have been made or revoked."""
        self._look()
        return self._seen

    def scope(self, token: str) -> Scope | None:
        """What a token allows; None where it is none.  Takes as long whichever it is like."""
        self._look()
        given = _hash(token).encode()
        found: Scope | None = None
        for each in self._known:
            if hmac.compare_digest(each.hash.encode(), given):
                found = each.scope
        return found

    def _look(self) -> None:
        now = seconds()
        if now - self._looked < LOOK_S:
            return
        stamp = self._stamp()
        if stamp != self._seen:
            self._known, self._seen = read(self._folder), stamp
        self._looked = now  # not where it cannot be read: until it can, nobody is let in

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._folder / FILE)
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ino
