"""`Site`: what hosts answer."""

import gzip
from collections.abc import Callable

from recrawl.livingweb import bodies
from recrawl.livingweb.said.feeds import PATHS, Feeds
from recrawl.livingweb.said.robots import robots_txt
from recrawl.livingweb.said.sitemaps import Sitemaps
from recrawl.livingweb.wire.answer import Answer
from recrawl.livingweb.wire.misbehaving import Misbehaving, prepare, via
from recrawl.livingweb.wire.validators import Validators
from recrawl.livingweb.wire.visit import Visit
from recrawl.livingweb.world import Host, World

HTML = "Content-Type: text/html; charset=utf-8\r\n"
TEXT = "Content-Type: text/plain; charset=utf-8\r\n"


class Site:
    """All hosts of a world; `start` is when it began, in seconds since 1970."""

    def __init__(self, world: World, start: float, ports: dict[str, int], hub: Callable[[Visit], Answer]) -> None:
        self._world, self._start, self._ports = world, start, ports
        self.sitemaps = Sitemaps(world, start)
        self.feeds = Feeds(world, start)
        self._misbehaving = Misbehaving(start, self._elsewhere)
        self.hub = hub
        self._answers = 0
        prepare({fault for host in world.hosts for fault in host.plan.faults})

    def answer(self, visit: Visit) -> Answer:
        """The answer to a request that came now."""
        self._answers += 1
        host, path = visit.host, visit.path
        if host.forbids(path):
            visit.agent.manners.disallowed += 1
        if path == "/hub" and visit.request.method == "POST" and host.plan.feed is not None and host.plan.feed.hub:
            return self.hub(visit)
        if visit.request.method not in ("GET", "HEAD"):
            return Answer(405, TEXT, b"only GET and HEAD\n", kind="unknown")
        page = host.find(path)
        if page >= 0 and self._world.fault[page] < 0:
            return self._page(visit, page)
        return self._faulty(visit) if host.plan.faults else self._other(visit, path)

    def _faulty(self, visit: Visit) -> Answer:
        """Where a host has faults: a page that has one, or something else, which may have it, too."""
        host, (path, came, step) = visit.host, via(visit.path)
        page = host.find(path)
        if page >= 0:
            fault, healthy = self._world.fault_of(page), self._page(visit, page)
            if healthy.status == 404:
                return healthy
        else:
            healthy = self._other(visit, path)
            fault = host.plan.faults[0] if host.plan.fault_sources and healthy.kind in ("sitemap", "feed") else ""
        return self._misbehaving.answer(fault, visit, healthy, path, came, step) if fault or came else healthy

    def _elsewhere(self, visit: Visit, page: int) -> str:
        """A page of the next host, under the kind of name that the crawler uses."""
        host = self._world.hosts[(visit.host.index + 1) % len(self._world.hosts)]
        name, path = host.plan.name, host.path(host.first + max(page, 0) % host.count)
        if name in self._ports:
            return f"http://127.0.0.1:{self._ports[name]}{path}"
        authority = visit.base.removeprefix("http://")
        asked, colon, port = authority.partition(":")
        label, _, suffix = asked.partition(".")
        known = label in self._world.by_name
        return f"http://{name}.{suffix if known and suffix else 'localhost'}{colon}{port}{path}"

    def _page(self, visit: Visit, page: int) -> Answer:
        visit.agent.pages += 1
        version = self._world.version(page, visit.now)
        if version < 0:
            fault = "returns" if page in self._world.away else ""
            return Answer(404, HTML, bodies.missing(visit.path, 0), kind="page", fault=fault, page=page)
        return self._healthy(visit, page, version)

    def _healthy(self, visit: Visit, page: int, version: int) -> Answer:
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

    def _other(self, visit: Visit, path: str) -> Answer:
        """What is no page: what robots and people want to see."""
        host = visit.host
        if path in ("/robots.txt", "/robots2.txt"):
            return _robots(visit)
        if path.startswith("/sitemap"):
            return self._sitemap(visit, path)
        if path in PATHS and host.plan.feed is not None:
            return self._feed(visit, path)
        if host.plan.pings is not None and path.removesuffix(".txt") == f"/{host.plan.pings.key}":
            return Answer(200, TEXT, host.plan.pings.key.encode(), kind="key")
        if path == "/":
            return _home(host)
        if host.forbids(path):
            return Answer(200, HTML, bodies.page(host.plan.name, path, 0, ["/"]), kind="trap")
        return Answer(404, HTML, bodies.missing(path, 0), kind="unknown")

    def _sitemap(self, visit: Visit, path: str) -> Answer:
        plan = visit.host.plan.sitemap
        found = self.sitemaps.file(visit.host, path, visit.base, visit.now)
        if plan is None or found is None:
            return Answer(404, HTML, bodies.missing(visit.path, 0), kind="unknown")
        body, content = found
        etag = f'"s{self.sitemaps.built(plan, visit.now):.0f}"'
        if visit.header(b"if-none-match") == etag:
            return Answer(304, f"ETag: {etag}\r\n", kind="sitemap")
        return Answer(200, f"Content-Type: {content}\r\nETag: {etag}\r\n", body, kind="sitemap")

    def _feed(self, visit: Visit, path: str) -> Answer:
        plan = visit.host.plan.feed
        assert plan is not None
        entries = self.feeds.latest(visit.host, visit.now, plan.window)
        etag = f'"f{entries[0].time:.3f}-{len(entries)}"' if entries else '"f"'
        headers = f"Content-Type: {PATHS[path]}\r\nETag: {etag}\r\n"
        if plan.hub:
            headers += f'Link: <{visit.base}/hub>; rel="hub", <{visit.base}{path}>; rel="self"\r\n'
        if visit.header(b"if-none-match") == etag:
            return Answer(304, headers, kind="feed")
        return Answer(200, headers, self.feeds.written(visit.host, path, visit.base, entries), kind="feed")


def _home(host: Host) -> Answer:
    links = [host.path(host.first + k) for k in range(min(host.count, 100))]
    feeds = ""
    if host.plan.feed is not None:
        feeds = "".join(
            f'<link rel="alternate" type="{kind}" title="changes" href="{path}">' for path, kind in PATHS.items()
        )
    body = bodies.page(host.plan.name, "/", 0, links).replace(b"</head>", f"{feeds}</head>".encode())
    return Answer(200, HTML, body, kind="home")


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
    if host.rules:
        links.append(f"{host.rules[0]}trap-{k % 10}.html")
    return links
