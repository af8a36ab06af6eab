"""`Web`: the living web in this process, on loopback; `LivingWeb` runs it in one of its own."""

import asyncio
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from recrawl.arguments import above, at_least_0, whole_number
from recrawl.clock import ScaledClock, seconds_since_boot
from recrawl.errors import InputError
from recrawl.livingweb.plan import HostPlan
from recrawl.livingweb.said.hub import Hub
from recrawl.livingweb.said.pings import Pings
from recrawl.livingweb.scoring.book import Book
from recrawl.livingweb.wire.connection import Connection
from recrawl.livingweb.wire.control import Control
from recrawl.livingweb.wire.site import Site
from recrawl.livingweb.world import DAY, Host, World

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ADDRESS = "127.0.0.1"
"""The living web listens here and nowhere else."""
SUFFIXES = ("localhost", "example", "test")
"""A host NAME also answers to NAME and one of these, with a dot between."""


@dataclass(frozen=True)
class Settings:
    """What a living web is made from; see `LivingWeb` for the meaning."""

    plans: tuple[HostPlan, ...]
    days: float
    scale: float
    start: float
    seed: int = 0
    importance: "ArrayLike | None" = None
    own_ports: bool = False
    port: int = 0
    control_port: int = 0
    bins: int = 200
    counted_from: float = 0.0
    given: bool = False
    hold: bool = False
    log: str | None = None

    def __post_init__(self) -> None:
        above("scale", self.scale, 0.0, finite=True)
        whole_number("bins", self.bins, 1)
        at_least_0("counted_from", self.counted_from)
        if self.counted_from >= self.days:
            raise InputError(
                f"counted_from must be less than the {self.days:g} days of the web, got {self.counted_from:g}",
                argument="counted_from",
            )


class Web:
    """Servers, world, book and clock.  Make it, `await listen()`, and `await stopped.wait()`."""

    def __init__(self, settings: Settings, log: IO[str] | None = None) -> None:
        self.settings = settings
        self.world = World(settings.plans, days=settings.days, seed=settings.seed, importance=settings.importance)
        self.book = Book(
            self.world, bins=settings.bins, counted_from=settings.counted_from * DAY, given=settings.given, log=log
        )
        self.connections: set[Connection] = set()
        self.port = self.control_port = 0
        self.ports: dict[str, int] = {}
        self.hub, self.pings = Hub(self), Pings(self)
        self.site = Site(self.world, settings.start, self.ports, self.hub.answer)
        self._clock: ScaledClock | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._servers: list[asyncio.Server] = []
        self._names: dict[bytes, Host] = {}

    async def listen(self) -> None:
        """Open the ports; unless the settings hold it back, time begins."""
        self.loop = asyncio.get_running_loop()
        self.stopped = asyncio.Event()
        server = await self._open(lambda: Connection(self, None), self.settings.port)
        self.port = server.sockets[0].getsockname()[1]
        if self.settings.own_ports:
            for host in self.world.hosts:
                own = await self._open(lambda host=host: Connection(self, host), 0)
                self.ports[host.plan.name] = own.sockets[0].getsockname()[1]
        server = await self._open(lambda: Control(self), self.settings.control_port)
        self.control_port = server.sockets[0].getsockname()[1]
        self._tasks = [self.loop.create_task(self.hub.run()), self.loop.create_task(self.pings.run())]
        if not self.settings.hold:
            self.begin()

    async def _open(self, protocol: Any, port: int) -> asyncio.Server:
        server = await self.loop.create_server(protocol, ADDRESS, port, backlog=4096)
        self._servers.append(server)
        return server

    def begin(self) -> None:
        """Let time begin, where it has not."""
        if self._clock is None:
            self._clock = ScaledClock(self.settings.scale, self.settings.start, seconds_since_boot())

    @property
    def held(self) -> bool:
        """Whether time has not begun."""
        return self._clock is None

    def clock_parameters(self) -> dict[str, float | None]:
        """What others make the same clock from; began is None while time is held back."""
        began = None if self._clock is None else self._clock.began
        return {"scale": self.settings.scale, "start": self.settings.start, "began": began}

    def now(self) -> float:
        """Seconds since the world began."""
        return 0.0 if self._clock is None else self._clock.monotonic()

    def wall(self) -> float:
        """Seconds since 1970 by the web's clock."""
        return self.settings.start + self.now()

    def base(self, host: Host) -> str:
        """How URLs of a host begin."""
        return base_of(host.plan.name, len(self.world.hosts), self.port, self.ports)

    def host_of(self, name: bytes) -> Host | None:
        """The host that a Host header means; with a bare address it is the first."""
        found = self._names.get(name)
        if found is None:
            text = name.decode("latin-1").lower().rpartition(":")[0] or name.decode("latin-1").lower()
            label, _, rest = text.partition(".")
            if text in ("127.0.0.1", "localhost", ""):
                found = self.world.hosts[0]
            elif not rest or rest in SUFFIXES:
                found = self.world.by_name.get(label)
            if found is not None and len(self._names) < 10 * len(self.world.hosts) + 100:
                self._names[name] = found
        return found

    def stop(self) -> None:
        """Let `stopped` be set: the one who waits for it closes."""
        self.stopped.set()

    async def close(self) -> None:
        """Close ports and connections."""
        for server in self._servers:
            server.close()
        for connection in list(self.connections):
            connection.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)
        self.book.flush()


def base_of(name: str, hosts: int, port: int, ports: dict[str, int]) -> str:
    """How URLs of a host begin: by its own port, by the address where it is alone, else by NAME.localhost."""
    if name in ports:
        return f"http://{ADDRESS}:{ports[name]}"
    return f"http://{ADDRESS}:{port}" if hosts == 1 else f"http://{name}.localhost:{port}"
