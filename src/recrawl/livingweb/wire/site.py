"""`Site`: what hosts answer."""

import gzip

from recrawl.livingweb import bodies
from recrawl.livingweb.said.robots import robots_txt
from recrawl.livingweb.said.sitemaps import Sitemaps
from recrawl.livingweb.wire.answer import Answer
from recrawl.livingweb.wire.validators import Validators
from recrawl.livingweb.wire.visit import Visit
from recrawl.livingweb.world import Host, World

HTML = "Content-Type: text/html; charset=utf-8\r\n"
TEXT = "Content-Type: text/plain; charset=utf-8\r\n"


class Site:
    """All hosts of a world; `start` is when it began, in seconds since 1970."""

    def __init__(self, world: World, start: float) -> None:
        self._world, self._start = world, start
        self.sitemaps = Sitemaps(world, start)
        self._answers = 0

    def answer(self, visit: Visit) -> Answer:
        """The answer to a request that came now."""
        self._answers += 1
        host, path = visit.host, visit.path
        if host.forbids(path):
            visit.agent.manners.disallowed += 1
        if visit.request.method not in ("GET", "HEAD"):
            return Answer(405, TEXT, b"only GET and HEAD\n", kind="unknown")
        page = host.find(path)
        return self._page(visit, page) if page >= 0 else self._other(visit)

    def _page(self, visit: Visit, page: int) -> Answer:
        visit.agent.pages += 1
        version = self._world.version(page, visit.now)
        if version < 0:
            fault = "returns" if page in self._world.away else ""
            return Answer(404, HTML, bodies.missing(visit.path, 0), kind="page", fault=fault, page=page)
        return self.healthy(visit, page, version)

    def healthy(self, visit: Visit, page: int, version: int) -> Answer:
        """The page, or 304 where the request has its validator."""
        host, plan = visit.host, visit.host.plan
        validators = Validators(self._world, self._start, visit, page, version, self._answers)
        headers = HTML + validators.headers
        confirmed = validators.confirmed()
        if confirmed is not None:
            return Answer(304, headers, kind="page", page=page, version=confirmed)
        noise = bodies.noise(visit.now, self._answers) if plan.noise else ""
        body = bodies.page(plan.name, host.path(page), version, _links(host, page), noise)
        if plan.gzip and b"gzip" in visit.request.headers.get(b"accept-encoding", b""):
            headers += "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n"
            body = gzip.compress(body, 1, mtime=0)
        return Answer(200, headers, body, kind="page", page=page, version=version, chunked=plan.chunked)

    def _other(self, visit: Visit) -> Answer:
        """What is no page: what robots and people want to see."""
        host, path = visit.host, visit.path
        if path in ("/robots.txt", "/robots2.txt"):
            return _robots(visit)
        if path.startswith("/sitemap"):
            return self._sitemap(visit)
        if path == "/":
            links = [host.path(host.first + k) for k in range(min(host.count, 100))]
            return Answer(200, HTML, bodies.page(host.plan.name, "/", 0, links), kind="home")
        if host.forbids(path):
            return Answer(200, HTML, bodies.page(host.plan.name, path, 0, ["/"]), kind="trap")
        return Answer(404, HTML, bodies.missing(path, 0), kind="unknown")

    def _sitemap(self, visit: Visit) -> Answer:
        plan = visit.host.plan.sitemap
        found = self.sitemaps.file(visit.host, visit.path, visit.base, visit.now)
        if plan is None or found is None:
            return Answer(404, HTML, bodies.missing(visit.path, 0), kind="unknown")
        body, content = found
        etag = f'"s{self.sitemaps.built(plan, visit.now):.0f}"'
        if visit.header(b"if-none-match") == etag:
            return Answer(304, f"ETag: {etag}\r\n", kind="sitemap")
        return Answer(200, f"Content-Type: {content}\r\nETag: {etag}\r\n", body, kind="sitemap")


def _robots(visit: Visit) -> Answer:
    kind = visit.host.plan.robots
    if kind == "absent":
        return Answer(404, TEXT, b"no robots.txt\n", kind="robots")
    if kind == "unavailable":
        return Answer(503, TEXT, b"try later\n", kind="robots")
    if kind == "moved" and visit.path == "/robots.txt":
        return Answer(301, f"{TEXT}Location: /robots2.txt\r\n", kind="robots")
    if kind == "html":
        return Answer(200, HTML, bodies.page(visit.host.plan.name, visit.path, 0, ["/"]), kind="robots")
    return Answer(200, TEXT, robots_txt(visit.host, visit.base), kind="robots")


def _links(host: Host, page: int) -> list[str]:
    """The next two pages and three others, always the same; where paths are forbidden, also a trap."""
    n, k = host.count, page - host.first
    links = [host.path(host.first + j % n) for j in (k + 1, k + 2, 7 * k + 3, 31 * k + 11, 101 * k + 29)]
    if host.plan.disallow:
        links.append(f"{host.plan.disallow[0]}trap-{k % 10}.html")
    return links
