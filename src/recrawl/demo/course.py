"""The course of a demo: a living web, two processes of crawlers, first copies while time stands still, then time.

1. Everything starts at once, since loading takes the longest: the web, the rivals and our crawler, a process each.
2. Each crawler fetches every page once.  Time begins when all have.  So all have the same copies at 0.
3. While time goes on, this process asks the web for scores and sleeps.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import wait
from typing import Any

from recrawl import clock as clocks
from recrawl.demo.processes import Child
from recrawl.demo.result import Result, Row
from recrawl.demo.settings import AGENTS, Settings
from recrawl.demo.stage import Stage
from recrawl.errors import RecrawlError
from recrawl.histories import History
from recrawl.livingweb import LivingWeb, demo
from recrawl.livingweb.scoring.score import Score

LOOK_S = 0.5
"""The machine's seconds between two looks at the scores."""
SLACK_S = 20.0
"""The machine's seconds that crawlers get to finish when the time of the web is over."""
BINS = 200


@dataclass
class Moment:
    """What there is to be seen while a demo runs."""

    stage: str
    """starting, filling, running or ended"""
    settings: Settings
    pages: int = 0
    days: float = 0.0
    whole_days: float = 0.0
    rate: float = 0.0
    """Requests a day that each crawler has."""
    since: float = 0.0
    """The machine's seconds since the demo began."""
    compiled: bool = False
    """Whether our crawler has all its kernels."""
    rows: tuple[Row, ...] = ()
    fetched: dict[str, int] = field(default_factory=dict)
    """First copies, while they are made."""
    learned: Any = None
    """The last `Status` of our crawler."""
    first_fetch: float | None = None
    """The machine's seconds after which the first page was fetched, by anybody."""
    our_first_fetch: float | None = None


Show = Callable[[Moment], None]


def run(
    settings: Settings,
    show: Show = lambda _: None,
    *,
    data: str | None = None,
    log: str | None = None,
    serve: str | None = None,
) -> Result:
    """Run a demo to its end.

    `show` is called about twice a second.  `data` is the folder in which our crawler keeps everything; else it is
    thrown away.  `log` is a file for the living web's log of requests.  `serve` is where our crawler's dashboard is.
    """
    began = clocks.seconds()
    with _folder(data) as folder, _crawlers() as children:
        past = settings.history()
        importance = settings.importance(past)
        web = LivingWeb(
            demo(past),
            lasting=settings.seconds,
            seed=settings.seed,
            importance=importance,
            hold=True,
            bins=BINS,
            log=log,
        )
        with web:
            course = _Course(settings, web, past, children, show, began)
            course.set_stage(folder, importance.tolist(), serve)
            return course.run()


@contextmanager
def _crawlers() -> Iterator[dict[str, Child]]:
    children: dict[str, Child] = {}
    try:
        for role in ("ours", "rivals"):
            children[role] = Child(role)
        yield children
    finally:
        for child in children.values():
            child.stop()


@contextmanager
def _folder(given: str | None) -> Iterator[str]:
    if given is not None:
        os.makedirs(given, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="recrawl-demo-") as folder:
        yield folder


class _Course:
    """One demo on its way."""

    def __init__(
        self, settings: Settings, web: LivingWeb, past: History, children: dict[str, Child], show: Show, began: float
    ) -> None:
        self._web, self._children, self._show, self._began = web, children, show, began
        self.moment = Moment(
            "starting",
            settings,
            pages=len(past),
            whole_days=past.end,
            rate=settings.rate(len(past)),
        )
        self._at_first: dict[str, Score] = {}

    def set_stage(self, folder: str, importance: list[float], serve: str | None) -> None:
        """Tell the crawlers where the web is."""
        web, moment = self._web, self.moment
        stage = Stage(
            base=web.base(web.hosts[0]),
            urls=tuple(web.page_urls()),
            importance=tuple(importance),
            rate=moment.rate,
            days=moment.whole_days,
            scale=web.settings.scale,
            start=web.settings.start,
            seed=moment.settings.seed,
            data=folder,
            serve=serve,
        )
        for child in self._children.values():
            child.tell("stage", stage)

    def run(self) -> Result:
        """Copies, time, and what came of it."""
        self._fill()
        self._at_first = self._scores()
        clock = self._web.begin()
        for child in self._children.values():
            child.tell("begin", clock.began)
        self.moment.stage = "running"
        while clock.monotonic() < self.moment.whole_days * 86_400.0:
            left = clock.real(self.moment.whole_days * 86_400.0 - clock.monotonic())
            self._look(min(LOOK_S, max(left, 0.0)))
            self._see()
        self._children["ours"].tell("stop")
        patience = clocks.seconds() + SLACK_S
        while not all("done" in child.said for child in self._children.values()) and clocks.seconds() < patience:
            self._look(0.05)
        self.moment.stage = "ended"
        self._see()
        return self._result()

    def _fill(self) -> None:
        """Wait until all crawlers have a copy of every page, and ours waits for time to begin."""
        rivals, ours = self._children["rivals"], self._children["ours"]
        while not ("filled" in rivals.said and "status" in ours.said):
            self._look(0.1)
            moment = self.moment
            moment.compiled = "ready" in ours.said
            if moment.first_fetch is None or moment.our_first_fetch is None or moment.stage == "filling":
                self._count_copies()
            self._tell()

    def _count_copies(self) -> None:
        moment, now = self.moment, clocks.seconds() - self._began
        scores = self._scores()
        moment.fetched = {agent: score.pages for agent, score in scores.items()}
        if moment.first_fetch is None and any(moment.fetched.values()):
            moment.first_fetch, moment.stage = now, "filling"
        if moment.our_first_fetch is None and moment.fetched[AGENTS[0]]:
            moment.our_first_fetch = now

    def _look(self, seconds: float) -> None:
        """Wait for so long, or until a crawler says something."""
        pipes = [child.pipe for child in self._children.values()]
        until = clocks.seconds() + seconds
        while True:
            for child in self._children.values():
                child.hear()
            left = until - clocks.seconds()
            if left <= 0.0 or wait(pipes, left) == []:
                return
            with suppress(KeyError):
                self.moment.learned = self._children["ours"].said["status"]

    def _see(self) -> None:
        scores = self._scores()
        moment = self.moment
        moment.rows = tuple(Row.of(scores[agent], self._at_first[agent]) for agent in AGENTS)
        moment.days = scores[AGENTS[0]].days
        self._tell()

    def _tell(self) -> None:
        self.moment.since = clocks.seconds() - self._began
        self._show(self.moment)

    def _scores(self) -> dict[str, Score]:
        return {agent: self._web.score(agent) for agent in AGENTS}

    def _result(self) -> Result:
        moment = self.moment
        last = self._children["ours"].said.get("done")
        if last is None:
            raise RecrawlError(f"the crawler did not end within {SLACK_S:g} s of the end of the web's time")
        return Result(
            rows=moment.rows,
            days=moment.whole_days,
            pages=moment.pages,
            budget=moment.settings.budget,
            seconds=moment.settings.seconds,
            learned=asdict(last),
        )
