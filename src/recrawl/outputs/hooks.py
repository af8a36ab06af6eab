"""Hands changes over, one after the other: to a command, or to a webhook.

At least once, in order: the place in the feed is kept on a shelf after each delivery.  A delivery that fails is
repeated with growing pauses until it succeeds, and those after it wait.  A process that is killed between a delivery
and the note of it delivers that change again: receivers tell by its ``id``.
"""

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import secrets
import signal
import tempfile
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING, Protocol

from recrawl.errors import InputError
from recrawl.outputs import changes
from recrawl.store import AnyShelf
from recrawl.urls import normalise

if TYPE_CHECKING:
    import aiohttp

KIND, UNDELIVERED, SECRET = "hook", "undelivered", "secret"
"""Kinds on the shelf: the id delivered last, by hook; lines given up, by hook and id; the secret of webhooks."""
SIGNATURE, ID = "X-Recrawl-Signature", "X-Recrawl-Id"
SAID_BYTES = 500


class FailedError(Exception):
    """A delivery that did not succeed; the message says why."""


class Target(Protocol):
    """Where changes go."""

    async def deliver(self, line: bytes, number: int) -> None:
        """Hand over a change, a line of the feed without its end; FailedError where that fails."""

    async def close(self) -> None:
        """Let go of what is open."""


class Command:
    """Runs a command of the shell for each change, with the change as JSON on its standard input.

    It succeeds with exit status 0.  What it writes to standard output is dropped; the end of what it writes to standard
    error is in the error.  After `timeout` seconds it is killed, with all that it has started.
    """

    def __init__(self, command: str, timeout: float = 60.0) -> None:
        self.command = _not_empty(command, "command")
        self.timeout = _positive(timeout, "timeout")

    async def deliver(self, line: bytes, number: int) -> None:
        """Run it once."""
        try:
            await self._run(line, number)
        except OSError as error:  # no room for a process or a file: that passes, and the change is to be delivered
            raise FailedError(f"the command could not be run: {error.strerror or error}") from None

    async def _run(self, line: bytes, number: int) -> None:
        environment = {**os.environ, "RECRAWL_ID": str(number)}
        with tempfile.TemporaryFile() as said:
            process = await asyncio.create_subprocess_shell(
                self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=said,
                env=environment,
                start_new_session=True,
            )
            try:
                await asyncio.wait_for(process.communicate(line + b"\n"), self.timeout)
            except TimeoutError:
                raise FailedError(f"the command took more than {self.timeout:g} s and was killed") from None
            finally:
                if process.returncode is None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    await process.wait()
            if process.returncode:
                raise FailedError(f"the command ended with status {process.returncode}{_end_of(said.fileno())}")

    async def close(self) -> None:
        """Nothing is open."""


