"""A WebSub hub: crawlers subscribe to feeds, are verified, and get what changed, signed."""

import asyncio
import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from recrawl.errors import InputError
from recrawl.livingweb.said.feeds import PATHS
from recrawl.livingweb.said.sending import send, target
from recrawl.livingweb.wire.answer import Answer
from recrawl.livingweb.world import Host

if TYPE_CHECKING:
    from recrawl.livingweb.server import Web
    from recrawl.livingweb.wire.visit import Visit

LEASE_S = 10 * 86400.0
MOST = 1000
"""Subscriptions that are kept; more are refused."""
_TICK_S = 0.02
_MOST_ENTRIES = 1000


@dataclass
class Subscription:
    """Who gets what, until when (seconds of the web's clock), and up to which moment it was told."""

    host: Host
    topic: str
    callback: str
    secret: str
    ends: float
    told: float


class Hub:
    """The hub of all hosts whose plan has one; each is at /hub."""

    def __init__(self, web: "Web") -> None:
        self._web = web
        self.counts: Counter[str] = Counter()
        self._kept: dict[tuple[str, str], Subscription] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def answer(self, visit: "Visit") -> Answer:
        """The answer to a request to subscribe or not to; 202, and then it is verified."""
        form = {name: values[0] for name, values in parse_qs(visit.request.body.decode("utf-8", "replace")).items()}
        mode, topic, callback = (form.get(f"hub.{name}", "") for name in ("mode", "topic", "callback"))
        path = "/" + topic.removeprefix("http://").partition("/")[2]
        wrong = self._wrong(visit, mode, topic, path, callback, form.get("hub.secret", ""))
        if wrong:
            return Answer(400, "Content-Type: text/plain\r\n", f"{wrong}\n".encode(), kind="hub")
        lease = form.get("hub.lease_seconds", "")
        seconds = float(lease) if lease.isascii() and lease.isdecimal() and len(lease) < 10 else LEASE_S
        asked = Subscription(visit.host, topic, callback, form.get("hub.secret", ""), visit.now + seconds, visit.now)
        task = self._web.loop.create_task(self._verify(mode, asked, seconds))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return Answer(202, "Content-Type: text/plain\r\n", b"will be verified\n", kind="hub")

    def _wrong(self, visit: "Visit", mode: str, topic: str, path: str, callback: str, secret: str) -> str:
        if mode not in ("subscribe", "unsubscribe"):
            return "hub.mode must be subscribe or unsubscribe"
        host = self._web.host_of(topic.removeprefix("http://").partition("/")[0].encode())
        if path not in PATHS or (host is not visit.host and topic != self._web.base(visit.host) + path):
            return "hub.topic must be a feed of this host"
        if len(secret) >= 200:
            return "hub.secret must be shorter than 200 bytes"
        if len(self._kept) + len(self._tasks) >= MOST:
            return "there are too many subscriptions"
        try:
            target("hub.callback", callback)
        except InputError as error:
            return str(error)
        return ""

    async def _verify(self, mode: str, asked: Subscription, seconds: float) -> None:
        """Ask the callback whether it meant it; its answer must be the challenge."""
        key = asked.topic, asked.callback
        challenge = hashlib.sha256(f"{asked.topic}{asked.callback}{asked.told}".encode()).hexdigest()
        said = {"hub.mode": mode, "hub.topic": asked.topic, "hub.challenge": challenge}
        if mode == "subscribe":
            said["hub.lease_seconds"] = f"{seconds:.0f}"
        mark = "&" if "?" in asked.callback else "?"
        status, body = await send("GET", f"{asked.callback}{mark}{urlencode(said)}")
        right = 200 <= status < 300 and body.strip() == challenge.encode()
        self.counts[f"{mode} {'verified' if right else 'refused'}"] += 1
        if right and mode == "subscribe":
            self._kept[key] = asked
        elif right:
            self._kept.pop(key, None)

    async def run(self) -> None:
        """Deliver until cancelled."""
        while True:
            await asyncio.sleep(_TICK_S)
            now = self._web.now()
            for key in [key for key, kept in self._kept.items() if kept.ends <= now]:
                del self._kept[key]
            await asyncio.gather(*(self._deliver(kept, now) for kept in list(self._kept.values())))

    async def _deliver(self, kept: Subscription, now: float) -> None:
        feeds, plan = self._web.site.feeds, kept.host.plan.feed
        entries = feeds.latest(kept.host, now, _MOST_ENTRIES, after=kept.told)
        kept.told = now
        if not entries or plan is None or plan.hub == "silent":
            return
        base, _, rest = kept.topic.removeprefix("http://").partition("/")
        body = feeds.written(kept.host, f"/{rest}", f"http://{base}", entries)
        headers = (
            f'Content-Type: {PATHS[f"/{rest}"]}\r\nLink: <http://{base}/hub>; rel="hub", <{kept.topic}>; rel="self"\r\n'
        )
        if kept.secret:
            sign = hmac.new(kept.secret.encode(), body, plan.signature).hexdigest()
            headers += f"X-Hub-Signature: {plan.signature}={sign}\r\n"
        status, _ = await send("POST", kept.callback, headers, body)
        self.counts[f"delivery {status}"] += 1
        if status == 410:
            self._kept.pop((kept.topic, kept.callback), None)
