"""Load for a service that is killed again and again, and a model of what it must know afterwards.

Each call has a key.  A call without an answer is sent again, with the same key, to the next server; so in the end every
call was answered, and done once: whatever the service counts must be exactly what was answered.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from recrawl.bench.talking import JSON, Connection, Connections, encoded, post

AT_FIRST = 10_000
"""Pages of a call before the first kill."""
GONE = (ConnectionError, asyncio.IncompleteReadError)
"""What a client of a killed server sees."""


class Scale(NamedTuple):
    """How large the load is."""

    clients: int = 6
    hosts: int = 8
    pages: int = 0
    """Known before the first kill."""
    a_call: int = 8
    """Pages that are leased, completed or added at once."""
    signals: tuple[int, ...] = (8,)
    """Signals of a call, one of these numbers."""
    longest_s: float = 0.8
    """Seconds until a server is killed, at most."""


SMALL = Scale()
FULL = Scale(clients=16, hosts=10_000, pages=1_000_000, a_call=100, signals=(100, 1000), longest_s=4.0)
"""As in `recrawl bench service`."""


@dataclass
class Asked:
    """A call, for which there may be no answer yet."""

    path: str
    key: str
    fields: dict
    tokens: dict[int, str] = field(default_factory=dict)
    """Of an outcome: the pages it is about."""

    @property
    def request(self) -> bytes:
        return post(self.path, encoded(**self.fields), JSON, f"idempotency-key: {self.key}")


@dataclass
class Model:
    """What was answered."""

    rng: random.Random
    scale: Scale = SMALL
    urls: list[str] = field(default_factory=list)
    held: dict[str, int] = field(default_factory=dict)
    """Leased pages, and their tokens, until somebody has sent what came of them."""
    mine: list[tuple[str, int]] = field(default_factory=list)
    """Leased pages of which nothing was said yet."""
    fetches: Counter = field(default_factory=Counter)
    etags: dict[str, str] = field(default_factory=dict)
    signals: int = 0
    answers: int = 0
    repeated: int = 0
    _numbers: count = field(default_factory=count)

    def fill(self) -> Iterator[Asked]:
        """All the pages there are at first."""
        hosts = self.scale.hosts
        for begin in range(0, self.scale.pages, AT_FIRST):
            some = range(begin, min(begin + AT_FIRST, self.scale.pages))
            urls = [f"https://host{k % hosts}.example/docs/page-{k // hosts}" for k in some]
            yield Asked("/v1/pages", f"fill {begin}", {"urls": urls})

    def next(self) -> Asked:
        """Something to be done."""
        number = next(self._numbers)
        key, at_once = f"call {number}", self.scale.a_call
        kind = self.rng.choice(["add", "signal", "signal", "lease", "lease", "complete", "complete", "complete"])
        if not self.urls or kind == "add":
            hosts = self.rng.sample(range(self.scale.hosts), k=at_once)
            return Asked("/v1/pages", key, {"urls": [f"https://host{k}.example/{number}" for k in hosts]})
        if kind == "signal":
            urls = self.rng.choices(self.urls, k=self.rng.choice(self.scale.signals))
            return Asked("/v1/signals", key, {"urls": urls, "source": "feed"})
        if kind == "complete" and self.mine:
            return self._complete(key)
        return Asked("/v1/lease", key, {"n": at_once, "seconds": 1e6, "wait": self.rng.choice([0.0, 0.05])})

    def _complete(self, key: str) -> Asked:
        n = min(self.scale.a_call, len(self.mine))
        some = [self.mine.pop(self.rng.randrange(len(self.mine))) for _ in range(n)]
        for url, _ in some:
            del self.held[url]  # from now on it may be leased again, also where there will be no answer
        tokens = [token for _, token in some]
        fields = {"tokens": tokens, "digest": key, "validators": {"etag": key}}
        return Asked("/v1/complete", key, fields, {token: url for url, token in some})

    def answered(self, asked: Asked, said: dict) -> None:
        """What the service said."""
        self.answers += 1
        if asked.path == "/v1/pages":
            assert (said["new"], said["known"]) == (len(asked.fields["urls"]), 0)
            self.urls += asked.fields["urls"]
        elif asked.path == "/v1/signals":
            assert said["heard"] == len(asked.fields["urls"])
            self.signals += said["heard"]
        elif asked.path == "/v1/lease":
            for page in said["pages"]:
                assert page["url"] not in self.held, f"{page['url']} is leased twice at once"
                self.held[page["url"]] = page["token"]
                self.mine.append((page["url"], page["token"]))
        else:
            assert said["repeated"] == []
            for url in asked.tokens.values():
                self.fetches[url] += 1
                self.etags[url] = asked.key


class Load:
    """Clients that go on with what was under way when the server before was killed."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._under_way: list[Asked | None] = [None] * model.scale.clients

    async def fill(self, host: str, port: int) -> None:
        """Add the pages there are at first."""
        async with Connections(host, port, 1) as (line,):
            for asked in self.model.fill():
                self.model.answered(asked, (await line.ask(asked.path, asked.request)).json())

    async def run(self, host: str, port: int, ended: asyncio.Event | None = None) -> None:
        """Ask until the server is gone; or, with `ended`, until that is set and all calls have answers."""
        with suppress(*GONE):
            async with Connections(host, port, len(self._under_way)) as lines:
                each = [self._client(k, line, ended) for k, line in enumerate(lines)]
                await asyncio.gather(*each)

    async def _client(self, k: int, line: Connection, ended: asyncio.Event | None) -> None:
        with suppress(*GONE):
            while self._under_way[k] is not None or ended is None or not ended.is_set():
                asked = self._under_way[k] = self._under_way[k] or self.model.next()
                said = (await line.ask(asked.path, asked.request)).json()
                self.model.answered(asked, said)
                self._under_way[k] = None
                if asked.path != "/v1/lease" and self.model.rng.random() < 0.1:
                    await self._repeat(line, asked, said)

    async def _repeat(self, line: Connection, asked: Asked, said: dict) -> None:
        """The same again is answered as before; what became of each page is said once only."""
        again = (await line.ask(asked.path, asked.request)).json()
        self.model.repeated += 1
        assert {**again, "each": None} == {**said, "each": None}, f"{asked.key} was answered otherwise when repeated"
