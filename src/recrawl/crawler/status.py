"""How a crawl stands: put together every second, written to a file, and read by `recrawl status`."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recrawl import clock as clocks
from recrawl.crawler.kept import STATUS, Kept
from recrawl.errors import DataError

if TYPE_CHECKING:
    from recrawl.crawler.crawler import Crawler
    from recrawl.crawler.sources.sources import Sources
    from recrawl.fetch.politeness import Gate

MOST_HOSTS = 20
"""Hosts in trouble that are shown."""
COSTLY_S = 0.05
"""The machine's seconds after which a question to the frontier counts as costly, and is asked less often."""


@dataclass(frozen=True)
class Status:
    """How a crawl stands.  Times are in seconds since 1970 by the crawl's clock, unless said otherwise."""

    state: str
    """starting, running, stopping or stopped"""
    reason: str = ""
    """Why it stopped, or why it does not run yet."""
    pid: int = 0
    written: float = 0.0
    """When this was written, by the machine's clock."""
    now: float = 0.0
    up: float = 0.0
    """Seconds since the start, by the machine's clock."""
    rate: float | None = None
    """The budget, requests a second by the crawl's clock."""
    requests_a_second: float = 0.0
    bytes_a_second: float = 0.0
    """Over the last ten seconds, by the crawl's clock and by the machine's."""
    used: float | None = None
    """Share of the budget that was used over that time."""
    pages: int = 0
    pages_new: int = 0
    """Never fetched."""
    pages_gone: int = 0
    hosts: int = 0
    under_way: int = 0
    waiting: int = 0
    """Requests that wait for politeness."""
    in_hand: int = 0
    """Results that wait to be handed over."""
    fresh: float | None = None
    fresh_error: float = 0.0
    """Share of the pages whose copy is like the page, as far as is known, and its standard error."""
    changes: int = 0
    """Changes found since the start, and fetches of pages that found none."""
    wasted: int = 0
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    failing: list[dict[str, Any]] = field(default_factory=list)
    """Hosts in trouble: name, failures, until when they are left alone."""
    failing_hosts: int = 0
    signals: list[dict[str, Any]] = field(default_factory=list)
    """Kinds of signals, and what was learned of each: precision, recall."""
    sources: dict[str, int] = field(default_factory=dict)
    """Sitemaps and feeds that are asked for, by kind."""
    serves: str = ""
    """Where the service is that runs beside: the dashboard, and calls by HTTP."""
    listens: str = ""
    """Where it listens for pings and deliveries."""
    notes: list[str] = field(default_factory=list)

    @property
    def waste(self) -> float | None:
        """Share of the comparing fetches that found nothing new."""
        return self.wasted / (self.wasted + self.changes) if self.wasted + self.changes else None


class Reporter:
    """Puts the status of a crawler together, and writes it down."""

    def __init__(self, crawler: "Crawler", kept: Kept, sources: "Sources", gate: "Gate") -> None:
        self._crawler, self._kept, self._sources, self._gate = crawler, kept, sources, gate
        self._began = clocks.seconds()
        self._slow: tuple[Any, ...] = ()
        self._slow_until = 0.0

    def report(self) -> Status:
        """The status now, written down."""
        status = self._status("stopping" if self._crawler.stopping else "running", "")
        self._write(status)
        return status

    def last(self, reason: str) -> Status:
        """The status at the end."""
        self._slow_until = 0.0
        status = self._status("stopped", reason)
        self._write(status)
        return status

    def _status(self, state: str, reason: str) -> Status:
        crawler, frontier = self._crawler, self._kept.frontier
        clock = crawler.clock
        now = clock.real(clock.monotonic())
        since = now - (clocks.seconds() - self._began)
        statistics = frontier.statistics
        freshness, hosts, signals = self._costly()
        requests = crawler.requests.a_second(now, since) * clock.real(1.0)
        rate = crawler.settings.rate
        outcomes = crawler.counts.group("outcomes")
        failing = [host for host in hosts if host.paused_until is not None or host.probing]
        kinds: dict[str, int] = {}
        for source in self._sources.registry:
            kinds[source.kind or "unread"] = kinds.get(source.kind or "unread", 0) + 1
        return Status(
            state=state,
            reason=reason,
            pid=os.getpid(),
            written=clocks.wall_seconds(),
            now=clock.wall(),
            up=clocks.seconds() - self._began,
            rate=rate,
            requests_a_second=requests,
            bytes_a_second=crawler.bytes.a_second(now, since),
            used=None if not rate else requests / rate,
            pages=statistics["pages"],
            pages_new=statistics["pages_new"],
            pages_gone=statistics["pages_gone"],
            hosts=statistics["hosts"],
            under_way=self._gate.in_flight,
            waiting=self._gate.waiting,
            in_hand=crawler.in_hand,
            fresh=None if freshness.mean != freshness.mean else freshness.mean,
            fresh_error=0.0 if freshness.error != freshness.error else freshness.error,
            changes=outcomes.get("changed", 0),
            wasted=outcomes.get("unchanged", 0),
            counts=dict(crawler.counts.plain()),
            failing=[
                {"host": host.name, "failures": host.failures, "paused_until": host.paused_until}
                for host in failing[:MOST_HOSTS]
            ],
            failing_hosts=len(failing),
            signals=signals,
            sources=kinds,
            listens=crawler.listens,
            serves=crawler.serves,
            notes=self._kept.notes[-5:],
        )

    def _costly(self) -> tuple[Any, ...]:
        """What takes long with many pages is asked less often, so that it takes a hundredth of the time at most."""
        began = clocks.seconds()
        if began >= self._slow_until:
            frontier = self._kept.frontier
            signals = [_plain(quality) for quality in frontier.sources()]
            self._slow = frontier.freshness(), frontier.hosts(), signals
            took = clocks.seconds() - began
            self._slow_until = began + (100.0 * took if took > COSTLY_S else 0.0)
        return self._slow

    def _write(self, status: Status) -> None:
        path = self._kept.status_file
        if path is None:
            return
        beside = path.with_suffix(".json.tmp")
        with suppress(OSError):  # a status that cannot be written is no reason to stop
            beside.write_text(json.dumps(asdict(status)), encoding="utf-8")
            os.replace(beside, path)  # readers see the old one or the new one


def _plain(quality: Any) -> dict[str, Any]:
    return {key: None if value != value else value for key, value in quality._asdict().items()}


def read(folder: str | os.PathLike[str]) -> Status:
    """The status of the crawl in a folder, as it was last written; killed where nobody writes it any more."""
    path = Path(folder) / STATUS
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        status = Status(**{name: fields[name] for name in Status.__dataclass_fields__ if name in fields})
    except FileNotFoundError:
        raise DataError("holds no crawl; start one with recrawl run --data", os.fspath(folder)) from None
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"cannot be read: {error}", os.fspath(path)) from None
    if status.state != "stopped" and not _alive(status.pid):
        return Status(**{**asdict(status), "state": "killed"})
    return status


def _alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
