"""`World`: every page of every host, with the times at which it is there and changes.  Nothing else is kept of a page.

Times are seconds since the world began.  A page has version 0 when it comes and one more with each change; what it
looks like is a function of host, path and version.  A page that is away for a while (the fault "returns") comes back
changed, so that a copy from before is stale.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import above, per_page
from recrawl.errors import InputError
from recrawl.histories.history import History
from recrawl.livingweb.changing import page_of, path_of
from recrawl.livingweb.faults import FAULTS
from recrawl.livingweb.plan import HostPlan

DAY = 86400.0
_SAFE = "/-._~!$&'()*+,;=:@"


@dataclass(frozen=True)
class Told:
    """What a source tells of the pages of a host: times, by page; page k's are times[first[k]:first[k + 1]]."""

    first: "array[int]"
    times: "array[float]"


class Host:
    """A host: its plan, and which pages of the world are its own."""

    def __init__(self, index: int, plan: HostPlan, first: int, count: int, paths: Sequence[str] | None) -> None:
        self.index, self.plan, self.first, self.count = index, plan, first, count
        self._paths = paths
        self._shut = plan.robots == "unavailable"  # RFC 9309, 2.3.1.4: then nothing may be fetched
        self.rules = plan.disallow if plan.robots in ("fair", "moved", "huge") else ()
        self._find = None if paths is None else {path: k for k, path in enumerate(paths)}

    def path(self, page: int) -> str:
        """The path of a page of the world, with the slash in front."""
        k = page - self.first
        return "/" + path_of(k) if self._paths is None else self._paths[k]

    def find(self, path: str) -> int:
        """The page of the world at a path; -1 where there never is one."""
        k = page_of(path) if self._find is None else self._find.get(path, -1)
        return self.first + k if 0 <= k < self.count else -1

    def forbids(self, path: str) -> bool:
        """Whether its robots.txt forbids the path: by a rule that can be read, or because it cannot be had."""
        if self._shut:
            return path != "/robots.txt"
        return self.rules != () and path.startswith(self.rules)