class Webhook:
    """Posts each change as JSON, signed: ``X-Recrawl-Signature: sha256=`` and the HMAC-SHA256 of the body, in hex.

    It succeeds with a status of 200 to 299.  Redirects are not followed.  `allowed` says of an address whether it may
    be spoken to; it is asked about the addresses that a name stands for, at the time of connecting.
    """

    def __init__(
        self,
        url: str,
        secret: str,
        timeout: float = 30.0,
        allowed: Callable[[str], bool] | None = None,
        user_agent: str = "recrawl",
    ) -> None:
        self.url, self._secret = normalise(url), _not_empty(secret, "secret").encode()
        self._timeout, self._allowed, self._user_agent = _positive(timeout, "timeout"), allowed, user_agent
        self._session: aiohttp.ClientSession | None = None

    async def deliver(self, line: bytes, number: int) -> None:
        """Post it once."""
        import aiohttp

        if self._session is None or self._session.closed:
            self._session = _session(self._allowed, self._timeout, self._user_agent)
        headers = {"Content-Type": "application/json", ID: str(number), SIGNATURE: signature(self._secret, line)}
        try:
            self._check_literal()
            async with self._session.post(self.url, data=line, headers=headers, allow_redirects=False) as answer:
                status = answer.status
        except TimeoutError:
            raise FailedError(f"no answer in {self._timeout:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise FailedError(f"{type(error).__name__}: {error}"[:SAID_BYTES]) from None
        if not 200 <= status < 300:
            raise FailedError(f"answered with status {status}")

    def _check_literal(self) -> None:
        """An address in the URL itself never comes by the resolver."""
        import ipaddress

        from yarl import URL

        host = URL(self.url).host or ""
        with contextlib.suppress(ValueError):
            address = str(ipaddress.ip_address(host.partition("%")[0]))
            if self._allowed is not None and not self._allowed(address):
                raise FailedError(f"{address} may not be spoken to")

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()


class Deliverer:
    """Delivers the changes of a feed to a target, from where it was the last time."""

    def __init__(
        self,
        feed: str | os.PathLike[str],
        shelf: AnyShelf,
        name: str,
        target: Target,
        *,
        random: Random,
        pause: float = 1.0,
        most_pause: float = 300.0,
        tries: int | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        failed: Callable[[int, int, str], object] | None = None,
    ) -> None:
        """`name` is the hook's own on the shelf.  Pauses double from `pause` to `most_pause` seconds of the machine.

        `tries`: how often a change is tried before it is given up, which puts its line on the shelf as "undelivered"
        and goes on; None: until it is delivered.  `failed` is told the id, how often it was tried, and why it failed.
        """
        self._feed, self._shelf, self._name, self._target = os.fspath(feed), shelf, _not_empty(name, "name"), target
        self._random, self._sleep, self._failed = random, sleep, failed
        self._pause, self._most_pause, self._tries = _positive(pause, "pause"), _positive(most_pause, "pause"), tries
        self._woken = asyncio.Event()

    @property
    def position(self) -> int:
        """The id delivered last; 0 before the first."""
        return int(self._shelf.get(KIND, self._name) or 0)

    def start_at(self, number: int) -> None:
        """Go on after that id: for a hook that is new, and should not hear of the past."""
        self._shelf.put([(KIND, self._name, b"%d" % number)])

    def wake(self) -> None:
        """Say that there are new changes."""
        self._woken.set()

    async def deliver(self) -> int:
        """Deliver all changes that there are now; how many.  Takes as long as the target needs to take them."""
        count = 0
        for line in changes.lines(self._feed, self.position):
            await self._one(line.rstrip(b"\n"))
            count += 1
        return count

    async def run(self) -> None:
        """Deliver what there is, and what comes after each `wake`, until cancelled."""
        try:
            while True:
                self._woken.clear()
                await self.deliver()
                await self._woken.wait()
        finally:
            await self._target.close()

    async def _one(self, line: bytes) -> None:
        number, tries, pause = int(json.loads(line)["id"]), 0, self._pause
        done: list[tuple[str, str, bytes | None]] = [(KIND, self._name, b"%d" % number)]
        while True:
            try:
                await self._target.deliver(line, number)
                break
            except FailedError as error:
                tries += 1
                if self._failed is not None:
                    self._failed(number, tries, str(error))
            if self._tries is not None and tries >= self._tries:
                done.append((UNDELIVERED, f"{self._name} {number:012d}", line))
                break
            # Between half of the pause and all of it: many hooks that failed together do not come back together.
            await self._sleep(pause * self._random.uniform(0.5, 1.0))
            pause = min(2.0 * pause, self._most_pause)
        self._shelf.put(done)


def signature(secret: str | bytes, body: bytes) -> str:
    """What stands in the header X-Recrawl-Signature.

    >>> signature("key", b"body")[:15]
    'sha256=515aae13'
    """
    key = secret.encode() if isinstance(secret, str) else secret
    return f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"


def kept_secret(shelf: AnyShelf) -> str:
    """The secret of a crawl's webhooks: made at the first call, and kept."""
    found = shelf.get(SECRET, "webhook")
    if found is None:
        found = secrets.token_hex(32).encode()
        shelf.put([(SECRET, "webhook", found)])
    return found.decode()


def is_address(text: str) -> bool:
    """Whether a text is an address to post to, and no command."""
    return text.strip().lower().startswith(("http://", "https://"))


def target_of(
    text: str, secret: str, timeout: float | None = None, allowed: Callable[[str], bool] | None = None
) -> Command | Webhook:
    """A webhook where the text is an http(s) URL, else a command."""
    if is_address(text):
        return Webhook(text.strip(), secret, timeout or 30.0, allowed)
    return Command(text, timeout or 60.0)


def _session(allowed: Callable[[str], bool] | None, timeout: float, user_agent: str) -> "aiohttp.ClientSession":
    import aiohttp

    from recrawl.outputs.resolving import Choosy

    connector = aiohttp.TCPConnector(resolver=Choosy(allowed), limit=1, use_dns_cache=False)
    return aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=timeout),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": user_agent},
    )


def _end_of(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    said = os.pread(descriptor, SAID_BYTES, max(0, size - SAID_BYTES)).decode(errors="replace").strip()
    return f": {said}" if said else ""


def _not_empty(text: str, name: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{name} must not be empty, got {text!r}", name)
    return text


def _positive(seconds: float, name: str) -> float:
    if not seconds > 0:
        raise InputError(f"{name} must be positive, got {seconds!r}; it is in seconds", name)
    return seconds
