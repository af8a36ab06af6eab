"""What a frontier does to lose nothing: facts before answers, snapshots now and then, and recovery.

Theory of operation
-------------------
1. What happens is written down as facts and is on the disk before anything is answered (store).  The state changes by
   these facts alone (state.py), so that what a crash leaves behind can be rebuilt to the last answer given.
2. Facts that could not be written when they happened (a lease that was taken back) go with the next that can.
3. When the journal has become long, the state is written down as a whole, a slice with each call (snapshot.py), and the
   journal starts anew.
4. A call that is interrupted half way (Ctrl-C) leaves a state that may not be what the journal says.  From then on
   every call is refused, and nothing more is written: the next `open` rebuilds what there was.  So it is where a fact
   turns out to be impossible after it was written, which no check should let happen; then it is cut from the journal.
   A store that is full may have room again, so calls are tried; one that another process has taken, or that is damaged,
   will take nothing more (`broken`).

One thread at a time: a lock makes others wait.
"""

import math
import os
import threading
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from recrawl.arguments import whole_number
from recrawl.errors import DataError, InputError, RecrawlError, StoreFullError
from recrawl.frontier.facts import Fact, encode
from recrawl.frontier.given.checks import checked_key, known_settings
from recrawl.frontier.given.keys import hash_of
from recrawl.frontier.given.timekeeping import Clock, FrontierTime
from recrawl.frontier.rebuilding import rebuilt
from recrawl.frontier.settings import Settings
from recrawl.frontier.snapshot import Snapshotting
from recrawl.frontier.state import State
from recrawl.store import MemoryStore, SqliteStore, Store
from recrawl.store.history import USUAL_BYTES

P = ParamSpec("P")
R = TypeVar("R")
J = TypeVar("J", bound="Journaled")

IDLE_S = 10.0
"""Seconds without a write after which `ready` makes one."""
LONG_JOURNAL = 32 << 20
"""Bytes of journal after which a snapshot is taken: a million events are about as many."""


