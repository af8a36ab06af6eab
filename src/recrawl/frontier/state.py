"""The frontier's memory: what it knows after a sequence of facts.

Theory of operation
-------------------
1. The state is a function of the facts applied to it, in order.  It reads no clock, draws nothing at random, and asks
   nobody.  So a state rebuilt from a snapshot and the facts since is the state there was, and decides alike.
2. Deciding is not part of it: who is leased is a fact when it is applied.  `choose` looks for the best pages and holds
   them; the fact that follows says so, and a state that is rebuilt holds the very pages that were chosen.
3. Before a page changes, `touch` is told, so that a snapshot that is under way can keep the page as it was.
4. Leases that have expired end at the beginning of whatever comes next, so that it does not matter when one looks.
"""

import math
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.arguments import Ids, Values
from recrawl.engine import Scheduler
from recrawl.engine.core.pick import LEAST_WINDOW, WINDOW
from recrawl.frontier import adding, hearing, outcomes
from recrawl.frontier.facts import Fact
from recrawl.frontier.kept.book import COPY, NEW, Book
from recrawl.frontier.kept.firsts import FULL, LATER, READY, Firsts
from recrawl.frontier.kept.hosts import Hosts
from recrawl.frontier.kept.leases import Leases
from recrawl.frontier.kept.rate import RateLimit
from recrawl.frontier.kept.short_texts import ShortTexts
from recrawl.frontier.settings import Settings
from recrawl.learn import Learner
from recrawl.learn.named.sources import NamedSources
from recrawl.learn.neighbours.neighbours import Neighbours
from recrawl.pairing import Pairing
from recrawl.urls import UrlTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_KEYS = 50_000
"""Answers to calls with an idempotency key that are remembered."""
MOST_CREDIT = 5.0
"""First visits that may be owed, or have been given too many."""


class Level(NamedTuple):
    """The value at which pages are leased; the lowest of late, and how many pages "of late" are."""

    value: float
    lowest: float
    leases: int


