"""`Frontier`: pages by URL, leased at a rate, learned about, and never lost.

Theory of operation
-------------------
1. A call is checked first; what is wrong is refused, and nothing has happened.
2. Then what happens is written down, and is on the disk before anything is answered (journaled.py).
3. A lease is decided before it is written down, for only then is it known whose it is.  Where it cannot be written, it
   is taken back; both go into the journal with the next call that can.
"""

import math
from collections.abc import Sequence
from operator import length_hint
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from recrawl._jit.interpreting import wait_if_many
from recrawl.arguments import Ids, above, at_least_0, whole_number
from recrawl.arguments import counts as checked_counts
from recrawl.errors import InputError, RecrawlError
from recrawl.frontier.answers import (
    POLL,
    Added,
    Batch,
    HostSet,
    Requested,
    Validators,
)
from recrawl.frontier.asked import Asked
from recrawl.frontier.completing import Completing
from recrawl.frontier.facts import Fact, texts_to_columns
from recrawl.frontier.given.checks import groups_of, is_name, optional
from recrawl.frontier.given.keys import hash_of, key_fields
from recrawl.frontier.given.names import columns_of, find_urls
from recrawl.frontier.journaled import alone
from recrawl.frontier.numbers import of_added
from recrawl.frontier.settings import Settings
from recrawl.frontier.signalling import Signalling
from recrawl.urls import host_named

_NOTHING = object()


