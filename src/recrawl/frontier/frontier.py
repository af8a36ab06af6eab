"""`Frontier`: pages by URL, leased at a rate, learned about, and never lost.

Theory of operation
-------------------
1. A call is checked first; what is wrong is refused, and nothing has happened.
2. Then what happens is written down as facts and is on the disk before anything is answered (store).  The state changes
   by these facts alone (state.py), so that what a crash leaves behind can be rebuilt to the last answer given.
3. A lease is decided before it is written down, for only then is it known whose it is.  Where it cannot be written, it
   is taken back; both go into the journal with the next call that can.
4. Now and then the state is written down as a whole, a slice with each call (snapshot.py), and the journal starts anew.

One thread at a time: a lock makes others wait.
"""

import math
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Values, above, counts, numbers, whole_number
from recrawl.errors import DataError, InputError, RecrawlError
from recrawl.frontier import views
from recrawl.frontier.answers import (
    Added,
    Batch,
    Completed,
    Freshness,
    Heard,
    HostView,
    PageView,
    Requested,
    Validators,
)
from recrawl.frontier.facts import Fact, decode, encode, texts_to_columns
from recrawl.frontier.names import Found, checked_key, columns_of, find_urls
from recrawl.frontier.outcomes import RESULTS, UNKNOWN, compared
from recrawl.frontier.reports import Reports, reports
from recrawl.frontier.settings import Settings
from recrawl.frontier.snapshot import Snapshotting, load
from recrawl.frontier.state import State
from recrawl.frontier.timekeeping import Clock, FrontierTime, happened_times
from recrawl.learn.named.sources import SourceQuality
from recrawl.store import MemoryStore, SqliteStore, Store

P = ParamSpec("P")
R = TypeVar("R")

_CODES = ("heard", "old", "repeated")
_NOTHING = object()


def _alone(method: "Callable[Concatenate[Frontier, P], R]") -> "Callable[Concatenate[Frontier, P], R]":
    """One thread at a time, and none after `close`."""

    @wraps(method)
    def call(self: "Frontier", *args: P.args, **kwargs: P.kwargs) -> R:
        with self._lock:
            if self._closed:
                raise RecrawlError("the frontier is closed; open it again")
            return method(self, *args, **kwargs)

    return call


