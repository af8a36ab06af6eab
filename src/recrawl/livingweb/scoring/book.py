"""`Book`: what the living web writes down of every crawler, with bounded memory; and the log, where one is wanted."""

import json
from collections import Counter
from typing import IO

import numpy as np

from recrawl.livingweb.scoring.copies import Copies, spread
from recrawl.livingweb.scoring.manners import Manners
from recrawl.livingweb.scoring.score import Score
from recrawl.livingweb.world import DAY, World

MOST_AGENTS = 32
"""Crawlers that are told apart; those that come later count as one, called "(others)"."""
OTHERS = "(others)"


class Agent:
    """One crawler."""

    def __init__(self, name: str, world: World, copies: Copies) -> None:
        self.name = name
        self.copies = copies
        self.manners = Manners(len(world.hosts))
        self.kinds: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.faults: Counter[str] = Counter()
        self.pages = self.useful = self.wasted = self.first = self.bytes_sent = 0


class Book:
    """All crawlers, by the product token of their User-Agent."""

    def __init__(
        self,
        world: World,
        *,
        bins: int = 200,
        counted_from: float = 0.0,
        given: bool = False,
        log: IO[str] | None = None,
    ) -> None:
        self.world, self.agents = world, dict[str, Agent]()
        self._bins, self._from, self._given, self._log = bins, counted_from, given, log
        self._tokens: dict[bytes, Agent] = {}
        self._there = world.there()

    def agent(self, user_agent: bytes) -> Agent:
        """The crawler of a User-Agent header."""
        found = self._tokens.get(user_agent)
        if found is None:
            found = self.named(token(user_agent))
            if len(self._tokens) < 1000:
                self._tokens[user_agent] = found
        return found

    def named(self, name: str) -> Agent:
        """The crawler of a product token."""
        if name not in self.agents and len(self.agents) >= MOST_AGENTS:
            name = OTHERS
        if name not in self.agents:
            copies = Copies(self.world, self._bins, self._from, self._given)
            self.agents[name] = Agent(name, self.world, copies)
        return self.agents[name]

    def answered(self, agent: Agent, page: int, version: int, made: float, now: float) -> None:
        """A page was answered in whole, or confirmed, with this version."""
        before = agent.copies.version[page]
        if agent.copies.served(page, version, made, now):
            agent.useful += 1
            agent.first += before < 0
        else:
            agent.wasted += 1

    def write(self, **line: object) -> None:
        """A line of the log, where there is one."""
        if self._log is not None:
            self._log.write(json.dumps(line) + "\n")

    @property
    def logs(self) -> bool:
        """Whether lines are written at all."""
        return self._log is not None

    def flush(self) -> None:
        """Bring the log to its file."""
        if self._log is not None:
            self._log.flush()

    def score(self, name: str, now: float) -> Score:
        """All of it, for one crawler, up to now.  O(pages)."""
        agent, world = self.named(name), self.world
        now = min(max(now, 0.0), world.end)
        fresh, areas = agent.copies.total(now)
        there, there_areas, there_now = self._presence(now)
        weights = world.weights
        hosts = np.frombuffer(world.host_of, dtype=np.int32)
        of_host = (
            np.bincount(hosts, weights * fresh, len(world.hosts)),
            np.bincount(hosts, weights * there, len(world.hosts)),
        )
        names = [host.plan.name for host in world.hosts]
        manners = agent.manners
        fresh_now = agent.copies.fresh_now(now)
        return Score(
            agent=agent.name,
            time=now,
            days=now / DAY,
            whole_days=world.days,
            freshness=_share(of_host[0].sum(), of_host[1].sum()),
            fresh_now=_share(float(weights @ (fresh_now & there_now)), float(weights @ there_now)),
            timeline=tuple(_share(a, b) for a, b in zip(areas.tolist(), there_areas.tolist(), strict=True)),
            by_host={
                name: a / b
                for name, a, b in zip(names, of_host[0].tolist(), of_host[1].tolist(), strict=True)
                if b > 0.0
            },
            requests=sum(agent.kinds.values()),
            pages=agent.pages,
            useful=agent.useful,
            wasted=agent.wasted,
            first=agent.first,
            kinds=dict(agent.kinds),
            statuses={str(status) if status else "none": many for status, many in sorted(agent.statuses.items())},
            faults=dict(agent.faults),
            disallowed=manners.disallowed,
            too_soon=manners.too_soon,
            gap={name: gap for name, gap in zip(names, manners.gap, strict=True) if gap != np.inf},
            pause={name: gap for name, gap in zip(names, manners.pause, strict=True) if gap != np.inf},
            at_once={name: most for name, most in zip(names, manners.at_once, strict=True) if most},
            most_in_a_second=manners.second.most,
            most_in_a_real_second=manners.real_second.most,
            bytes_sent=agent.bytes_sent,
        )

    def _presence(self, now: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Seconds that each page was there and counted, weighted seconds in each bin, and which are there now."""
        pages, begins, ends = self._there
        n, width = len(self.world), self.world.end / self._bins
        until = np.minimum(ends, now)
        there = np.bincount(pages, np.maximum(0.0, until - np.maximum(begins, self._from)), n)
        areas = spread(begins, until, self.world.weights[pages], width, self._bins)
        last = now >= self.world.end
        return there, areas, np.bincount(pages, (begins <= now) & ((now < ends) | (last & (ends == now))), n) > 0


def token(user_agent: bytes) -> str:
    """The product token of a User-Agent: what stands before the first slash or space.

    >>> token(b"recrawl/0.1 (+https://example.org)"), token(b"")
    ('recrawl', '-')
    """
    words = user_agent.decode("latin-1").replace("/", " ").split(None, 1)
    return words[0][:64] if words else "-"


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else float("nan")