class Frontier(Asked, Completing, Signalling):
    """Pages to be kept fresh: decides who is fetched next, remembers and learns.

    `Frontier()` lives in memory, `Frontier.open(folder)` also on disk.  Settings, by keyword:

    ================= ==================================================================================================
    `rate`            pages a second; None for no limit
    `window`          seconds of the shortest stretch of time that the rate is promised for (1)
    `gap`             seconds between two fetches of one host (0)
    `max_in_flight`   pages of one host leased at once; None for no limit
    `lease`           seconds after which a page leased and not answered for is offered again (300)
    `discovery`       share of the leases kept for pages never fetched; None: they compete with the others by value
    `half_life`       seconds after which what was learned counts half (never)
    `clock`           where time comes from; `recrawl.clock.ManualClock` for simulations
    ================= ==================================================================================================

    >>> from recrawl.clock import ManualClock
    >>> clock = ManualClock(1_000_000.0)
    >>> f = Frontier(rate=2.0, clock=clock)
    >>> f.add(["https://a.example/", "https://a.example/news"])
    Added(new=2, known=0, refused=())
    >>> batch = f.lease(10)
    >>> batch.urls, batch.wait
    (('https://a.example/',), 0.5)
    >>> f.complete(batch.tokens, status=200, digest="v1").unknown
    1
    """

    # -- pages ---------------------------------------------------------------------------------------------------------

    def add(
        self,
        urls: str | Sequence[str],
        *,
        importance: ArrayLike | None = None,
        every: ArrayLike | None = None,
        max_age: ArrayLike | None = None,
        group: str | Sequence[str] | None = None,
        skip_bad: bool = False,
        key: str | None = None,
    ) -> Added:
        """Pages to be kept fresh.  Those known already are not doubled.

        Importance and max_age given for a known page replace what was; `every` and `group` are for new pages.  Each of
        these is one for all or one each, NaN where nothing is to be said:

        ============== ===============================================================================================
        `importance`   how much it matters that the page is fresh, beside others (that of an average page)
        `every`        seconds between two changes of the page, as a hint; what crawls find overrules it
        `max_age`      seconds after which the page is fetched before all others, whatever it is worth
        `group`        name of the host that politeness counts for (the URL's own)
        ============== ===============================================================================================

        A bad URL is an error, and nothing is added; with `skip_bad` it is reported and the others are added.
        `key`: a call repeated with the same key is done once.  O(1) a page.
        """
        wait_if_many(len(self) + (1 if isinstance(urls, str) else length_hint(urls)))
        return self._add(urls, importance, every, max_age, group, skip_bad, key)

    @alone
    def _add(
        self,
        urls: str | Sequence[str],
        importance: ArrayLike | None,
        every: ArrayLike | None,
        max_age: ArrayLike | None,
        group: str | Sequence[str] | None,
        skip_bad: bool,
        key: str | None,
    ) -> Added:
        if (done := self._done(key, "add")) is not None:
            return Added(done["new"], done["known"])
        found = find_urls(self._state.urls, urls, skip_bad)
        n = len(found.given)
        columns = [
            optional("importance", importance, n),
            optional("every", every, n),
            optional("max_age", max_age, n),
        ]
        groups = groups_of(group, n)
        fact = columns_of(found, columns, groups)
        fact.fields.update(now=self._time.now(), **key_fields(key))
        numbers = of_added(self._state, len(fact.columns["urls_ends"]))
        fact.columns = {**fact.columns, "ids": numbers}  # for who reads the journal later
        answer = self._do([fact])
        return Added(answer["new"], answer["known"], found.refused)

    @alone
    def forget(self, urls: str | Sequence[str], *, skip_bad: bool = False, key: str | None = None) -> int:
        """Forget pages, with all that is known of them; how many there were.  O(log pages) each."""
        if (done := self._done(key, "forget")) is not None:
            return int(done["forgotten"])
        found = find_urls(self._state.urls, urls, skip_bad)
        ids = np.unique(found.ids[found.ids >= 0])
        if not len(ids):
            self._note(key, "forget", {"forgotten": 0}, self._time.now())
            return 0
        texts = texts_to_columns("urls", self._state.urls.texts(ids))  # for who reads the journal later
        self._do([Fact("forget", {"now": self._time.now(), **key_fields(key)}, {"ids": ids, **texts})])
        return len(ids)

    # -- what the world says -------------------------------------------------------------------------------------------

    @alone
    def request(
        self,
        urls: str | Sequence[str],
        counts: ArrayLike = 1,
        *,
        skip_bad: bool = False,
        key: str | None = None,
    ) -> Requested:
        """Users asked for pages, so many times since the last call: one count for all or one each.

        From the first call on importance is learned from requests.  O(1) a page.
        """
        if (done := self._done(key, "request")) is not None:
            return Requested(done["counted"])
        found = find_urls(self._state.urls, urls, skip_bad)
        given = checked_counts("counts", counts, len(found.given))
        known = found.ids >= 0
        if known.any():
            columns = {"ids": found.ids[known], "counts": given[known]}
            self._do([Fact("request", {"now": self._time.now(), **key_fields(key)}, columns)])
        else:
            self._note(key, "request", {"counted": 0}, self._time.now())
        return Requested(int(known.sum()), found.unknown, found.refused)

    # -- leases --------------------------------------------------------------------------------------------------------

    @alone
    def lease(self, n: int = 1, *, seconds: float | None = None, key: str | None = None) -> Batch:
        """Up to n pages to be fetched now, best first, but never more than the rate allows.

        They are nobody else's until they are answered for (`complete`) or `seconds` have passed.  `wait` of the answer
        says when it makes sense to ask again.  A handful of values a page, whatever the number of pages.
        """
        n = min(whole_number("n", n, 0), 100_000)
        lasts = self._state.settings.lease if seconds is None else above("seconds", seconds, 0.0, finite=True)
        done = self._done(key, "lease")
        self._half_way = True
        batch = self._leased(n, lasts, key, done, self._time.now())
        self._half_way = False
        return batch

    def _leased(self, n: int, lasts: float, key: str | None, done: list[int] | None, now: float) -> Batch:
        expired = self._state.advance(now)
        if done is not None:
            if expired:
                self._do([Fact("tick", {"now": now})])
            tokens = [token for token in done if self._is_live(token)]
            expires = self._state.leases.expiry(tokens[0]) if tokens else 0.0
            pages = self._state.pages_of(tokens)
            return self._batch(tokens, pages, expires, self._wait(n, now, len(tokens)))
        allowed = min(n, self._state.limit.allowed(now))
        ids = self._state.choose(allowed, now) if allowed else np.empty(0, dtype=np.int64)
        if not len(ids):
            if expired:
                self._do([Fact("tick", {"now": now})])
            return Batch(wait=self._wait(n, now, 0))
        if self._snapshotting is not None:
            self._snapshotting.before_lease(ids)
        expires = now + lasts
        fact = Fact("lease", {"now": now, "expires": expires, **key_fields(key)}, {"ids": ids})
        try:
            self._write([fact])
        except RecrawlError:
            self._take_back(fact)
            self._half_way = False
            raise
        tokens = self._state.granted(fact)
        if key is not None:
            self._state.remember(str(key), "lease", tokens, hash_of(key))
        self._afterwards()
        return self._batch(tokens, ids, expires, self._wait(n, now, len(tokens)))

    @alone
    def give_back(self, tokens: int | Sequence[int] | None = None) -> int:
        """Pages were leased and will not be fetched after all: they are offered again; how many there were.

        None gives back all that are leased: for who starts anew and knows nothing of what was under way.  Tokens that
        were answered, or have expired, change nothing.  That hosts were asked, and what was leased of the rate, stays.
        """
        given = [token for token, _ in self._state.leases.live()] if tokens is None else self._tokens(tokens)
        live = [token for token in dict.fromkeys(given) if self._is_live(token)]
        if live:
            columns = {"tokens": np.array(live, dtype=np.int64)}
            self._do([Fact("withdraw", {"now": self._time.now()}, columns)])
        return len(live)

    def _take_back(self, fact: Fact) -> None:
        """A lease that could not be written down was not given."""
        fact.fields["key"] = None
        tokens = self._state.granted(fact)
        withdrawn = Fact("withdraw", {"now": self._state.now}, {"tokens": np.array(tokens, dtype=np.int64)})
        self._state.apply(withdrawn)
        self._unwritten += [fact, withdrawn]

    def _wait(self, n: int, now: float, got: int) -> float:
        """Seconds until it makes sense to ask again for n pages, of which so many were to be had."""
        wait = self._state.limit.wait(max(n, 1), now)
        return POLL if wait == 0.0 and got < n else wait  # it is not the rate, but hosts, or pages that wait

    def _is_live(self, token: int) -> bool:
        lease = self._state.leases.find(token)
        return lease is not None and not lease.late

    def _batch(self, tokens: list[int], ids: Ids, expires: float, wait: float) -> Batch:
        state = self._state
        return Batch(
            urls=tuple(state.urls.texts(ids)),
            tokens=tuple(tokens),
            first=tuple((state.book.fetches[ids] == 0).tolist()),
            expires=expires,
            wait=wait,
            kept=() if state.validators.empty else tuple(state.validators.get(ids)),
        )

    # -- settings ------------------------------------------------------------------------------------------------------

    @alone
    def set_rate(self, rate: float | None) -> None:
        """From now on another rate."""
        self._do([Fact("rate", {"now": self._time.now(), "rate": Settings(rate=rate).rate})])

    @alone
    def set_host(
        self, host: str, *, gap: Any = _NOTHING, max_in_flight: Any = _NOTHING, pause: float | None = None
    ) -> HostSet:
        """What is asked of a host: seconds between two fetches, pages in flight, or a pause of so many seconds.

        What is not given stays; None brings back the frontier's own setting.  A host is known by any spelling; one that
        has no pages yet is remembered for when it has, and the answer says so.
        """
        if not is_name(host):
            raise InputError(f"host must be a name of 1 to 255 characters, got {host!r:.80}", argument="host")
        host = self._spelled(host)
        fields: dict[str, Any] = {"now": self._time.now(), "host": host}
        for name, value in (("gap", gap), ("max_in_flight", max_in_flight)):
            if value is not _NOTHING:
                fields[name] = None if value is None else getattr(Settings(**{name: value}), name)
        if pause is not None:
            fields["pause"] = at_least_0("pause", pause)
        elif fields.keys() == {"now", "host", "gap"} and self._has_gap(host, fields["gap"]):
            return self._host_set(host)  # as is usual for hosts that ask for none: nothing to write down
        self._do([Fact("set_host", fields)])
        return self._host_set(host)

    def _spelled(self, host: str) -> str:
        """The host as its URLs have it, unless pages were added under this very name."""
        return host if self._state.hosts.find(host) is not None else host_named(host)

    def _host_set(self, host: str) -> HostSet:
        known = self._state.hosts.find(host)
        return HostSet(host, 0 if known is None else int(self._state.hosts.pages[known]))

    def _has_gap(self, host: str, gap: float | None) -> bool:
        """Whether a host has this gap of its own already; None: none of its own."""
        known = self._state.hosts.find(host)
        now = math.nan if known is None else float(self._state.hosts.gap[known])
        return math.isnan(now) if gap is None else now == gap


__all__ = ["Frontier", "Validators"]