class World:
    """Pages that change, the same ones for the same plans, days and seed.

    ``importance`` weighs the pages in the score, in the order of `pages()`; equal by default.  A page that
    robots.txt forbids, or that never can be had because of a fault, has no weight.
    """

    def __init__(
        self, plans: Sequence[HostPlan], *, days: float, seed: int = 0, importance: ArrayLike | None = None
    ) -> None:
        if not plans:
            raise InputError("plans must hold at least one host", argument="plans")
        names = [plan.name for plan in plans]
        if len(set(names)) < len(names):
            raise InputError("plans must have different names", argument="plans")
        above("days", days, 0.0, finite=True)
        self.days, self.end, self.seed = days, days * DAY, seed
        self.hosts: list[Host] = []
        self.by_name: dict[str, Host] = {}
        self.host_of = array("i")
        self.created, self.removed, self.changes = array("d"), array("d"), array("d")
        self.first_change = array("q", [0])
        self.fault = array("b")
        self.away: dict[int, tuple[tuple[float, float], ...]] = {}
        for plan in plans:
            self._add(plan, plan.changing.history(days, self._chance(len(self.hosts), 0)))
        n = len(self)
        given = np.ones(n) if importance is None else per_page("importance", importance, n, positive=False)
        self.weights: NDArray[np.float64] = np.where(self._scored(), given, 0.0)

    def __len__(self) -> int:
        return len(self.created)

    def _chance(self, host: int, purpose: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, host, purpose))

    def _add(self, plan: HostPlan, past: History) -> None:
        first, n = len(self), len(past)
        numbered = all(path == path_of(k) for k, path in enumerate(past.paths))
        paths = None if numbered else ["/" + quote(path.lstrip("/"), safe=_SAFE) for path in past.paths]
        host = Host(len(self.hosts), plan, first, n, paths)
        self.hosts.append(host)
        self.by_name[plan.name] = host
        self.host_of.extend([host.index] * n)
        self.created.frombytes((past.created * DAY).tobytes())
        self.removed.frombytes((past.removed * DAY).tobytes())
        self.fault.extend(_faults(plan, host))
        pages, times = past.change_pages, past.change_times * DAY
        if "returns" in plan.faults:
            pages, times = self._absences(host, pages, times)
        order = np.lexsort((times, pages))
        self.changes.frombytes(times[order].tobytes())
        ends = np.cumsum(np.bincount(pages, minlength=n)) + self.first_change[-1]
        self.first_change.frombytes(ends.astype(np.int64).tobytes())

    def _absences(
        self, host: Host, pages: NDArray[np.int64], times: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Four times pages with the fault are away, each for a twentieth of the time; nothing changes meanwhile."""
        chance = self._chance(host.index, 1)
        index = host.plan.faults.index("returns")
        for page in (host.first + k for k in range(host.count) if self.fault[host.first + k] == index):
            begins = (np.arange(4) + 0.2 + 0.5 * chance.random(4)) * self.end / 4.0
            spans = tuple((float(begin), float(begin + self.end / 20.0)) for begin in begins)
            self.away[page] = spans
            own = pages == page - host.first
            there = ~own
            for begin, end in spans:
                own &= (times < begin) | (times > end)
            pages = np.concatenate((pages[there | own], np.full(len(spans), page - host.first)))
            times = np.concatenate((times[there | own], np.array([end for _, end in spans])))
        return pages, times

    def _scored(self) -> NDArray[np.bool_]:
        out = np.ones(len(self), dtype=np.bool_)
        for host in self.hosts:
            if not host.plan.disallow and not host.plan.faults and host.plan.robots != "unavailable":
                continue
            for page in range(host.first, host.first + host.count):
                fault = self.fault_of(page)
                out[page] = not host.forbids(host.path(page)) and (not fault or FAULTS[fault].copies)
        return out

    def fault_of(self, page: int) -> str:
        """The name of the fault that a page has, or nothing."""
        index = self.fault[page]
        return "" if index < 0 else self.hosts[self.host_of[page]].plan.faults[index]

    def version(self, page: int, now: float) -> int:
        """Which version is there; -1 where the page is not."""
        if not self.created[page] <= now < self.removed[page]:
            return -1
        for begin, end in self.away.get(page, ()):
            if begin <= now < end:
                return -1
        first = self.first_change[page]
        return bisect_right(self.changes, now, first, self.first_change[page + 1]) - first

    def changed(self, page: int, version: int) -> float:
        """When a version came to be: the time of the change, or when the page was created."""
        return self.changes[self.first_change[page] + version - 1] if version > 0 else self.created[page]

    def fresh_until(self, page: int, version: int, now: float) -> float:
        """When a copy of this version, taken now, is no longer what is there."""
        at = self.first_change[page] + version
        until = self.removed[page]
        if at < self.first_change[page + 1]:
            until = min(until, self.changes[at])
        for begin, _ in self.away.get(page, ()):
            if begin >= now:
                return min(until, begin)
        return until

    def there(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """When pages are there: page, from, until; a page that is away for a while has several rows."""
        pages, begins = np.arange(len(self)), np.frombuffer(self.created).copy()
        ends = np.minimum(np.frombuffer(self.removed), self.end)
        more: list[tuple[int, float, float]] = []
        for page, spans in self.away.items():
            edges = [begins[page], *(edge for span in spans for edge in span), ends[page]]
            ends[page] = min(ends[page], edges[1])
            more += [(page, edges[k], edges[k + 1]) for k in range(2, len(edges), 2) if edges[k] < edges[k + 1]]
        if not more:
            return pages, begins, ends
        extra, starts, stops = zip(*more, strict=True)
        return np.append(pages, extra), np.append(begins, starts), np.append(ends, stops)

    def history(self, host: Host) -> History:
        """What happens on a host, as a history in days; pages that are away for a while count as there."""
        n, first = host.count, self.first_change[host.first]
        span = slice(host.first, host.first + n)
        last = self.first_change[host.first + n]
        times = np.frombuffer(self.changes[first:last]) / DAY
        starts = np.frombuffer(self.first_change[host.first : host.first + n + 1], dtype=np.int64)
        pages = np.repeat(np.arange(n), starts[1:] - starts[:-1])
        order = np.lexsort((pages, times))
        paths = tuple(host.path(page) for page in range(host.first, host.first + n))
        created, removed = np.frombuffer(self.created[span]) / DAY, np.frombuffer(self.removed[span]) / DAY
        return History(host.plan.name, paths, created, removed, pages[order], times[order], self.days)

    def told(self, host: Host, recall: float, precision: float, purpose: int) -> Told:
        """Which changes a source tells of, and false alarms; the same for the same seed, host and purpose."""
        span = self.first_change[host.first : host.first + host.count + 1]
        if recall >= 1.0 and precision >= 1.0:
            return Told(span, self.changes)
        from recrawl.histories.signals import Quality, draw  # brings in the compiler: only where it is needed

        drawn = draw(self.history(host), Quality(precision, recall), self._chance(host.index, purpose))
        order = np.lexsort((drawn.happened, drawn.pages))
        times = array("d", (drawn.happened[order] * DAY).tobytes())
        starts = np.searchsorted(drawn.pages[order], np.arange(host.count + 1))
        return Told(array("q", starts.astype(np.int64).tobytes()), times)

    def pages(self) -> Iterator[tuple[Host, str]]:
        """Every page: its host and its path, in the order in which they are numbered."""
        for host in self.hosts:
            for page in range(host.first, host.first + host.count):
                yield host, host.path(page)


def _faults(plan: HostPlan, host: Host) -> Iterator[int]:
    """For each page the place of its fault in the plan, or -1; by a hash of its address, so that it never varies."""
    many = len(plan.faults)
    for page in range(host.first, host.first + host.count):
        if not many:
            yield -1
            continue
        mark = crc32(f"{plan.name}{host.path(page)}".encode())
        yield mark % many if (mark >> 8) % 10_000 < plan.fault_share * 10_000 else -1