def alone(method: Callable[Concatenate[J, P], R]) -> Callable[Concatenate[J, P], R]:
    """One thread at a time, and none after `close` or after a call that was interrupted."""

    @wraps(method)
    def call(self: J, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._lock:
            self._check_usable()
            return method(self, *args, **kwargs)

    return cast("Callable[Concatenate[J, P], R]", call)


class Journaled:
    """A state, a store and the time."""

    def __init__(self, *, clock: Clock | None = None, store: Store | None = None, **settings: Any) -> None:
        self._lock = threading.RLock()
        self._closed = False
        self._half_way = False
        self._full = False
        self._lost: RecrawlError | None = None
        self._written_at = -math.inf
        self._store: Store = MemoryStore(keep=False) if store is None else store
        self._unwritten: list[Fact] = []
        self._snapshotting: Snapshotting | None = None
        self._journal_bytes = 0
        self._snapshot_bytes = 0
        self.notes: list[str] = list(getattr(self._store, "notes", ()))
        """Words about what was found when opening, such as a torn entry that was cut."""
        if self._store.last == 0 and self._store.latest() is None:
            self._begin(clock, Settings(**known_settings(settings)))
        else:
            self._recover(clock, known_settings(settings))

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        *,
        clock: Clock | None = None,
        history: int = USUAL_BYTES,
        **settings: Any,
    ) -> Self:
        """The frontier in a folder, which is made where there is none.

        Settings that are given replace those it had.  `history` is how many bytes of the journal are kept beyond what
        is needed, for `recrawl export`.  Raises InUseError where another process has it open, and DataError where what
        is there is damaged (`recrawl check` says what can be saved).
        """
        known_settings(settings)
        Settings(**settings)  # refused before a folder is made
        store = SqliteStore(folder, whole_number("history", history, 0))
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
        self._state, self._journal_bytes, upto = rebuilt(self._store)
        if upto < self._store.last:
            self._store.cut()
            self.notes.append(self._store.notes[-1])
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
        # What the first decision would find to do after a pause: a tenth of a second, in the middle of someone's call.
        self._state.pairing.scheduler.advance(now, len(self._state.pairing.learner))

    def _check_usable(self) -> None:
        if self._closed:
            raise RecrawlError("the frontier is closed; open it again")
        if self._half_way:
            raise RecrawlError(
                "a call was interrupted half way; close the frontier and open it again, nothing answered is lost"
            )

    @property
    def broken(self) -> str | None:
        """Why no call will be answered any more: it has to be opened again.  None where all is well."""
        with self._lock:
            if self._closed:
                return None
            if self._half_way:
                return "a call was interrupted half way"
            return None if self._lost is None else str(self._lost)

    @alone
    def ready(self) -> None:
        """Raise where nothing can be written.  Where the last write failed, or was a while ago, one is made."""
        now = self._time.now()
        if self._full or not 0.0 <= now - self._written_at < IDLE_S:
            self._do([Fact("tick", {"now": now})])

    # -- keeping -------------------------------------------------------------------------------------------------------

    @alone
    def snapshot(self) -> None:
        """Write everything down now, so that opening is quick.  Stops the world; it is done by itself bit by bit."""
        self._write([])
        self._finish_snapshot()
        if self._journal_bytes:
            self._begin_snapshot()
            self._finish_snapshot()

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy all that has happened so far into a new folder, which `open` opens.

        It takes a while, but other threads may go on to use the frontier meanwhile: only the beginning stops them, for
        a few milliseconds.  The folder has its name when it is whole.
        """
        with self._lock:
            self._check_usable()
            self._write([])
            if isinstance(self._store, MemoryStore):
                self.snapshot()  # what led to the state may not be kept
            upto = self._store.rotate()
        self._store.backup(target, upto)

    def close(self) -> None:
        """Write everything down, and let others open the folder.  Nothing would be lost without it."""
        with self._lock:
            if self._closed:
                return
            try:
                if not isinstance(self._store, MemoryStore) and not self._half_way and self._lost is None:
                    if len(self._state.leases):
                        self._do(
                            [Fact("tick", {"now": self._time.now()})]
                        )  # leases last longer by the time it is closed
                    if self._journal_bytes or self._snapshotting:
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
        body, was = hash_of(key), before.get("body")
        if body is not None and was is not None and body != was:
            raise InputError(
                f"key must be a new one for each call, got {key!r:.80}, which was used for another {kind}; "
                "this one was not done",
                argument="key",
            )
        return before["answer"]

    def _note(self, key: str | None, kind: str, answer: Any, now: float) -> None:
        """Remember what a call with this key answered that had nothing else to write down."""
        if key is not None:
            self._do(
                [Fact("noted", {"now": now, "noted": str(key), "of": kind, "answer": answer, "body": hash_of(key)})]
            )

    def _do(self, facts: list[Fact]) -> Any:
        """Write facts down and let them happen; what the last has to say."""
        self._half_way = True
        try:
            self._write(facts)
        except RecrawlError:  # the store refused: nothing has happened
            self._half_way = False
            raise
        answer = None
        try:
            for fact in facts:
                answer = self._state.apply(fact)
        except Exception:  # it was not checked well enough; it must not stand in the way of opening
            self._store.cut()
            raise
        self._afterwards()
        self._half_way = False
        return answer

    def _write(self, facts: list[Fact]) -> None:
        whole = self._unwritten + facts
        if whole:
            data = encode(whole)
            try:
                self._store.append(data)
            except StoreFullError:
                self._full = True
                raise
            except RecrawlError as error:
                if isinstance(error, DataError) or not isinstance(error, InputError):
                    self._lost = error  # another process has the folder, or it is damaged
                raise
            self._journal_bytes += len(data)
            self._unwritten = []
            self._full, self._written_at = False, self._time.now()

    def _afterwards(self) -> None:
        """Go on with the snapshot, or begin one when the journal has become long."""
        if isinstance(self._store, MemoryStore):
            return
        try:
            if self._snapshotting is None:
                if self._journal_bytes >= max(LONG_JOURNAL, self._snapshot_bytes // 2):
                    self._begin_snapshot()
            elif not self._snapshotting.done:
                self._snapshotting.step()
            else:
                self._finish_snapshot()
        except (RecrawlError, OSError) as error:  # the journal has it all; the next snapshot may do better
            self.notes.append(f"a snapshot could not be written: {error}")

    def _begin_snapshot(self) -> None:
        self._journal_bytes = 0  # where it fails, the next attempt is not made with each call
        self._snapshotting = Snapshotting(self._state, self._store)

    def _finish_snapshot(self) -> None:
        snapshotting, self._snapshotting = self._snapshotting, None
        if snapshotting is not None:
            self._snapshot_bytes = snapshotting.finish()
