"""The processes of the crawlers: `python -m recrawl.demo.child ROLE FD`, where FD is a socket to who started it.

Messages are pairs of a word and what belongs to it.  Here come "stage", "begin" and "stop"; back go "ready",
"fetching", "filled", "status" and "done".  When the socket ends, who started this is gone, and so is this process.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recrawl.demo.stage import Stage


class Line:
    """Messages from and to who started this; made in the event loop that awaits them."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._loop = pipe, asyncio.get_running_loop()
        self._came: dict[str, asyncio.Future[Any]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def say(self, word: str, what: Any = None) -> None:
        """Send a message; from any thread."""
        with self._lock:
            try:
                self._pipe.send((word, what))
            except OSError:
                os._exit(1)

    async def wait(self, word: str) -> Any:
        """What belongs to a word, once it has come."""
        return await self._future(word)

    def _future(self, word: str) -> "asyncio.Future[Any]":
        return self._came.setdefault(word, self._loop.create_future())

    def _listen(self) -> None:
        while True:
            try:
                word, what = self._pipe.recv()
            except (EOFError, OSError):
                os._exit(1)
            self._loop.call_soon_threadsafe(self._set, word, what)

    def _set(self, word: str, what: Any) -> None:
        future = self._future(word)
        if not future.done():
            future.set_result(what)


async def rivals(line: Line) -> None:
    """All rivals."""
    from contextlib import AsyncExitStack

    from recrawl.demo.rivals import Rival, rule_of
    from recrawl.demo.settings import RIVALS
    from recrawl.fetch.client import Fetcher

    stage: Stage = await line.wait("stage")
    clock = stage.clock()
    async with AsyncExitStack() as stack:
        crawlers = []
        for agent in RIVALS:
            fetcher = await stack.enter_async_context(Fetcher(f"{agent}/demo", allow_private=True, clock=clock))
            crawlers.append(Rival(fetcher, stage.urls, rule_of(agent, len(stage.urls)), clock))
        line.say("fetching")
        await asyncio.gather(*(crawler.fill() for crawler in crawlers))
        line.say("filled")
        clock.began = await line.wait("begin")
        await asyncio.gather(*(crawler.run(stage.rate, stage.days) for crawler in crawlers))
        line.say("done")
        await line.wait("stop")


async def ours(line: Line) -> None:
    """The crawler of recrawl: every page once while time stands still, then on, within the budget."""
    from recrawl.demo.ours import first_copies, kept_fresh, ready

    stage: Stage = await line.wait("stage")
    clock = stage.clock()
    line.say("fetching")
    await first_copies(stage, clock)
    line.say("filled")
    ready()
    line.say("ready")
    crawler = kept_fresh(stage, clock, lambda status: line.say("status", status))
    running = asyncio.ensure_future(crawler.run())
    began = asyncio.ensure_future(line.wait("begin"))
    await asyncio.wait((running, began), return_when=asyncio.FIRST_COMPLETED)
    if not running.done():
        clock.began = began.result()
        await asyncio.wait((running, asyncio.ensure_future(line.wait("stop"))), return_when=asyncio.FIRST_COMPLETED)
        crawler.stop("the time of the web is over")
    line.say("done", await running)


ROLES: dict[str, Callable[[Line], Any]] = {"ours": ours, "rivals": rivals}


async def _play(role: str, descriptor: int) -> None:
    line = Line(Connection(descriptor))
    try:
        await ROLES[role](line)
    except Exception as error:
        line.say("failed", f"{type(error).__name__}: {error}")
        raise


def main(role: str, descriptor: int) -> int:
    """Play a role until told to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started this
    asyncio.run(_play(role, descriptor))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
