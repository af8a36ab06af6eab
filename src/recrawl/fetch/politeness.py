"""Politeness: when a host may be asked, and how many requests are sent in all.

Theory of operation.

1.  Every request passes `enter` before it is sent.  That gives it its turn, of which the caller says `asked` when the
    request is sent, `answered` when the answer begins, and `leave` when it is over.
2.  A host is asked again no sooner than `gap` seconds after it was last asked, and never while as many requests as
    allowed are in flight.  The gap counts from the last of `enter`, `asked` and `answered`: a request that spent a
    second connecting reached the host a second late, and the next one must not be early by that.  While a request has
    entered and was not sent yet, the host gets no other one, unless its gap is 0.
3.  In every window of at least `window` seconds no more than rate x window + 1 requests enter.  Timers are late, and
    what is late could not be made good without breaking that.  So the pace is a hundredth below the rate, and requests
    may be early against it by what this saves in one window: pace x (w + early) <= rate x w for all w >= window.
4.  Hosts that wait stand in a heap by the time they are free; the one that is free for longest goes first, and a host's
    requests go in the order they came.  A host that is full stands in no heap; `leave` puts it back.
5.  One timer waits for the next moment at which anything can go.  Whatever may let a request go calls `_pump`.
6.  When the gate is made every host counts as just asked: what a crawler did before it was restarted is not known here.

Each call costs O(log hosts).
"""

import asyncio
from collections import deque
from heapq import heapify, heappop, heappush
from typing import Protocol

from recrawl.arguments import above, at_least_0, finite_time, whole_number
from recrawl.errors import InputError
from recrawl.urls import host_of

SPARE = 0.01
"""How much slower than the rate the pace is, so that late timers can be made good."""
_FIRST_SWEEP = 4096


class Clock(Protocol):
    """Where time comes from; see recrawl.clock."""

    def wall(self) -> float:
        """Seconds since 1970."""

    def monotonic(self) -> float:
        """Seconds since some moment; only goes forward."""

    def real(self, seconds: float) -> float:
        """How many of the machine's seconds that is."""


class _Host:
    """What is known of a host, and who waits for it."""

    __slots__ = ("free_at", "gap", "held", "in_flight", "most", "name", "queued", "unsent", "waiting")

    def __init__(self, name: str, free_at: float) -> None:
        self.name = name
        self.free_at = free_at
        self.held = free_at  # whatever the gap says, not before this
        self.gap: float | None = None
        self.most: int | None = None
        self.in_flight = 0
        self.unsent = 0
        self.queued = 0  # the number of its entry in the heap, 0 without one
        self.waiting: deque[asyncio.Future[None]] = deque()


class Turn:
    """A request that was let through.  Say `asked` when it is sent, `answered` when its answer begins, and `leave`."""

    __slots__ = ("_gate", "_host", "_in", "_unsent")

    def __init__(self, gate: "Gate", host: _Host) -> None:
        self._gate, self._host = gate, host
        self._in = self._unsent = True

    def asked(self) -> None:
        """The request was sent just now: the gap counts from here.  O(log hosts)."""
        self._gate._restart(self._host)
        if self._unsent:
            self._unsent = False
            self._gate._sent(self._host)

    def answered(self) -> None:
        """The answer began just now, so the host was asked no later: the gap counts from here.  O(1)."""
        self._gate._restart(self._host)

    def leave(self) -> None:
        """The request is over, one way or the other; a second time does nothing.  O(log hosts)."""
        if self._in:
            self._in = False
            self._gate._left(self._host, unsent=self._unsent)


