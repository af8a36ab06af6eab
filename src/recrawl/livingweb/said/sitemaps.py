"""Sitemaps and sitemap indexes of a host, as of their last build."""

import gzip
import math
from bisect import bisect_right
from functools import lru_cache
from html import escape

from recrawl.livingweb.dates import w3c, w3c_day
from recrawl.livingweb.plan import SitemapPlan
from recrawl.livingweb.world import DAY, Host, Told, World

_URLSET = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_INDEX = '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
_PURPOSE = 2
"""Of the chance that lastmod is drawn from."""


class Sitemaps:
    """All sitemaps of a world; `start` is when the world began, in seconds since 1970."""

    def __init__(self, world: World, start: float) -> None:
        self._world, self._start = world, start
        self._told: dict[int, Told] = {}
        self._cached = lru_cache(64)(self._written)
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
        part = _part(plan, path)
        return None if part is None else self._cached(host, part, base, self.built(plan, now))

    def built(self, plan: SitemapPlan, now: float) -> float:
        """When it was built last; the first build is at 0."""
        now = min(now, self._world.end, math.inf if plan.frozen_after is None else plan.frozen_after * DAY)
        return now if plan.build_days is None else math.floor(now / (plan.build_days * DAY)) * plan.build_days * DAY

    def _written(self, host: Host, part: int, base: str, built: float) -> tuple[bytes, str]:
        plan = host.plan.sitemap
        assert plan is not None
        if part < 0:
            return self._index(plan, base, built), "application/xml"
        text = _URLSET + "".join(self._entries(host, plan, part, base, built)) + "</urlset>\n"
        if plan.gzip:
            return gzip.compress(text.encode(), 6, mtime=0), "application/gzip"
        return text.encode(), "application/xml"

    def _index(self, plan: SitemapPlan, base: str, built: float) -> bytes:
        ending = ".xml.gz" if plan.gzip else ".xml"
        lines = [
            f"<sitemap><loc>{base}/sitemap-{k}{ending}</loc><lastmod>{w3c(self._start + built)}</lastmod></sitemap>\n"
            for k in range(plan.parts)
        ]
        return (_INDEX + "".join(lines) + "</sitemapindex>\n").encode()

    def _entries(self, host: Host, plan: SitemapPlan, part: int, base: str, built: float) -> list[str]:
        told, world = self.told(host), self._world
        lines = []
        for k in range(part * host.count // plan.parts, (part + 1) * host.count // plan.parts):
            page = host.first + k
            if world.version(page, built) < 0 or host.forbids(host.path(page)):
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


def _part(plan: SitemapPlan, path: str) -> int | None:
    """Which sitemap is at a path: -1 the index, None there is none."""
    whole = "/sitemap.xml"
    if plan.parts == 1 and not plan.gzip:
        return 0 if path == whole else None
    if path == whole:
        return -1
    ending = ".xml.gz" if plan.gzip else ".xml"
    name = path.removeprefix("/sitemap-").removesuffix(ending)
    if path != f"/sitemap-{name}{ending}" or not name.isascii() or not name.isdecimal() or len(name) > 9:
        return None
    return int(name) if int(name) < plan.parts else None


def _advanced(told: Told, k: int, created: float, built: float) -> float:
    times = told.times
    at = bisect_right(times, built, told.first[k], told.first[k + 1])
    return times[at - 1] if at > told.first[k] else created
