"""`LivingWeb`: a living web in a process of its own, for as long as a block lasts."""

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from numpy.typing import ArrayLike

from recrawl.arguments import above
from recrawl.clock import ScaledClock, SystemClock
from recrawl.errors import RecrawlError
from recrawl.livingweb.changing import longest
from recrawl.livingweb.plan import HostPlan
from recrawl.livingweb.presets import demo
from recrawl.livingweb.scoring.score import Score
from recrawl.livingweb.server import ADDRESS, Settings, base_of
from recrawl.livingweb.world import World

START = 1577836800.0
"""2020-01-01: when a web that runs faster than the machine's clock begins."""
_PATIENCE_S = 300.0


class LivingWeb:
    """Real HTTP on loopback, pages that change, and a score for every crawler that comes.

    ================ ==========================================================================================
    `plans`          one `HostPlan` a host; default: the preset `demo`
    `lasting`        the machine's seconds in which all `days` pass; or give `scale`, how much faster the web's
                     clock runs (1 where neither is given)
    `days`           days of the web's clock after which nothing changes any more and the score stands; default:
                     those of the longest history, 365 where there is none
    `seed`           of everything that is drawn
    `importance`     of pages, for the score, in the order of `page_urls()`; default: all the same
    `start`          the web's clock at the beginning, in seconds since 1970; default: now for scale 1, else START
    `own_ports`      each host has a port of its own, too, and its URLs have it
    `counted_from`   days before which freshness does not count
    `given_copies`   crawlers count as having a copy of every page that is there at the beginning
    `hold`           time begins with `begin()`, not at once
    `bins`           parts of the timeline of a score
    `log`            a file that gets a line of JSON for each request
    ================ ==========================================================================================

    ::

        with LivingWeb(lasting=60.0) as web:
            crawl(web.page_urls())
            print(web.score("mybot").freshness)
    """

    def __init__(
        self,
        plans: Sequence[HostPlan] | None = None,
        *,
        lasting: float | None = None,
        scale: float | None = None,
        days: float | None = None,
        seed: int = 0,
        importance: ArrayLike | None = None,
        start: float | None = None,
        own_ports: bool = False,
        port: int = 0,
        control_port: int = 0,
        bins: int = 200,
        counted_from: float = 0.0,
        given_copies: bool = False,
        hold: bool = False,
        log: str | os.PathLike[str] | None = None,
    ) -> None:
        plans = tuple(demo() if plans is None else plans)
        if days is None:
            days = longest(plan.changing for plan in plans)
        above("days", days, 0.0, finite=True)
        if lasting is not None:
            above("lasting", lasting, 0.0, finite=True)
        if scale is None:
            scale = 1.0 if lasting is None else days * 86400.0 / lasting
        if start is None:
            start = SystemClock().wall() if scale == 1.0 else START
        self.settings = Settings(
            plans=plans,
            days=days,
            scale=scale,
            start=start,
            seed=seed,
            importance=importance,
            own_ports=own_ports,
            port=port,
            control_port=control_port,
            bins=bins,
            counted_from=counted_from,
            given=given_copies,
            hold=hold,
            log=None if log is None else os.path.abspath(log),
        )
        self.port = self.control_port = 0
        self.ports: dict[str, int] = {}
        self._world: World | None = None
        self._clock: ScaledClock | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the hosts."""
        return tuple(plan.name for plan in self.settings.plans)

    @property
    def urls(self) -> dict[str, str]:
        """The URL of each host's front page."""
        return {name: f"{self.base(name)}/" for name in self.hosts}

    def base(self, name: str) -> str:
        """How URLs of a host begin."""
        return base_of(name, len(self.settings.plans), self.port, self.ports)

    @property
    def world(self) -> World:
        """The same world once more, in this process: what changes when.  Made when first asked for."""
        if self._world is None:
            s = self.settings
            self._world = World(s.plans, days=s.days, seed=s.seed, importance=s.importance)
        return self._world

    def page_urls(self) -> Iterator[str]:
        """Every page that is there at some time, in the order in which they are numbered."""
        bases = {name: self.base(name) for name in self.hosts}
        return (bases[host.plan.name] + path for host, path in self.world.pages())

    @property
    def clock(self) -> ScaledClock:
        """The web's clock; `scale`, `start` and `began` make the same one in another process."""
        if self._clock is None:
            self._clock = self._set_clock(self._ask("/-/clock"))
        return self._clock

    def begin(self) -> ScaledClock:
        """Let time begin, where `hold` kept it; the clock."""
        self._clock = self._set_clock(self._ask("/-/begin"))
        return self._clock

    @staticmethod
    def _set_clock(given: Any) -> ScaledClock:
        if given["began"] is None:
            raise RecrawlError("the clock stands still as long as the web is held; call begin() first")
        return ScaledClock(given["scale"], given["start"], given["began"])

    def score(self, agent: str) -> Score:
        """What the web knows of a crawler at this moment, by the product token of its User-Agent."""
        return Score.of_json(self._ask(f"/-/score?agent={quote(agent, safe='')}"))

    def agents(self) -> list[str]:
        """The crawlers that have come."""
        found: list[str] = self._ask("/-/agents")
        return found

    def sent(self) -> dict[str, int]:
        """Pings and deliveries by the status of the answer (0: none), and subscriptions."""
        found: dict[str, int] = self._ask("/-/sent")
        return found

    def flush(self) -> None:
        """Bring the log to its file."""
        self._ask("/-/flush")

    def _ask(self, target: str) -> Any:
        connection = http.client.HTTPConnection(ADDRESS, self.control_port, timeout=60.0)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise RecrawlError(f"the living web answered {answer.status} to {target}: {body.decode().strip()}")
        return json.loads(body) if body else None

    def start(self) -> Self:
        """Start the process, and wait until it listens."""
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "recrawl.livingweb.child", str(theirs.fileno())]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),))
        self._pipe = Connection(ours.detach())
        try:
            self._pipe.send(self.settings)
            if not self._pipe.poll(_PATIENCE_S):
                raise RecrawlError(f"the living web did not start within {_PATIENCE_S:g} s")
            told = self._pipe.recv()
        except (EOFError, OSError) as error:
            self.stop()
            raise RecrawlError("the living web ended before it listened; what it printed says why") from error
        except BaseException:
            self.stop()
            raise
        if isinstance(told, Exception):
            self.stop()
            raise told
        self.port, self.control_port, self.ports = told["port"], told["control"], told["ports"]
        if told["began"] is not None:
            self._clock = self._set_clock(told)
        return self

    def stop(self) -> None:
        """End the process, and wait until it has."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is not None:
            try:
                self._process.wait(10.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def wait(self, seconds: float) -> bool:
        """Wait so many of the machine's seconds; whether the web has ended by then."""
        if self._process is None:
            return True
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    @property
    def pid(self) -> int:
        """The process of the web."""
        if self._process is None:
            raise RecrawlError("the living web is not running; use it in a with block")
        return self._process.pid

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