class Frontier:
    """Pages to be kept fresh: decides who is fetched next, remembers and learns.

    `Frontier()` lives in memory, `Frontier.open(folder)` also on disk.  Settings, by keyword:

    ================= ==================================================================================================
    `rate`            pages a second; None for no limit
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

    def __init__(self, *, clock: Clock | None = None, store: Store | None = None, **settings: Any) -> None:
        self._lock = threading.RLock()
        self._closed = False
        self._store: Store = MemoryStore() if store is None else store
        self._unwritten: list[Fact] = []
        self._snapshotting: Snapshotting | None = None
        self._journal_bytes = 0
        self._snapshot_bytes = 0
        self.notes: list[str] = list(getattr(self._store, "notes", ()))
        """Words about what was found when opening, such as a torn entry that was cut."""
        if self._store.last == 0 and self._store.latest() is None:
            self._begin(clock, Settings(**_known(settings)))
        else:
            self._recover(clock, _known(settings))

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, clock: Clock | None = None, **settings: Any) -> Self:
        """The frontier in a folder, which is made where there is none.

        Settings that are given replace those it had.  Raises InUseError where another process has it open, and
        DataError where what is there is damaged (`recrawl check` says what can be saved).
        """
        _known(settings)
        Settings(**settings)  # refused before a folder is made
        store = SqliteStore(folder)
        try:
            return cls(clock=clock, store=store, **settings)
        except BaseException:
            store.close()
            raise

    def _begin(self, clock: Clock | None, settings: Settings) -> None:
        self._time = FrontierTime(clock)
        now = self._time.now()
        self._state = State(settings, now)
        self._write([Fact("begin", {"now": now, "settings": settings.plain()})])

    def _recover(self, clock: Clock | None, changes: dict[str, Any]) -> None:
        """Rebuild the state: the last snapshot, and the facts since."""
        latest = self._store.latest()
        self._state, after = (None, 0) if latest is None else (load(latest[1]), latest[0])  # type: ignore[assignment]
        for group in self._store.read(after):
            self._journal_bytes += len(group.data)
            for fact in decode(group.data):
                if fact.kind == "begin":
                    self._state = State(Settings.from_plain(fact.fields["settings"]), fact.now)
                else:
                    self._state.apply(fact)
        if self._state is None:
            raise DataError("has no beginning: the first entry of the journal is missing", str(self._store))
        last = self._state.now
        self._time = FrontierTime(clock, last)
        now = self._time.now()
        facts = [Fact("open", {"now": now, "closed_for": now - last})]
        if changes:
            old = self._state.settings
            new = Settings(**{**old.__dict__, **changes})
            if (new.discovery is None) != (old.discovery is None):
                raise InputError(
                    "discovery must stay a share, or stay None, for a frontier that exists; "
                    f"it is {old.discovery}, got {new.discovery}",
                    argument="discovery",
                )
            if new != old:
                facts.append(Fact("settings", {"now": now, "settings": new.plain()}))
        self._do(facts)

    # -- pages -----------------------------------------------------------------------------------------------------------

    @_alone
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
        """Pages to be kept fresh.  Those known already are not doubled: what is given of them replaces what was.

        Each of these is one for all or one each, NaN where nothing is to be said:

        ============== ===============================================================================================
        `importance`   how much it matters that the page is fresh, beside others (that of an average page)
        `every`        seconds between two changes of the page, as a hint; what crawls find overrules it
        `max_age`      seconds after which the page is fetched before all others, whatever it is worth
        `group`        name of the host that politeness counts for (the URL's own)
        ============== ===============================================================================================

        A bad URL is an error, and nothing is added; with `skip_bad` it is reported and the others are added.
        `key`: a call repeated with the same key is done once.  O(1) a page.
        """
        if (done := self._done(key, "add")) is not None:
            return Added(done["new"], done["known"])
        found = find_urls(self._state.urls, urls, skip_bad)
        n = len(found.given)
        columns = [
            _optional("importance", importance, n, positive=False),
            _optional("every", every, n, positive=True),
            _optional("max_age", max_age, n, positive=True),
        ]
        groups = _groups(group, n)
        fact = columns_of(found, columns, groups)
        fact.fields.update(now=self._time.now(), key=key)
        answer = self._do([fact])
        return Added(answer["new"], answer["known"], found.refused)

    @_alone
    def forget(self, urls: str | Sequence[str], *, skip_bad: bool = False) -> int:
        """Forget pages, with all that is known of them; how many there were.  O(log pages) each."""
        found = find_urls(self._state.urls, urls, skip_bad)
        ids = np.unique(found.ids[found.ids >= 0])
        if not len(ids):
            return 0
        texts = texts_to_columns("urls", self._state.urls.texts(ids))  # for who reads the journal later
        self._do([Fact("forget", {"now": self._time.now()}, {"ids": ids, **texts})])
        return len(ids)

    # -- what the world says ---------------------------------------------------------------------------------------------

    @_alone
    def signal(
        self,
        urls: str | Sequence[str],
        source: str = "signals",
        happened: object = None,
        *,
        skip_bad: bool = False,
        key: str | None = None,
    ) -> Heard:
        """Signals of a source that pages may have changed; a URL may occur several times.

        `source` is a kind of source, such as "sitemap" or "indexnow": how far it is to be trusted is learned, by host.
        `happened`: when the pages changed, if the source says so: seconds since 1970, datetimes, dates, ISO texts, None
        where it does not; one for all or one each.  The same source with the same `happened` is one signal.
        O(1) a signal.
        """
        if (done := self._done(key, "signal")) is not None:
            return Heard(*done)
        self._state.sources.check(source)
        found = find_urls(self._state.urls, urls, skip_bad)
        now = self._time.now()
        times = happened_times(happened, len(found.given), now)
        known = found.ids >= 0
        every = bool(known.all())
        columns: dict[str, NDArray[Any]] = {"ids": found.ids if every else found.ids[known]}
        if times is not None:
            columns["happened"] = times[0] if every else times[0][known]
            columns["spans"] = times[1] if every else times[1][known]
        if not len(columns["ids"]):
            codes = np.empty(0, dtype=np.uint8)
        else:
            codes = self._do([Fact("signal", {"now": now, "source": source, "key": key}, columns)])
        return _heard(found, known, codes)

    @_alone
    def request(
        self,
        urls: str | Sequence[str],
        counts_: ArrayLike = 1,
        *,
        skip_bad: bool = False,
        key: str | None = None,
    ) -> Requested:
        """Pages were asked for by users, so many times since the last call; from the first call on importance is learned.

        One count for all or one each.  O(1) a page.
        """
        if (done := self._done(key, "request")) is not None:
            return Requested(done["counted"])
        found = find_urls(self._state.urls, urls, skip_bad)
        given = counts("counts", counts_, len(found.given))
        known = found.ids >= 0
        if known.any():
            columns = {"ids": found.ids[known], "counts": given[known]}
            self._do([Fact("request", {"now": self._time.now(), "key": key}, columns)])
        return Requested(int(known.sum()), found.unknown, found.refused)

    # -- leases ----------------------------------------------------------------------------------------------------------

    @_alone
    def lease(self, n: int = 1, *, seconds: float | None = None, key: str | None = None) -> Batch:
        """Up to n pages to be fetched now, best first, but never more than the rate allows.

        They are nobody else's until they are answered for (`complete`) or `seconds` have passed.  `wait` of the answer
        says when it makes sense to ask again.  A handful of values a page, whatever the number of pages.
        """
        n = min(whole_number("n", n, 0), 100_000)
        lasts = self._state.settings.lease if seconds is None else above("seconds", seconds, 0.0, finite=True)
        if (done := self._done(key, "lease")) is not None:
            return self._batch([token for token in done if self._is_live(token)], self._state.now)
        now = self._time.now()
        self._state.advance(now)
        allowed = min(n, self._state.limit.allowed(now))
        ids = self._state.choose(allowed, now) if allowed else np.empty(0, dtype=np.int64)
        if not len(ids):
            return Batch(wait=self._wait(n, now))
        if self._snapshotting is not None:
            self._snapshotting.before_lease(ids)
        expires = now + lasts
        fact = Fact("lease", {"now": now, "expires": expires, "key": key}, {"ids": ids})
        try:
            self._write([fact])
        except BaseException:
            self._take_back(fact)
            raise
        tokens = self._state.granted(fact)
        if key is not None:
            self._state.remember(key, "lease", tokens)
        self._afterwards()
        return self._batch(tokens, expires, self._wait(n, now))

    def _take_back(self, fact: Fact) -> None:
        """A lease that could not be written down was not given."""
        fact.fields["key"] = None
        tokens = self._state.granted(fact)
        withdrawn = Fact("withdraw", {"now": self._state.now}, {"tokens": np.array(tokens, dtype=np.int64)})
        self._state.apply(withdrawn)
        self._unwritten += [fact, withdrawn]

    def _wait(self, n: int, now: float) -> float:
        """Seconds until it makes sense to ask again."""
        wait = self._state.limit.wait(max(n, 1), now)
        if wait == 0.0:  # it is not the rate: hosts, or pages that wait
            wait = 0.1
        return wait

    def _is_live(self, token: int) -> bool:
        lease = self._state.leases.find(token)
        return lease is not None and not lease.late

    def _batch(self, tokens: list[int], expires: float, wait: float = 0.0) -> Batch:
        state = self._state
        ids = np.array([state.lease_of(token).page for token in tokens], dtype=np.int64)
        return Batch(
            urls=tuple(state.urls.texts(ids)),
            tokens=tuple(tokens),
            validators=views.validators(state, ids),
            first=tuple((state.book.fetches[ids] == 0).tolist()),
            expires=expires,
            wait=wait,
        )

    @_alone
    def complete(
        self,
        tokens: int | Sequence[int],
        *,
        status: int | Sequence[int | None] | None = None,
        changed: object = None,
        digest: object = None,
        validators: object = None,
        error: str | Sequence[str | None] | None = None,
        retry_after: ArrayLike | None = None,
        moved_to: str | Sequence[str | None] | None = None,
        at: ArrayLike | None = None,
        key: str | None = None,
    ) -> Completed:
        """What came of fetches; of each argument one for all tokens, or one each.

        ============== ===============================================================================================
        `status`       HTTP status (200): 304 is unchanged, 404 and 410 gone, 301 and 308 moved, other errors failed
        `changed`      whether the page differs from the copy, where the caller has compared
        `digest`       of the content; where nobody says `changed`, digests are compared
        `validators`   ETag and Last-Modified, to be handed out with the next lease
        `error`        the name of what went wrong where there is no status, such as "timeout"
        `retry_after`  seconds for which the host wants to be left alone
        `moved_to`     where the page is now, for 301 and 308; its history goes along
        `at`           when the page was fetched, in seconds since 1970 (now)
        ============== ===============================================================================================

        Tokens answered before are reported and change nothing; tokens never given out are an error.  O(1) a page.
        """
        if (done := self._done(key, "complete")) is not None:
            return Completed(**done)
        given = self._tokens(tokens)
        said = reports(len(given), status, changed, digest, validators, error, retry_after, moved_to)
        now = self._time.now()
        moments = _moments(at, len(given), now)
        self._state.advance(now)
        each = [""] * len(given)
        total = dict.fromkeys((*RESULTS, "late"), 0)
        for rows in self._rounds(given, each):
            facts = self._outcome(rows, given, said, moments, now, key)
            answer = self._do([facts])
            for name in total:
                total[name] += answer[name]
            for row, code in zip(rows, facts.columns["results"].tolist(), strict=True):
                each[row] = RESULTS[code]
        repeated = tuple(token for token, word in zip(given, each, strict=True) if word == "repeated")
        return Completed(**total, repeated=repeated, each=tuple(each))

    def _tokens(self, tokens: object) -> list[int]:
        if isinstance(tokens, np.ndarray):
            tokens = tokens.tolist()
        given = list(tokens) if isinstance(tokens, (list, tuple)) else [tokens]
        known = self._state.leases.known
        for row, token in enumerate(given):
            whole = isinstance(token, (int, np.integer)) and not isinstance(token, bool)
            if not whole or not known(int(token)):
                raise InputError(f"tokens must be those of leases, got {token!r:.80} in row {row}", "tokens", row)
        return [int(token) for token in given]

    def _rounds(self, tokens: list[int], each: list[str]) -> Iterable[list[int]]:
        """Rows to be applied together: no page twice.  Tokens answered before are marked, and left out."""
        left, seen = [], set()
        for row, token in enumerate(tokens):
            if token in seen or self._state.leases.find(token) is None:
                each[row] = "repeated"
            else:
                left.append(row)
            seen.add(token)
        while left:
            pages: set[int] = set()
            now, later = [], []
            for row in left:
                lease = self._state.leases.find(tokens[row])
                if lease is None:  # the page went away in the round before
                    each[row] = "repeated"
                    continue
                (later if lease.page in pages else now).append(row)
                pages.add(lease.page)
            if now:
                yield now
            left = later

    def _outcome(
        self, rows: list[int], tokens: list[int], said: Reports, moments: Values, now: float, key: str | None
    ) -> Fact:
        which = np.array(rows, dtype=np.int64)
        mine = [tokens[row] for row in rows]
        state = self._state
        pages = np.array([state.lease_of(token).page for token in mine], dtype=np.int64)
        results = said.kinds[which]
        fetched = results <= UNKNOWN
        told = np.where(results == 1, 0.0, said.told[which])  # 304
        results = np.where(fetched, compared(state, pages, told, said.digests[which]), results).astype(np.uint8)
        columns: dict[str, NDArray[Any]] = {
            "tokens": np.array(mine, dtype=np.int64),
            "ids": pages,
            "results": results,
            "at": moments[which],
            "blamed": said.blamed[which],
        }
        if said.digests.any():
            columns["digests"] = said.digests[which]
        if not np.isnan(said.retry_after).all():
            columns["retry_after"] = said.retry_after[which]
        if any(said.moved_to):
            columns |= texts_to_columns("moved_to", [said.moved_to[row] for row in rows])
        if any(said.validators):
            kept = [said.validators[row] for row in rows]
            columns["validators_given"] = np.array([v is not None for v in kept], dtype=np.uint8)
            columns |= texts_to_columns("validators", ["" if v is None else "\n".join(v) for v in kept])
        errors = sorted({said.errors[row] for row in rows} - {""})
        fields = {"now": now, "level": state.pairing.scheduler.level, "key": key, "errors": errors}
        return Fact("complete", fields, columns)

    # -- asking ----------------------------------------------------------------------------------------------------------

    @_alone
    def page(self, url: str) -> PageView | None:
        """What is known of a page; None where it is not in the frontier."""
        found = find_urls(self._state.urls, url, skip_bad=False)
        return views.page(self._state, int(found.ids[0]), self._time.now()) if found.ids[0] >= 0 else None

    @_alone
    def pages(self, after: int = -1, limit: int = 1000) -> tuple[list[PageView], int]:
        """Pages by the numbers they have here: up to `limit` beyond number `after`, and where to go on.

        >>> f = Frontier()
        >>> _ = f.add(["https://a.example/", "https://b.example/"])
        >>> [page.url for page in f.pages()[0]]
        ['https://a.example/', 'https://b.example/']
        """
        return views.pages(
            self._state, whole_number("after", after, -1), whole_number("limit", limit, 1), self._time.now()
        )

    @_alone
    def hosts(self) -> list[HostView]:
        """How hosts are doing, in the order they came."""
        return views.hosts(self._state)

    @_alone
    def sources(self, host: str | None = None) -> list[SourceQuality]:
        """What was learned of sources of signals, on all hosts or on one."""
        if host is None:
            return self._state.sources.quality()
        number = self._state.hosts.find(host)
        if number is None:
            raise InputError(f"host must be one of the frontier's, got {host!r:.80}", argument="host")
        return self._state.sources.quality(number)

    @_alone
    def freshness(self) -> Freshness:
        """How fresh the copies are, as far as is known.  Above 100,000 pages from a sample of that many."""
        return views.freshness(self._state, self._time.now())

    @property
    def statistics(self) -> dict[str, int]:
        """Counters since the beginning, and how many pages, hosts, leases and so on there are now."""
        with self._lock:
            return views.statistics(self._state)

    @property
    def settings(self) -> Settings:
        """What the frontier was asked for."""
        return self._state.settings

    @property
    def rate(self) -> float | None:
        """Pages a second; None for no limit."""
        return self._state.limit.rate

    @property
    def nbytes(self) -> dict[str, int]:
        """Bytes held in memory, by what holds them."""
        with self._lock:
            return self._state.nbytes

    def __len__(self) -> int:
        return len(self._state.urls)

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and self.page(url) is not None

    def __repr__(self) -> str:
        return f"<Frontier: {len(self):,} pages, rate {self.rate}, {len(self._state.leases):,} leased>"

    # -- settings --------------------------------------------------------------------------------------------------------

    @_alone
    def set_rate(self, rate: float | None) -> None:
        """From now on another rate."""
        Settings(rate=rate)
        self._do([Fact("rate", {"now": self._time.now(), "rate": rate})])

    @_alone
    def set_host(
        self, host: str, *, gap: object = _NOTHING, max_in_flight: object = _NOTHING, pause: float | None = None
    ) -> None:
        """What is asked of a host: seconds between two fetches, pages in flight, or a pause of so many seconds.

        What is not given stays; None brings back the frontier's own setting.
        """
        if not isinstance(host, str) or not host:
            raise InputError(f"host must be a name, got {host!r:.80}", argument="host")
        fields: dict[str, Any] = {"now": self._time.now(), "host": host}
        for name, value in (("gap", gap), ("max_in_flight", max_in_flight)):
            if value is not _NOTHING:
                if value is not None:
                    Settings(**{name: value})
                fields[name] = value
        if pause is not None:
            fields["pause"] = above("pause", pause, -1e-300, finite=True)
        self._do([Fact("set_host", fields)])

    # -- keeping ---------------------------------------------------------------------------------------------------------

    @_alone
    def snapshot(self) -> None:
        """Write everything down now, so that opening is quick.  Stops the world; it is done by itself bit by bit."""
        self._write([])
        self._finish_snapshot()
        if self._journal_bytes:
            self._begin_snapshot()
            self._finish_snapshot()

    def close(self) -> None:
        """Write everything down, and let others open the folder.  Nothing would be lost without it."""
        with self._lock:
            if self._closed:
                return
            try:
                if not isinstance(self._store, MemoryStore) and (self._journal_bytes or self._snapshotting):
                    self.snapshot()
            finally:
                self._closed = True
                self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _done(self, key: str | None, kind: str) -> Any:
        """What a call with this key answered before."""
        if checked_key(key) is None:
            return None
        before = self._state.keys.get(key)  # type: ignore[arg-type]
        if before is None:
            return None
        if before["kind"] != kind:
            raise InputError(
                f"key must be a new one, got {key!r:.80}, which was used for {before['kind']}", argument="key"
            )
        return before["answer"]

    def _do(self, facts: list[Fact]) -> Any:
        """Write facts down and let them happen; what the last has to say."""
        self._write(facts)
        answer = None
        for fact in facts:
            answer = self._state.apply(fact)
        self._afterwards()
        return answer

    def _write(self, facts: list[Fact]) -> None:
        whole = self._unwritten + facts
        if whole:
            data = encode(whole)
            self._store.append(data)
            self._journal_bytes += len(data)
            self._unwritten = []

    def _afterwards(self) -> None:
        """Go on with the snapshot, or begin one when the journal has become long."""
        if isinstance(self._store, MemoryStore):
            return
        if self._snapshotting is None:
            if self._journal_bytes < max(LONG_JOURNAL, self._snapshot_bytes // 2):
                return
            self._begin_snapshot()
        elif not self._snapshotting.done:
            self._snapshotting.step()
        else:
            try:
                self._finish_snapshot()
            except (RecrawlError, OSError) as error:  # the journal has it all; the next snapshot may do better
                self.notes.append(f"a snapshot could not be written: {error}")

    def _begin_snapshot(self) -> None:
        self._snapshotting = Snapshotting(self._state, self._store)
        self._journal_bytes = 0

    def _finish_snapshot(self) -> None:
        snapshotting, self._snapshotting = self._snapshotting, None
        if snapshotting is not None:
            self._snapshot_bytes = snapshotting.finish()


LONG_JOURNAL = 32 << 20
"""Bytes of journal after which a snapshot is taken: a million events are about as many."""


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    for name in settings:
        if name not in Settings.__dataclass_fields__:
            known = ", ".join(Settings.__dataclass_fields__)
            raise InputError(f"{name} must be one of the settings ({known})", argument=name)
    return settings


def _optional(name: str, values: ArrayLike | None, n: int, *, positive: bool) -> Values:
    """One number for all or one each, NaN where nothing is said."""
    if values is None:
        return np.full(n, math.nan)
    given = numbers(name, values)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n):
        raise InputError(f"{name} must be one number, or one for each of {n}, got {given.size}", argument=name)
    bad = np.atleast_1d((given <= 0.0) if positive else (given < 0.0)) | np.atleast_1d(
        np.isinf(given) & (name != "max_age")
    )
    if bad.any():
        row = int(np.argmax(bad))
        rule = "> 0" if positive else "finite and >= 0"
        raise InputError(f"{name} must be {rule}, got {np.atleast_1d(given)[row]} in row {row}", argument=name, row=row)
    return np.array(np.broadcast_to(given, (n,)))


def _groups(group: object, n: int) -> list[str] | None:
    if group is None:
        return None
    names = list(group) if isinstance(group, (list, tuple)) else [group] * n
    if len(names) != n:
        raise InputError(f"group must be one name, or one for each of {n}, got {len(names)}", argument="group")
    for row, name in enumerate(names):
        if not isinstance(name, str) or not 0 < len(name) <= 255:
            raise InputError(
                f"group must be a name of 1 to 255 characters, got {name!r:.80} in row {row}", "group", row
            )
    return names


def _moments(at: ArrayLike | None, n: int, now: float) -> Values:
    """When pages were fetched; never later than now."""
    if at is None:
        return np.full(n, now)
    given = numbers("at", at)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n):
        raise InputError(f"at must be one time, or one for each of {n}, got {given.size}", argument="at")
    bad = np.atleast_1d(~np.isfinite(given) | (given > now + 3600.0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"at must be a time in seconds since 1970, not in the future, got {np.atleast_1d(given)[row]} in row {row}",
            argument="at",
            row=row,
        )
    return np.minimum(np.array(np.broadcast_to(given, (n,))), now)


def _heard(found: Found, known: NDArray[np.bool_], codes: NDArray[np.uint8]) -> Heard:
    counted = np.bincount(codes, minlength=len(_CODES)).tolist()
    words = iter([_CODES[code] for code in codes.tolist()])
    each = tuple(
        next(words) if yes else ("refused" if row in found.bad_rows else "unknown")
        for row, yes in enumerate(known.tolist())
    )
    return Heard(*counted, unknown=found.unknown, refused=found.refused, each=each)


__all__ = ["Frontier", "Validators"]
