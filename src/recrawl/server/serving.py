"""Runs the service until it is told to stop."""

import asyncio
import resource
import signal
import socket
import sys
from collections.abc import Callable

from granian.constants import HTTPModes, Interfaces
from granian.errors import FatalError
from granian.http import HTTP1Settings
from granian.server.embed import Server

from recrawl.errors import InputError, RecrawlError
from recrawl.server.app import Closed, Folder, Opened, application
from recrawl.server.doors import Door, check_tokens, is_here, listen_address
from recrawl.server.hearing import Wanted
from recrawl.server.rest import Rest
from recrawl.server.tokens import Tokens

HEADER_TIMEOUT_MS = 5_000
"""In which a request's headers have to be there; the end of the service waits for them, too."""
HEADER_BYTES = 64 << 10
"""Of a request's headers, at most."""
MOST_CONNECTIONS = 8192
"""Open at once, where the system lets a process have twice as many files; more wait until some are closed."""
SWITCH_S = 0.001
"""Seconds after which one thread lets the other go on: the event loop is not to wait long for the frontier's thread."""

Ready = Callable[[str], None]


class Service:
    """A server in an event loop; `stop` ends it.

    `opened` and `closed` give it the frontier and take it back.  Where there are `tokens`, whoever asks needs one.
    """

    def __init__(
        self,
        opened: Opened,
        closed: Closed,
        listen: str,
        tokens: Tokens | None = None,
        hears: Wanted | None = None,
        folder: Folder = None,
    ) -> None:
        host, port = listen_address(listen)
        check_tokens(host, tokens)
        self._host, self._port = host, port or free_port(host)
        check_free(self._host, self._port)
        self._stopping: list[Callable[[], None]] = []
        self._failed: str | None = None
        self._wrong: Exception | None = None
        names = frozenset({host, "localhost", "127.0.0.1", "::1"})
        app = application(opened, closed, hears, folder, self._stopping, self._fail, self._note)
        rest = Rest(Door(app, names, tokens, always=not is_here(host)))
        self._stopping.append(rest.stop)
        self._server = Server(
            rest,
            address=self._host,
            port=self._port,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,  # while it is not known which version a client will speak, it may be silent for ever
            websockets=False,
            backlog=1024,
            backpressure=room_for_connections(),
            http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT_MS, max_buffer_size=HEADER_BYTES),
            log_access=False,
            log_enabled=False,
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://[{self._host}]:{self._port}" if ":" in self._host else f"http://{self._host}:{self._port}"

    async def run(self) -> None:
        """Serve until told to stop.  Raises RecrawlError where the frontier cannot go on, or cannot be opened."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        try:
            await self._server.serve()
        except FatalError:  # says that it could not begin, and not why
            if self._wrong is None:
                raise
        finally:
            sys.setswitchinterval(before)
        if self._failed is not None:
            raise RecrawlError(
                f"the service has ended, for its frontier cannot go on: {self._failed}; "
                "nothing that was answered is lost, start it again"
            )
        if self._wrong is not None:
            raise self._wrong

    def _fail(self, why: str) -> None:
        self._failed = why
        self.stop()

    def _note(self, error: Exception) -> None:
        self._wrong = error

    def stop(self) -> None:
        """Finish what is under way, and end; who waits for pages is told that there are none."""
        for call in self._stopping:
            call()
        self._server.stop()  # type: ignore[no-untyped-call]


async def serve(service: Service, ready: Ready) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is told the address when there is an answer."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, service.stop)
    telling = asyncio.create_task(tell(service, ready))
    try:
        await service.run()
    finally:
        telling.cancel()


async def tell(service: Service, ready: Ready) -> None:
    """Say where a service is, as soon as somebody answers there."""
    while True:
        try:
            _, writer = await asyncio.open_connection(service._host, service._port)
        except OSError:
            await asyncio.sleep(0.02)
            continue
        writer.close()
        ready(service.url)
        return


def room_for_connections() -> int:
    """How many may be open at once: half of the files that a process may have, so that the frontier can open its own.

    Systems begin with few and let a process ask for more; so it does.
    """
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST_CONNECTIONS
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    if few != resource.RLIM_INFINITY and few < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    return wanted // 2


def free_port(host: str) -> int:
    """A port that nobody has."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def check_free(host: str, port: int) -> None:
    """Refuse an address that somebody else listens on."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"listen must be an address that is free, got {host}:{port}: {reason}", "listen") from None
