"""A frontier with a past: pages that change, sources that tell of it more or less well, and hosts that fail."""

import numpy as np

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.server.views import tick, watch

NOW = 1_800_000_000.0
HOUR, DAY = 3600.0, 86400.0
NASTY = "https://shop0.example/a?q=<img src=x onerror=alert(1)>\"'&x=1"
WORDS = ("news", "blog", "shop", "docs", "wiki", "city", "forum", "jobs")
TOPICS = ("weather", "markets", "sports", "recipes", "travel", "science", "events", "reviews", "guides", "archive")


class Web:
    """Pages that change at random; a change may be told of by a sitemap, a feed or a ping, late or not, or in vain."""

    def __init__(self, hosts: int, each: int, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        names = [f"{WORDS[k % len(WORDS)]}{k // len(WORDS)}.example" for k in range(hosts)]
        self.urls = [
            f"https://{name}/{TOPICS[k % len(TOPICS)]}/{1000 + 37 * k}.html" for name in names for k in range(each)
        ]
        n = len(self.urls)
        self.host = np.repeat(np.arange(hosts), each)
        self.every = np.exp(self.rng.normal(np.log(30 * HOUR), 1.2, n))
        self.importance = np.exp(self.rng.normal(0.0, 1.0, n))
        self.version = np.zeros(n, dtype=np.int64)
        self.number = {url: k for k, url in enumerate(self.urls)}
        self.down = {hosts // 2, hosts // 2 + 1}
        self.gone = set(self.rng.choice(n, n // 150, replace=False).tolist())

    def step(self, f: Frontier, now: float, seconds: float) -> None:
        """Let pages change, and sources tell of it."""
        n, rng = len(self.urls), self.rng
        changed = np.flatnonzero(rng.random(n) < -np.expm1(-seconds / self.every))
        self.version[changed] += 1
        sitemap = changed[(self.host[changed] % 3 != 0) & (rng.random(len(changed)) < 0.7)]
        feed = changed[(self.host[changed] % 4 == 0) & (rng.random(len(changed)) < 0.5)]
        ping = changed[(self.host[changed] % 7 == 1) & (rng.random(len(changed)) < 0.9)]
        noise = rng.integers(0, n, rng.poisson(seconds * n * 1.2e-6))
        noise = noise[self.host[noise] % 3 != 0]
        for source, pages, late in (("sitemap", sitemap, 1200.0), ("feed", feed, 240.0), ("indexnow", ping, 5.0)):
            if len(pages):
                happened = now - rng.exponential(late, len(pages))
                f.signal([self.urls[k] for k in pages], source=source, happened=happened)
        if len(noise):
            f.signal([self.urls[k] for k in noise], source="sitemap", happened=now - rng.exponential(60.0, len(noise)))

    def crawl(self, f: Frontier, most: int) -> None:
        """Fetch what is due."""
        batch = f.lease(most)
        for page in batch:
            k = self.number.get(page.url, -1)
            if k < 0:
                f.complete(page.token, status=200, digest="x")
            elif int(self.host[k]) in self.down and self.rng.random() < 0.85:
                f.complete(page.token, error="timeout") if k % 2 else f.complete(page.token, status=503)
            elif k in self.gone:
                f.complete(page.token, status=404)
            else:
                f.complete(page.token, status=200, digest=str(self.version[k]))


def lively(
    hosts: int = 40, each: int = 50, days: float = 3.0, rate: float = 0.1, step: float = 60.0
) -> tuple[Frontier, ManualClock, Web]:
    """A frontier in memory, crawled for some days."""
    clock = ManualClock(NOW)
    web = Web(hosts, each)
    f = Frontier(rate=rate, window=step, clock=clock)
    watch(f)
    f.add(web.urls, importance=web.importance)
    f.add(NASTY)
    for k in range(round(days * DAY / step)):
        clock.advance(step)
        web.step(f, clock.wall(), step)
        web.crawl(f, 50)
        tick(f)
        if k % 360 == 359:
            watch(f).refresh(f, lasts=-1.0)
    return f, clock, web
