"""IndexNow: hosts that tell an endpoint which URLs changed."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from recrawl.livingweb.plan import PingPlan
from recrawl.livingweb.said.sending import send, target
from recrawl.livingweb.world import Host

if TYPE_CHECKING:
    from recrawl.livingweb.server import Web

_PURPOSE = 3
_TICK_S = 0.02
_MOST_URLS = 10_000
_AT_ONCE = 8


def _who(plan: PingPlan, base: str) -> dict[str, str]:
    """Host and key, as the style wants them."""
    name, key = base.removeprefix("http://"), f"{base}/{plan.key}.txt"
    if plan.style == "host as url":
        name = f"{base}/"
    if plan.style == "host without port":
        name = name.partition(":")[0]
    if plan.style == "bare key":
        key = key.removesuffix(".txt")
    if plan.style == "https key":
        key = key.replace("http://", "https://")
    return {"host": name, "key": plan.key, "keyLocation": key}


class Pings:
    """Sends what is due; `counts` has the answers by status, 0 for none."""

    def __init__(self, web: "Web") -> None:
        self._web = web
        self.counts: Counter[str] = Counter()
        hosts = [host for host in web.world.hosts if host.plan.pings is not None]
        for host in hosts:
            assert host.plan.pings is not None
            target("endpoint", host.plan.pings.endpoint)
        times, pages = self._due(hosts)
        order = np.argsort(times, kind="stable")
        self._times, self._pages, self._at = times[order], pages[order], 0

    def _due(self, hosts: list[Host]) -> "tuple[np.ndarray, np.ndarray]":
        times, pages = [np.empty(0)], [np.empty(0, dtype=np.int64)]
        for host in hosts:
            plan = host.plan.pings
            assert plan is not None
            told = self._web.world.told(host, plan.recall, plan.precision, _PURPOSE)
            first = np.frombuffer(told.first, dtype=np.int64)
            times.append(np.frombuffer(told.times)[first[0] : first[-1]].copy())
            pages.append(np.repeat(np.arange(host.first, host.first + host.count), first[1:] - first[:-1]))
        return np.concatenate(times), np.concatenate(pages)

    async def run(self) -> None:
        """Send pings until cancelled."""
        gate = asyncio.Semaphore(_AT_ONCE)
        while self._at < len(self._times):
            until = int(np.searchsorted(self._times, self._web.now(), side="right"))
            pages, self._at = self._pages[self._at : until], max(self._at, until)
            await asyncio.gather(*(self._ping(gate, *batch) for batch in self._batches(np.unique(pages))))
            await asyncio.sleep(_TICK_S)

    def _batches(self, pages: "np.ndarray") -> Iterator[tuple[Host, list[str]]]:
        """The URLs to tell of, host by host."""
        world, owned = self._web.world, dict[int, list[int]]()
        for page in pages.tolist():
            owned.setdefault(world.host_of[page], []).append(page)
        for index, own in owned.items():
            host = world.hosts[index]
            base = self._web.base(host)
            for k in range(0, len(own), _MOST_URLS):
                yield host, [base + host.path(page) for page in own[k : k + _MOST_URLS]]

    async def _ping(self, gate: asyncio.Semaphore, host: Host, urls: list[str]) -> None:
        plan = host.plan.pings
        assert plan is not None
        base = self._web.base(host)
        async with gate:
            if plan.style == "get":
                for url in urls:
                    mark = "&" if "?" in plan.endpoint else "?"
                    status, _ = await send("GET", f"{plan.endpoint}{mark}url={quote(url, safe='')}&key={plan.key}")
                    self.counts[f"ping {status}"] += 1
                return
            said = {**_who(plan, base), "urlList": urls}
            content = "text/plain" if plan.style == "text/plain" else "application/json; charset=utf-8"
            headers = f"Content-Type: {content}\r\n"
            status, _ = await send("POST", plan.endpoint, headers, json.dumps(said).encode())
            self.counts[f"ping {status}"] += 1
