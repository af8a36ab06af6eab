"""Sitemaps and sitemap indexes of a host, as of their last build."""

import gzip
import math
from bisect import bisect_right
from collections import OrderedDict
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from recrawl.errors import InputError
from recrawl.livingweb.dates import w3c, w3c_day
from recrawl.livingweb.plan import SitemapPlan
from recrawl.livingweb.world import DAY, Host, Told, World

if TYPE_CHECKING:
    from recrawl.histories.signals import Signals

_URLSET = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_INDEX = '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_PURPOSE = 2
"""Of the chance that lastmod is drawn from."""
_MOST_CACHED = 32 << 20
MOST_URLS = 50_000
"""In one file, by the protocol: a host with more pages has an index, whatever its plan says."""


class Sitemaps:
    """All sitemaps of a world; `start` is when the world began, in seconds since 1970."""

    def __init__(self, world: World, start: float) -> None:
        self._world, self._start = world, start
        self._told: dict[int, Told] = {}
        self._cache: OrderedDict[tuple[int, int, str], tuple[float, bytes, str]] = OrderedDict()
        self._cached = 0
        for host in world.hosts:  # drawn now: it takes a moment, in which years may pass once time has begun
            if host.plan.sitemap is not None:
                self.told(host)

    def told(self, host: Host) -> Told:
        """The moments at which lastmod advances: the changes that it follows, and false bumps."""
        if host.index not in self._told:
            plan = host.plan.sitemap or SitemapPlan()
            self._told[host.index] = self._world.told(host, plan.recall, plan.precision, _PURPOSE)
        return self._told[host.index]

    def file(self, host: Host, path: str, base: str, now: float) -> tuple[bytes, str] | None:
        """What is at a path, and its type; None where there is no sitemap of that name."""
        plan = host.plan.sitemap
        if plan is None:
            return None
        part = _part(plan, parts(host, plan), path)
        return None if part is None else self._at_hand(host, part, base, self.built(plan, now))

    def built(self, plan: SitemapPlan, now: float) -> float:
        """When it was built last; the first build is at 0."""
        now = min(now, self._world.end, math.inf if plan.frozen_after is None else plan.frozen_after * DAY)
        return now if plan.build_days is None else math.floor(now / (plan.build_days * DAY)) * plan.build_days * DAY

    def _at_hand(self, host: Host, part: int, base: str, built: float) -> tuple[bytes, str]:
        """From the cache, which has the latest build of each, up to some bytes in all."""
        key = host.index, part, base
        kept = self._cache.pop(key, (-1.0, b"", ""))
        if kept[0] != built:
            self._cached -= len(kept[1])
            kept = (built, *self._written(host, part, base, built))
            self._cached += len(kept[1])
        self._cache[key] = kept
        while self._cached > _MOST_CACHED and len(self._cache) > 1:
            self._cached -= len(self._cache.popitem(last=False)[1][1])
        return kept[1], kept[2]

    def _written(self, host: Host, part: int, base: str, built: float) -> tuple[bytes, str]:
        plan = host.plan.sitemap
        assert plan is not None
        if part < 0:
            return self._index(host, plan, base, built), "application/xml"
        text = _URLSET + "".join(self._entries(host, plan, part, base, built)) + "</urlset>\n"
        if plan.gzip:
            return gzip.compress(text.encode(), 6, mtime=0), "application/gzip"
        return text.encode(), "application/xml"

    def _index(self, host: Host, plan: SitemapPlan, base: str, built: float) -> bytes:
        ending = ".xml.gz" if plan.gzip else ".xml"
        lines = [
            f"<sitemap><loc>{base}/sitemap-{k}{ending}</loc><lastmod>{w3c(self._start + built)}</lastmod></sitemap>\n"
            for k in range(parts(host, plan))
        ]
        return (_INDEX + "".join(lines) + "</sitemapindex>\n").encode()

    def _entries(self, host: Host, plan: SitemapPlan, part: int, base: str, built: float) -> list[str]:
        told, world = self.told(host), self._world
        lines, many = [], parts(host, plan)
        for k in range(part * host.count // many, (part + 1) * host.count // many):
            page = host.first + k
            if world.version(page, built) < 0 or (host.rules and host.forbids(host.path(page))):
                continue
            lastmod = self._lastmod(plan, k, _advanced(told, k, world.created[page], built), built)
            lines.append(f"<url><loc>{base}{escape(host.path(page))}</loc>{lastmod}</url>\n")
        return lines

    def _lastmod(self, plan: SitemapPlan, k: int, advanced: float, built: float) -> str:
        if plan.lastmod == "none":
            return ""
        time = self._start + (built if plan.lastmod == "build" else advanced)
        if plan.lastmod == "future" and k % 10 == 0:
            time += 365.0 * DAY
        if plan.lastmod == "date":
            return f"<lastmod>{w3c_day(time)}</lastmod>"
        if plan.lastmod == "midnight":
            return f"<lastmod>{w3c_day(time)}T00:00:00Z</lastmod>"
        return f"<lastmod>{w3c(time)}</lastmod>"


def parts(host: Host, plan: SitemapPlan) -> int:
    """In how many files the pages of a host are listed."""
    return max(plan.parts, -(-host.count // MOST_URLS))


def signals(world: World, host: Host) -> "Signals":
    """What who reads each build of a sitemap at once hears: lastmods that advanced, as the simulator wants them.

    Times are days.  A signal is true where the page changed since the build before.
    """
    from recrawl.histories.signals import Signals  # brings in the compiler

    plan = host.plan.sitemap
    if plan is None or plan.lastmod != "exact" or plan.build_days is None or plan.frozen_after is not None:
        raise InputError("sitemap must be built every so many days with an exact lastmod", argument="sitemap")
    told = Sitemaps(world, 0.0).told(host)
    every = plan.build_days * DAY
    pages, builds, happened = _first_builds(told, world, host, every)
    true_pages, true_builds, _ = _first_builds(world.told(host, 1.0, 1.0, _PURPOSE), world, host, every)
    room = int(world.end / every) + 2
    true = np.isin(pages * room + builds, true_pages * room + true_builds)
    return Signals.by_arrival(pages, builds * plan.build_days, happened / DAY, true)


def _first_builds(told: Told, world: World, host: Host, every: float) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Page, build and last moment, for each build that has news of a page."""
    first = np.frombuffer(told.first, dtype=np.int64)
    times = np.frombuffer(told.times)[first[0] : first[-1]]
    pages = np.repeat(np.arange(host.count), first[1:] - first[:-1])
    builds = np.ceil(times / every).astype(np.int64)
    last = np.append((np.diff(pages) != 0) | (np.diff(builds) != 0), True)[: len(pages)]
    created = np.frombuffer(world.created)[host.first : host.first + host.count]
    removed = np.frombuffer(world.removed)[host.first : host.first + host.count]
    listed = (builds * every <= world.end) & (np.ceil(created[pages] / every) < builds)
    kept = last & listed & (removed[pages] > builds * every)
    return pages[kept], builds[kept], times[kept]


def _part(plan: SitemapPlan, many: int, path: str) -> int | None:
    """Which sitemap is at a path: -1 the index, None there is none."""
    whole = "/sitemap.xml"
    if many == 1 and not plan.gzip:
        return 0 if path == whole else None
    if path == whole:
        return -1
    ending = ".xml.gz" if plan.gzip else ".xml"
    name = path.removeprefix("/sitemap-").removesuffix(ending)
    if path != f"/sitemap-{name}{ending}" or not name.isascii() or not name.isdecimal() or len(name) > 9:
        return None
    return int(name) if int(name) < many else None


def _advanced(told: Told, k: int, created: float, built: float) -> float:
    times = told.times
    at = bisect_right(times, built, told.first[k], told.first[k + 1])
    return times[at - 1] if at > told.first[k] else created
