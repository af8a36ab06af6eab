"""The past as the journal tells it, beside a twin that remembers everything."""

import random
from dataclasses import dataclass

import pytest

from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.frontier.history import Crawl, History, Signal
from recrawl.frontier.rebuilding import rebuilt
from recrawl.store import reading

OUTCOMES = ("same", "other", "gone", "failed", "moved", "silent")


@dataclass(eq=False)
class Page:
    url: str
    tried: float | None = None


class Twin:
    """Pages as objects: one that moves is the same object under another URL."""

    def __init__(self):
        self.pages, self.tokens, self.events = {}, {}, []

    def add(self, url):
        self.pages.setdefault(url, Page(url))

    def forget(self, url):
        page = self.pages.pop(url)
        self.tokens = {token: held for token, held in self.tokens.items() if held is not page}

    def lease(self, batch):
        for url, token in zip(batch.urls, batch.tokens, strict=True):
            self.tokens[token] = self.pages[url]

    def complete(self, token, at, result, target):
        page = self.tokens.pop(token)
        self.events.append(Crawl(page.url, at, result, page.tried, target if result == "moved" else ""))
        page.tried = at
        if result == "moved":
            if target in self.pages:
                self.forget(page.url)
            else:
                del self.pages[page.url]
                page.url = target
                self.pages[target] = page


class Run:
    """Random calls to a frontier on disk and to the twin."""

    def __init__(self, folder, seed, **settings):
        self.chance = random.Random(seed)
        self.clock = ManualClock(1_000_000.0)
        self.folder, self.settings = folder, settings
        self.frontier = Frontier.open(folder, clock=self.clock, lease=50.0, **settings)
        self.twin = Twin()

    def url(self):
        return f"https://h{self.chance.randrange(4)}.example/{self.chance.randrange(12)}"

    def known(self):
        return self.chance.choice(sorted(self.twin.pages)) if self.twin.pages else self.url()

    def step(self):
        self.clock.advance(self.chance.choice([1.0, 10.0, 100.0]))
        getattr(self, self.chance.choice(["add", "add", "forget", "lease", "complete", "complete", "signal"]))()

    def add(self):
        urls = [self.url() for _ in range(self.chance.randrange(1, 4))]
        self.frontier.add(urls)
        for url in urls:
            self.twin.add(url)

    def forget(self):
        if self.twin.pages and self.chance.random() < 0.5:
            url = self.known()
            self.frontier.forget(url)
            self.twin.forget(url)

    def lease(self):
        self.twin.lease(self.frontier.lease(self.chance.randrange(1, 6)))

    def signal(self):
        url, now = self.known(), self.clock.wall()
        happened = self.chance.choice([None, now - 5.0, 1_000_000.0 + 7 * self.chance.randrange(100)])
        if happened is not None and happened > now:
            happened = None
        source = self.chance.choice(["sitemap", "feed"])
        heard = self.frontier.signal(url, source, happened)
        if not heard.unknown:
            word = heard.each[0] if happened is not None else "heard"  # else the latency decides, which is not told
            self.twin.events.append(Signal(url, now, source, happened, word))

    def complete(self):
        tokens = self.chance.sample(sorted(self.twin.tokens), min(len(self.twin.tokens), self.chance.randrange(1, 4)))
        tokens = list({id(self.twin.tokens[token]): token for token in tokens}.values())  # no page twice
        if not tokens:
            return
        words = [self.chance.choice(OUTCOMES) for _ in tokens]
        targets = [self.url() if word == "moved" else None for word in words]
        got = self.frontier.complete(
            tokens,
            status=[{"gone": 404, "failed": 403, "moved": 301}.get(word, 200) for word in words],
            digest=[{"same": "a", "other": str(self.chance.random())}.get(word) for word in words],
            moved_to=targets,
            at=self.clock.wall() - 0.5,
        )
        for token, result, target in zip(tokens, got.each, targets, strict=True):
            if token in self.twin.tokens:
                self.twin.complete(token, self.clock.wall() - 0.5, result, target)

    def reopen(self):
        self.frontier.close()
        self.frontier = Frontier.open(self.folder, clock=self.clock, **self.settings)


def told(folder):
    with reading(folder) as store:
        state = rebuilt(store).state
        history = History(store.history, state)
        events = list(history)
        assert history.unnamed == 0
        return events, store.notes


@pytest.mark.parametrize("seed", range(6))
def test_the_journal_tells_what_a_twin_remembers(tmp_path, seed):
    run = Run(tmp_path / "data", seed)
    for step in range(400):
        run.step()
        if step % 90 == 80:
            run.reopen()
    run.frontier.close()
    got, notes = told(tmp_path / "data")
    assert got == run.twin.events
    assert notes == []
    kinds = {event.result for event in got if isinstance(event, Crawl)}
    assert kinds >= {"unknown", "failed", "gone", "moved"}


def test_where_old_journals_are_dropped_the_rest_is_right(tmp_path):
    run = Run(tmp_path / "data", 7, history=0)
    for step in range(400):
        run.step()
        if step % 50 == 40:
            run.reopen()
    run.frontier.close()
    got, _ = told(tmp_path / "data")
    mine = [(event.url, event.at, event.result) for event in got if isinstance(event, Crawl)]
    theirs = [(event.url, event.at, event.result) for event in run.twin.events if isinstance(event, Crawl)]
    assert 0 < len(mine) < len(theirs)
    assert mine == theirs[-len(mine) :]


def test_the_past_begins_behind_what_is_damaged(tmp_path):
    run = Run(tmp_path / "data", 3)
    for step in range(300):
        run.step()
        if step % 50 == 40:
            run.reopen()
    run.frontier.close()
    whole, _ = told(tmp_path / "data")
    damaged = sorted((tmp_path / "data" / "history").iterdir())[1]
    damaged.write_bytes(b"nothing")
    got, notes = told(tmp_path / "data")
    assert 0 < len(got) < len(whole)
    urls = [event.url for event in whole]
    assert [event.url for event in got] == urls[-len(got) :]
    assert [damaged.name in note for note in notes] == [True]
