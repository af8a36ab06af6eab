"""`Client`: the frontier of a service, for threads."""

import random
import time
from collections.abc import Callable
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from recrawl.client import asking, telling
from recrawl.client.address import Address, headers
from recrawl.client.exchange import Answer, Call, Lost, Pause, carried_out
from recrawl.client.methods import RETRIES, TIMEOUT_S, checked, described
from recrawl.client.pool import Pool
from recrawl.errors import RecrawlError

P = ParamSpec("P")
T = TypeVar("T")


def _waits(call: Callable[P, Call[T]]) -> "Callable[Concatenate[Client, P], T]":
    """A method that makes a call and waits for its answer."""

    def method(self: "Client", /, *args: P.args, **options: P.kwargs) -> T:
        return self._do(call(*args, **options))

    described(method, call)
    return method


class Client:
    """The frontier of a service (`recrawl serve`), with the methods, answers and errors of `recrawl.Frontier`.

    ========== =========================================================================================================
    `url`      where the service is, such as http://127.0.0.1:8700
    `token`    one that `recrawl token` made, where the service wants one
    `timeout`  seconds without a sign of life after which a request is given up (30); waiting for pages comes on top
    `retries`  how often a request is sent again where the connection or the service failed (5)
    ========== =========================================================================================================

    All calls that change something carry an idempotency key, the caller's or one of their own: sent again after a lost
    answer, they are done once.  What the service rejects is not sent again.

    `rate` and `statistics` are properties, as with a frontier in this process; each look at them asks the service.
    Threads may share a client: each request has a connection to itself, and connections are kept.
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout: float = TIMEOUT_S, retries: int = RETRIES
    ) -> None:
        timeout, self._retries = checked(timeout, retries)
        self._address = Address.of(url)
        self._pool = Pool(self._address, headers(token), timeout)
        self._chance = random.Random().random
        self._closed = False

    add = _waits(telling.add)
    forget = _waits(telling.forget)
    signal = _waits(telling.signal)
    request = _waits(telling.request)
    lease = _waits(telling.lease)
    complete = _waits(telling.complete)
    give_back = _waits(telling.give_back)
    set_rate = _waits(telling.set_rate)
    set_host = _waits(telling.set_host)
    page = _waits(asking.page)
    pages = _waits(asking.pages)
    hosts = _waits(asking.hosts)
    sources = _waits(asking.sources)
    freshness = _waits(asking.freshness)

    @property
    def rate(self) -> float | None:
        """Pages a second; None for no limit."""
        return self._do(asking.rate())

    @property
    def statistics(self) -> dict[str, int]:
        """Counters since the beginning, and how many pages, hosts, leases and so on there are now."""
        return self._do(asking.statistics())

    def close(self) -> None:
        """Close all connections.  What was leased stays leased: `give_back` ends that."""
        self._closed = True
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {self._address.url}>"

    def _do(self, call: Call[T]) -> T:
        if self._closed:
            raise RecrawlError("the client is closed; make a new one")
        talk = carried_out(call, self._address.url, self._retries, self._chance)
        came: Answer | Lost | None = None
        try:
            while True:
                wanted = talk.send(came)
                if isinstance(wanted, Pause):
                    time.sleep(wanted.seconds)
                    came = None
                else:
                    came = self._pool.send(wanted)
        except StopIteration as end:
            answer: T = end.value
            return answer