class Gate:
    """Lets requests through when they are polite.  One for the whole crawler; belongs to one event loop.

    rate: requests a second in all, None for no limit
    gap, max_in_flight: of hosts that `set_host` did not name
    connections: requests in flight in all
    window: the shortest time over which the rate must hold, in seconds of the clock
    """

    def __init__(
        self,
        clock: Clock,
        rate: float | None,
        gap: float,
        max_in_flight: int,
        *,
        connections: int = 64,
        window: float = 1.0,
    ) -> None:
        self._clock, self._now = clock, clock.monotonic
        self._gap = at_least_0("gap", gap)
        self._most = whole_number("max_in_flight", max_in_flight, 1)
        self._connections = whole_number("connections", connections, 1)
        self._window = above("window", window, 0.0, finite=True)
        self._born = clock.monotonic()
        self._hosts: dict[str, _Host] = {}
        self._sweep_at = _FIRST_SWEEP
        self._heap: list[tuple[float, int, _Host]] = []
        self._entries = 0
        self._waiting = 0
        self._in_flight = 0
        self._next_at = self._born  # when the rate allows one more, had all come on time
        self._space = self._early = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self.set_rate(rate)

    # -- what the crawler sets ----------------------------------------------------------------------------------------

    def set_rate(self, rate: float | None) -> None:
        """Change the rate in all, from now on; None for no limit."""
        if rate is None:
            self._space = self._early = 0.0
        else:
            pace = above("rate", rate, 0.0, finite=True) * (1.0 - SPARE)
            self._space = 1.0 / pace
            self._early = self._window * SPARE / (1.0 - SPARE)
        now = self._now() + self._early
        self._next_at = min(max(self._next_at, now), now + self._space)
        self._pump()

    def set_host(self, host: str, gap: float | None = None, max_in_flight: int | None = None) -> None:
        """Give a host a gap and a number in flight of its own; None for those of all others."""
        known = self._host(host)
        old = self._gap if known.gap is None else known.gap
        known.gap = None if gap is None else at_least_0("gap", gap)
        known.most = None if max_in_flight is None else whole_number("max_in_flight", max_in_flight, 1)
        known.free_at += (self._gap if known.gap is None else known.gap) - old
        self._requeue(known)

    def hold(self, host: str, until: float) -> None:
        """Leave a host alone until a time, in seconds since 1970, such as Retry-After asks for.  Never shortens one."""
        known = self._host(host)
        wait = finite_time(until, name="until") - self._clock.wall()
        known.held = max(known.held, self._now() + wait)
        self._requeue(known)

    def next_free(self, host: str) -> float:
        """When a host may be asked again, in seconds since 1970; the past where it may be now.  O(1)."""
        return self._clock.wall() + self.wait(host)

    def wait(self, host: str) -> float:
        """Seconds until a host may be asked again; less than nothing where it may be now.  O(1)."""
        known = self._hosts.get(host)
        at = self._born + self._gap if known is None else max(known.free_at, known.held)
        return at - self._now()

    # -- requests -----------------------------------------------------------------------------------------------------

    async def enter(self, url: str) -> Turn:
        """Wait until the host of a normalised URL may be asked and the rate allows one more.  O(log hosts)."""
        host = self._host(host_of(url))
        if not self._waiting and self._may(host, self._now()):
            self._grant(host)
            return Turn(self, host)
        turn = asyncio.get_running_loop().create_future()
        host.waiting.append(turn)
        self._waiting += 1
        if not host.queued:
            self._queue(host)
        self._pump()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._drop(host, turn)
            else:  # it was let through in the same moment
                self._left(host, unsent=True)
            raise
        return Turn(self, host)

    def leave(self, url: str) -> None:
        """A request is over, for who did not keep its turn.  O(log hosts)."""
        host = self._hosts.get(host_of(url))
        if host is None or not host.in_flight:
            raise InputError(f"url must be one that entered and did not leave, got {url!r}", argument="url")
        self._left(host, unsent=host.unsent > 0)

    @property
    def in_flight(self) -> int:
        """Requests that entered and did not leave."""
        return self._in_flight

    @property
    def behind(self) -> bool:
        """Whether a request waits for nothing but the rate, or a free connection.  O(1), spread over all calls."""
        heap = self._heap
        while heap and heap[0][2].queued != heap[0][1]:
            heappop(heap)
        return bool(heap) and heap[0][0] <= self._now()

    @property
    def waiting(self) -> int:
        """Requests that wait to enter."""
        return self._waiting

    # -- inside -------------------------------------------------------------------------------------------------------

    def _host(self, name: str) -> _Host:
        host = self._hosts.get(name)
        if host is None:
            if len(self._hosts) >= self._sweep_at:
                self._sweep()
            host = self._hosts[name] = _Host(name, self._born + self._gap)
            host.held = self._born
        return host

    def _sweep(self) -> None:
        """Forget hosts of which nothing is known that a new one would not have.  O(1) a host, spread over all."""
        now = self._now()
        for name in [name for name, host in self._hosts.items() if self._forgettable(host, now)]:
            del self._hosts[name]
        self._sweep_at = max(_FIRST_SWEEP, 2 * len(self._hosts))

    def _forgettable(self, host: _Host, now: float) -> bool:
        idle = not host.in_flight and not host.waiting and host.gap is None and host.most is None
        return idle and max(host.free_at, host.held, self._born + self._gap) <= now

    def _open(self, host: _Host) -> bool:
        """Whether it is only a matter of time until the host may be asked."""
        if host.unsent and (self._gap if host.gap is None else host.gap) > 0.0:
            return False
        return host.in_flight < (self._most if host.most is None else host.most)

    def _may(self, host: _Host, now: float) -> bool:
        free = self._in_flight < self._connections and self._next_at - self._early <= now
        return free and host.free_at <= now and host.held <= now and self._open(host)

    def _restart(self, host: _Host) -> float:
        """Begin the gap of a host anew; gives the time."""
        now = self._now()
        free_at = now + (self._gap if host.gap is None else host.gap)
        if free_at > host.free_at:
            host.free_at = free_at
        return now

    def _grant(self, host: _Host) -> None:
        now = self._restart(host)
        host.in_flight += 1
        host.unsent += 1
        self._in_flight += 1
        # Had nobody come for long, no more than `early` of it may be made good.
        self._next_at = max(self._next_at, now) + self._space

    def _sent(self, host: _Host) -> None:
        host.unsent -= 1
        if host.waiting:
            self._requeue(host)

    def _left(self, host: _Host, *, unsent: bool) -> None:
        host.unsent -= unsent
        host.in_flight -= 1
        self._in_flight -= 1
        if host.waiting:
            self._requeue(host)
        elif self._waiting:
            self._pump()

    def _drop(self, host: _Host, turn: "asyncio.Future[None]") -> None:
        """Someone stopped waiting.  O(1) unless many wait for the same host."""
        try:
            host.waiting.remove(turn)
        except ValueError:  # it came to its turn after it was cancelled
            return
        self._waiting -= 1
        if not host.waiting:
            host.queued = 0

    def _queue(self, host: _Host) -> None:
        """Into the heap, where only time is in the way; older entries of the host count no more."""
        if not host.waiting or not self._open(host):
            host.queued = 0
            return
        self._entries += 1
        host.queued = self._entries
        heappush(self._heap, (max(host.free_at, host.held), self._entries, host))

    def _requeue(self, host: _Host) -> None:
        if host.waiting:
            self._queue(host)
            self._pump()

    def _pump(self) -> None:
        """Let through all that may go now, and set the timer for the next."""
        heap = self._heap
        while heap:
            at, entry, host = heap[0]
            if host.queued != entry:
                heappop(heap)
                continue
            if at < max(host.free_at, host.held):  # asked or held since it was put there
                heappop(heap)
                self._queue(host)
                continue
            due = max(at, self._next_at - self._early)
            if self._in_flight >= self._connections:
                break  # whoever leaves calls again
            if due > self._now():
                self._wake_at(due)
                break
            heappop(heap)
            turn = host.waiting.popleft()
            self._waiting -= 1
            if not turn.done():  # or cancelled
                self._grant(host)
                turn.set_result(None)
            self._queue(host)
        if len(heap) > 64 and len(heap) > 4 * len(self._hosts):  # entries that count no more
            self._heap = [item for item in heap if item[2].queued == item[1]]
            heapify(self._heap)

    def _wake_at(self, due: float) -> None:
        if self._timer is not None:
            if self._timer_at <= due:
                return
            self._timer.cancel()
        self._timer_at = due
        # A timer may fire a little early; then the rest must be long enough for time to pass.
        wait = max(self._clock.real(due - self._now()), 1e-6)
        self._timer = asyncio.get_running_loop().call_later(wait, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._pump()

    def close(self) -> None:
        """Stop the timer; who waits now waits for ever."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
