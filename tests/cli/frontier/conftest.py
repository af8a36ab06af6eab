"""A small frontier on disk that has crawled for a month."""

import random
import shutil

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier

BEGIN = 1_767_225_600.0  # 2026-01-01
DAYS = 30


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")


def crawled(folder, pages=24, seed=0):
    """Pages that change every 1 to 8 days and tell of half of it, fetched for a month; one is gone, one has moved."""
    chance, clock = random.Random(seed), ManualClock(BEGIN)
    urls = [f"https://h{k % 3}.example/{k}" for k in range(pages)]
    every = {url: 1.0 + 7.0 * k / pages for k, url in enumerate(urls)}
    version = dict.fromkeys(urls, 0)
    with Frontier.open(folder, rate=2e-4, clock=clock) as frontier:
        frontier.add(urls, importance=[1.0 + k % 3 for k in range(pages)])
        for hour in range(24 * DAYS):
            clock.advance(3600.0)
            for url in urls:
                if chance.random() < 1.0 / (24.0 * every[url]):
                    version[url] += 1
                    if chance.random() < 0.5:
                        frontier.signal(url, "feed", clock.wall() - 60.0 if chance.random() < 0.5 else None)
            batch = frontier.lease(5)
            if not batch:
                continue
            dead = [url == urls[5] and hour > 400 for url in batch.urls]
            moved = ["https://new.example/moved" if url == urls[7] and hour > 500 else None for url in batch.urls]
            status = [404 if gone else 301 if target else 200 for gone, target in zip(dead, moved, strict=True)]
            digests = [str(version.get(url, 0)) for url in batch.urls]
            frontier.complete(batch.tokens, status=status, digest=digests, moved_to=moved)
            if hour % 200 == 100:
                frontier.snapshot()


@pytest.fixture(scope="session")
def month(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frontier") / "data"
    crawled(folder)
    return folder


@pytest.fixture
def data(month, tmp_path):
    """A copy that a test may spoil."""
    return shutil.copytree(month, tmp_path / "data")