class State:
    """Everything a frontier knows."""

    def __init__(self, settings: Settings, now: float) -> None:
        self.settings = settings
        self.now = now
        self.begun = now
        learner = Learner(
            0, now=now, half_life=settings.half_life, explore=settings.explore, refresh_slice=settings.refresh_slice
        )
        scheduler = Scheduler(learner.pages(), now=now)
        self.pairing = Pairing(scheduler, learner, settings.spread, Neighbours())
        self.urls = UrlTable()
        self.book = Book()
        self.hosts = Hosts()
        self.leases = Leases()
        self.sources = NamedSources()
        self.validators = ShortTexts()
        self.firsts = Firsts()
        self.first_credit = 0.0
        self.level = Level(0.0, 0.0, 0)
        self.limit = RateLimit(settings.rate, now, settings.window)
        self.keys: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self.counters: dict[str, int] = {}
        self.touch: Callable[[Ids], None] = unwatched
        self.watch: Callable[[Fact], None] = unheard
        """Told of each fact before it happens, but for leases.  It must be quick, change nothing and never raise."""

    # -- facts ---------------------------------------------------------------------------------------------------------

    def apply(self, fact: Fact) -> Any:
        """Let this have happened; what there is to say of it."""
        if fact.kind == "open":
            self.leases.prolong(fact.fields["closed_for"])  # before any can expire
        self.advance(fact.now)
        self.watch(fact)
        answer = getattr(self, f"_{fact.kind}")(fact)
        key = fact.fields.get("key")
        if key is not None:
            before = fact.fields.get("before", {})  # what earlier facts of the call came to
            whole = {n: answer[n] + before[n] for n in answer} if before else answer
            self.remember(key, fact.kind, whole, fact.fields.get("body"))
        for each, begin, end, *body in fact.fields.get("keys", ()):  # of calls that were done together
            complete = fact.kind == "complete"
            part = outcomes.counted(fact.columns["results"][begin:end]) if complete else answer[begin:end]
            self.remember(each, fact.kind, part, *body)
        return answer

    def remember(self, key: str, kind: str, answer: Any, body: int | None = None) -> None:
        """A call with this key was answered so; `body`: a hash of what it was (given/keys.py), where that is known."""
        if isinstance(answer, np.ndarray):  # of signals: how many were heard, old, repeated
            answer = np.bincount(answer, minlength=3).tolist()
        self.keys[key] = {"kind": kind, "answer": answer, "body": body}
        while len(self.keys) > MOST_KEYS:
            self.keys.popitem(last=False)

    def advance(self, now: float) -> bool:
        """Let it be `now`; whether leases have expired."""
        self.now = max(self.now, now)
        ended = self.leases.expire(self.now)
        if ended:
            pages = self.pages_of(ended)
            self.touch(pages)
            self.pairing.failed(pages, self.now)
            self.count("expired", len(pages))
            self.wait_again(pages, -math.inf)
        return bool(ended)

    @property
    def neighbours(self) -> Neighbours:
        """The folders of pages: those of their URLs."""
        assert self.pairing.neighbours is not None
        return self.pairing.neighbours

    def count(self, what: str, n: int = 1) -> None:
        """Add to a counter."""
        self.counters[what] = self.counters.get(what, 0) + n

    # -- pages ---------------------------------------------------------------------------------------------------------

    def _add(self, fact: Fact) -> dict[str, Any]:
        return adding.add(self, fact)

    def host(self, name: str) -> int:
        """The number of a host, which is new where it has none."""
        known = len(self.hosts)
        number = self.hosts.number(name)
        if number == known:
            self.set_host_limits(number)
        return number

    def set_host_limits(self, host: int) -> None:
        """Have the scheduler know what is asked of a host."""
        gap = float(self.hosts.gap[host])
        most: int | None = int(self.hosts.max_in_flight[host]) or self.settings.max_in_flight
        if self.hosts.probing[host]:
            most = 1
        gap = self.settings.gap if math.isnan(gap) else gap
        self.pairing.scheduler.set_host(host, gap, most)
        self.firsts.wake()

    def make_room(self) -> None:
        """Have room for all pages and hosts there are."""
        pages = len(self.pairing.learner)
        self.book.make_room(pages)
        rows = len(self.book.state)
        self.sources.make_room(rows, len(self.hosts.pages))
        if self.settings.discovery is not None and rows > len(self.pairing.muted):
            self.pairing.muted = roomy.longer(self.pairing.muted, rows)

    def _forget(self, fact: Fact) -> dict[str, Any]:
        ids = fact.columns["ids"]
        self.touch(ids)
        self.remove(ids)
        self.count("forgotten", len(ids))
        return {"forgotten": len(ids)}

    def remove(self, ids: Ids) -> None:
        """No trace of these pages."""
        for page in ids.tolist():
            self.leases.forget_page(page)
            self.firsts.drop(page)
        self.pairing.remove(ids)
        self.urls.remove(ids)
        np.subtract.at(self.hosts.pages, self.book.host[ids], 1)
        self.book.clear(ids)
        self.sources.forget(ids)
        self.validators.put(ids, [b""] * len(ids))
        if len(self.pairing.muted):
            self.pairing.muted[ids] = False

    # -- what the world says -------------------------------------------------------------------------------------------

    def _signal(self, fact: Fact) -> NDArray[np.uint8]:
        return hearing.signal(self, fact)

    def _request(self, fact: Fact) -> dict[str, Any]:
        ids, counts = fact.columns["ids"], fact.columns["counts"]
        self.touch(np.unique(ids))
        first = not self.pairing.learner.watches_requests
        self.pairing.learner.requested(ids, counts, self.now, since=self.begun if first else None)
        self.pairing.believe(np.unique(ids), self.now)
        if first:
            self.pairing.spread_anew()
        self.count("requests", int(counts.sum()))
        return {"counted": len(ids)}

    # -- leases --------------------------------------------------------------------------------------------------------

    def choose(self, n: int, now: float) -> Ids:
        """The n best pages, held from now on; a `lease` fact must follow."""
        firsts: list[int] = []
        share = self.settings.discovery
        if share is not None and len(self.firsts):
            owed = math.floor(self.first_credit + share * n + 1e-9)
            firsts = self.firsts.pick(min(max(owed, 0), n), now, self._ask, self._hold_one)
        ids = self.pairing.lease(n - len(firsts), now)
        if len(self.firsts):
            for page in ids[self.book.state[ids] == NEW].tolist():  # taken where nobody else is left
                self.firsts.drop(page)
        missing = n - len(firsts) - len(ids)
        if share is not None and missing and len(self.firsts):
            firsts += self.firsts.pick(missing, now, self._ask, self._hold_one)
        return np.concatenate((np.array(firsts, dtype=np.int64), ids)) if firsts else ids

    def _ask(self, host: int) -> tuple[int, float]:
        """Whether a host may be asked for a page now."""
        ready, in_flight, most = self.pairing.scheduler.host_state(host)
        if in_flight >= most:
            return FULL, 0.0
        return (LATER, ready) if ready > self.now else (READY, 0.0)

    def _hold_one(self, page: int) -> None:
        self.pairing.hold(np.array([page]), self.now)

    def _lease(self, fact: Fact) -> list[int]:
        """Pages were leased, on a state that does not hold them yet."""
        self.touch(fact.columns["ids"])
        self.pairing.hold(fact.columns["ids"], self.now)
        return self.granted(fact)

    def granted(self, fact: Fact) -> list[int]:
        """Pages that are held were leased; their tokens."""
        ids = fact.columns["ids"]
        states = self.book.state[ids]
        told = states.tobytes()
        for page in ids[states == NEW].tolist() if len(self.firsts) else ():
            self.firsts.drop(page)
        if self.settings.discovery is not None:
            credit = self.first_credit + self.settings.discovery * len(ids) - told.count(NEW)
            self.first_credit = min(max(credit, -MOST_CREDIT), MOST_CREDIT)
        self._follow_level(ids if told.count(COPY) == len(ids) else ids[states == COPY])
        self.limit.lease(len(ids), self.now)
        table = self.sources.counts(ids)
        whole, width = table.tobytes(), table.shape[1]
        counts = [whole[at : at + width] for at in range(0, len(whole), width)]
        heard = self.pairing.learner.heard_known(ids).tolist()
        self.count("leases", len(ids))
        return self.leases.grant(ids.tolist(), counts, heard, fact.fields["expires"])

    def _follow_level(self, ids: Ids) -> None:
        """The level falls at once, and rises when all pages of late were worth more, for signals lift some far beyond.

        So does the scheduler's own, which depends on how the scheduler came to where it is.
        """
        if not len(ids):
            return
        value = float(self.pairing.scheduler.value(ids, self.now).min())
        level, lowest, taken = self.level
        lowest = value if not taken else min(value, lowest)
        taken += len(ids)
        if value < level or level <= 0.0:
            level = value
        elif taken >= max(len(self.urls) * WINDOW, LEAST_WINDOW):
            level, taken = lowest, 0
        self.level = Level(level, lowest, taken)

    def _withdraw(self, fact: Fact) -> None:
        """Leases that nobody was told of, or that were given back."""
        tokens = fact.columns["tokens"].tolist()
        ids = self.pages_of(tokens)
        self.touch(ids)
        self.leases.end_all(tokens)
        self.pairing.failed(ids, self.now)
        self.wait_again(ids, -math.inf)

    def wait_again(self, ids: Ids, not_before: float | Values) -> None:
        """Pages never fetched go back to where first visits wait."""
        if self.settings.discovery is None:
            return
        times = np.broadcast_to(np.asarray(not_before, dtype=np.float64), len(ids))
        new = self.book.state[ids] == NEW
        for page, when in zip(ids[new].tolist(), times[new].tolist(), strict=True):
            self.firsts.push([page], [int(self.book.host[page])], [int(self.book.rank[page])], when)

    def pages_of(self, tokens: "Iterable[int]") -> Ids:
        """The pages of leases that are live or late."""
        return np.array(self.leases.pages(tokens), dtype=np.int64)

    def _complete(self, fact: Fact) -> dict[str, Any]:
        return outcomes.complete(self, fact)

    # -- the rest ------------------------------------------------------------------------------------------------------

    def _open(self, fact: Fact) -> None:
        """The frontier was opened after some time: nobody could answer meanwhile, so leases last longer by that."""

    def _settings(self, fact: Fact) -> None:
        """Other settings from now on."""
        self.settings = Settings.from_plain(fact.fields["settings"])
        self.pairing.spread = self.settings.spread
        self.pairing.learner.retune(self.settings.half_life, self.settings.explore, self.settings.refresh_slice)
        if (self.settings.rate, self.settings.window) != (self.limit.rate, self.limit.window):
            self.limit.set_rate(self.settings.rate, self.now, self.settings.window)
        for host in range(len(self.hosts)):
            self.set_host_limits(host)

    def _noted(self, fact: Fact) -> None:
        """A call with a key was answered without anything else to be written down."""
        self.remember(fact.fields["noted"], fact.fields["of"], fact.fields["answer"], fact.fields.get("body"))

    def _tick(self, fact: Fact) -> None:
        """Time has passed: it is written down, so that leases that expired by then do not come back."""

    def _rate(self, fact: Fact) -> None:
        self.settings = replace(self.settings, rate=fact.fields["rate"])
        self.limit.set_rate(fact.fields["rate"], self.now)

    def _set_host(self, fact: Fact) -> None:
        host = self.host(fact.fields["host"])
        self.make_room()
        if "gap" in fact.fields:
            gap = fact.fields["gap"]
            self.hosts.gap[host] = math.nan if gap is None else gap
        if "max_in_flight" in fact.fields:
            self.hosts.max_in_flight[host] = min(fact.fields["max_in_flight"] or 0, np.iinfo(np.int32).max)
        self.set_host_limits(host)
        if fact.fields.get("pause") is not None:
            until = self.now + fact.fields["pause"]
            self.hosts.paused_until[host] = until
            self.pairing.scheduler.host_ready(host, until)

    @property
    def nbytes(self) -> dict[str, int]:
        """Bytes held, by what holds them."""
        return {
            "scheduler": self.pairing.scheduler.nbytes,
            "learner": self.pairing.learner.nbytes,
            "neighbours": self.neighbours.nbytes,
            "urls": self.urls.nbytes,
            "book": self.book.nbytes,
            "sources": self.sources.nbytes,
            "validators": self.validators.nbytes,
        }


def unwatched(_: Ids) -> None:
    """No snapshot is under way: nobody wants to know which pages change."""


def unheard(_: Fact) -> None:
    """Nobody wants to know what happens."""
