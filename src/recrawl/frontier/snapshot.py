"""The whole state, written down while work goes on; and read again.

Theory of operation
-------------------
1. A snapshot shows the state as it was when it began, although it is written a slice of pages with each call.  What is
   not kept by page is copied at once: it is small.
2. A page that is about to change before its slice has been written is copied first (`before`), and the copy is put into
   the slice when its turn comes (kept/as_were.py).  So what is held twice are the few pages that change meanwhile, not
   all.
3. Slices go to a thread that writes them.  If it cannot keep up, calls go on without it: the snapshot takes longer.
4. Parts are logical columns (facts.py): what a page means, not how the engine lays it out.

Reading puts the slices together again and rebuilds what is derived: heaps, wheels, tables of hashes.
"""

import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from recrawl import roomy
from recrawl.arguments import Ids
from recrawl.engine import Scheduler
from recrawl.engine.logical import OFFERED
from recrawl.errors import InputError
from recrawl.frontier.facts import Fact, decode, encode, texts_from_columns, texts_to_columns
from recrawl.frontier.kept.as_were import AsWere
from recrawl.frontier.kept.book import NEW, NONE
from recrawl.frontier.kept.leases import Leases
from recrawl.frontier.kept.rate import RateLimit
from recrawl.frontier.settings import Settings
from recrawl.frontier.state import Level, State, unwatched
from recrawl.learn import Learner
from recrawl.learn.named.layout import BY_PAGE
from recrawl.learn.named.sources import NamedSources
from recrawl.learn.neighbours.neighbours import Neighbours
from recrawl.learn.online.layout import PER_PAGE
from recrawl.pairing import Pairing
from recrawl.spreading import Spreading
from recrawl.urls.folders import folder_keys

if TYPE_CHECKING:
    from recrawl.store import Store

VERSION = 3
SLICE = 8192
"""Pages that are written with a call, which takes longer by 3 ms.  A quarter of them take 2 ms: the snapshot would last
four times as long for it, and as many more pages change meanwhile and are held twice."""
_AHEAD = 4
"""Slices that may wait for the thread that writes them."""
Columns = dict[str, NDArray[Any]]


class Snapshotting:
    """A snapshot under way, of the state as it is now."""

    def __init__(self, state: State, store: "Store") -> None:
        self._state = state
        self._pages = len(state.pairing.learner)
        self._written = 0
        self._names = len(state.hosts)
        self._sources = state.sources.by_page(slice(0, 0))["counts"].shape[1]
        self._as_were = AsWere(self._pages, self._columns(slice(0, 0)))
        self._bytes = 0
        self._error: BaseException | None = None
        self._parts: queue.Queue[tuple[str, bytes] | None] = queue.Queue(maxsize=_AHEAD)
        upto = store.rotate()
        self._first: bytes | None = encode(_common(state))
        self._handed_over = False
        self._thread = threading.Thread(target=self._write, args=(store, upto), name="recrawl-snapshot", daemon=True)
        self._thread.start()
        state.touch = self.before
        state.pairing.before = self.before

    @property
    def done(self) -> bool:
        """Whether it is on the disk, or has failed: `finish` does not wait."""
        return not self._thread.is_alive()

    def step(self) -> None:
        """Hand over the next part, unless the thread is busy."""
        if self._handed_over or self._error is not None or self._parts.full():
            return
        if self._first is not None:
            part, self._first = ("common", self._first), None
            self._put(part)
        elif self._written < self._pages:
            self._put((f"pages-{self._written:012d}", self._slice()))
        elif self._names >= 0:
            names = texts_to_columns("names", self._state.hosts.names[: self._names])
            self._names = -1
            self._put(("hosts", encode([Fact("hosts", {}, names)])))
        else:
            self._handed_over = True
            self._let_go()
            self._put(None)

    def finish(self) -> int:
        """Hand over what is left and wait until it is on the disk; the bytes it has.  Raises what went wrong."""
        while not self._handed_over and not self.done:
            self._thread.join(0.001 if self._parts.full() else 0.0)
            self.step()
        self._thread.join()
        self._let_go()
        if self._error is not None:
            raise self._error
        return self._bytes

    def _let_go(self) -> None:
        """From now on pages may change without a word."""
        self._state.touch = unwatched
        self._state.pairing.before = None

    def before(self, ids: Ids) -> None:
        """These pages are about to change: keep those not written yet as they are."""
        mine = self._as_were.new(ids[(ids >= self._written) & (ids < self._pages)])
        if len(mine):
            self._as_were.keep(mine, self._columns(mine), *_texts(self._state, mine))

    def before_lease(self, ids: Ids) -> None:
        """Like `before`, for pages that a decision has just taken hold of: as they were when they were not held."""
        mine = self._as_were.new(ids[(ids >= self._written) & (ids < self._pages)])
        if len(mine):
            columns = self._columns(mine)
            columns["scheduler.state"][:] = OFFERED
            columns["scheduler.held"][:] = 0.0
            self._as_were.keep(mine, columns, *_texts(self._state, mine))

    def _columns(self, which: slice | Ids) -> Columns:
        """What is kept of pages; of sources, those that there was room for when the snapshot began."""
        columns = _by_page(self._state, which)
        cut = {f"sources.{name}": columns[f"sources.{name}"][:, : self._sources] for name in BY_PAGE}
        return columns | cut

    def _slice(self) -> bytes:
        start, stop = self._written, min(self._written + SLICE, self._pages)
        columns = self._columns(slice(start, stop))
        sizes, text = self._state.urls.columns(start, stop)
        kept = self._state.validators.columns(np.arange(start, stop))
        changed = self._as_were.between(start, stop)
        if len(changed.ids):
            self._as_were.put_back(changed, columns, changed.ids - start)
            urls, validators = _texts(self._state, changed.ids)
            if urls != changed.urls:  # a number that another page has by now
                sizes, text = _replaced(sizes, text, changed.ids - start, changed.urls)
            if validators != changed.validators:
                marks = kept["lengths"], kept["bytes"]
                kept["lengths"], kept["bytes"] = _replaced(*marks, changed.ids - start, changed.validators)
        columns |= {"urls.sizes": sizes, "urls.text": text}
        columns |= {"validators.lengths": kept["lengths"], "validators.bytes": kept["bytes"]}
        self._written = stop
        return encode([Fact("pages", {"start": start, "stop": stop}, columns)])

    def _put(self, part: tuple[str, bytes] | None) -> None:
        """There is room, for nobody else puts anything there."""
        self._bytes += len(part[1]) if part else 0
        self._parts.put_nowait(part)

    def _write(self, store: "Store", upto: int) -> None:
        try:
            store.snapshot(upto, self._waiting_parts())
        except BaseException as error:
            self._error = error

    def _waiting_parts(self) -> Iterator[tuple[str, bytes]]:
        while (part := self._parts.get()) is not None:
            yield part


def _by_page(state: State, which: slice | Ids) -> Columns:
    """Copies of all that is kept of pages, but for texts."""
    scheduler, learner = state.pairing.scheduler, state.pairing.learner.columns()
    of = scheduler.columns(which.start, which.stop) if isinstance(which, slice) else scheduler.columns_of(which)
    columns = {f"scheduler.{name}": column for name, column in of.items()}
    columns |= {f"learner.{name}": learner[name][which].copy() for name in PER_PAGE}
    columns |= {f"book.{name}": column for name, column in state.book.columns(which).items()}
    columns |= {f"neighbours.{name}": column for name, column in state.neighbours.by_page(which).items()}
    return columns | {f"sources.{name}": column for name, column in state.sources.by_page(which).items()}


def _texts(state: State, ids: Ids) -> tuple[list[bytes | None], list[bytes]]:
    """URLs, None for numbers that no page has, and validators."""
    there = state.book.state[ids] != NONE
    known = iter(state.urls.texts(ids[there]))
    urls = [next(known).encode() if yes else None for yes in there.tolist()]
    return urls, state.validators.get(ids)


def _split(sizes: NDArray[Any], text: NDArray[np.uint8]) -> list[Any]:
    whole, at, found = text.tobytes(), 0, []
    for size in sizes.tolist():
        found.append(whole[at : at + size] if size >= 0 else None)
        at += max(size, 0)
    return found


def _replaced(
    sizes: NDArray[Any], text: NDArray[np.uint8], rows: Ids, others: Sequence[bytes | None]
) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Texts with others in some rows."""
    texts = _split(sizes, text)
    for row, other in zip(rows.tolist(), others, strict=True):
        texts[row] = other
    lengths = np.array([-1 if text is None else len(text) for text in texts]).astype(sizes.dtype)
    return lengths, np.frombuffer(b"".join(text for text in texts if text is not None), dtype=np.uint8)


def _common(state: State) -> list[Fact]:
    """What is not kept by page."""
    pairing = state.pairing
    spreading = pairing.spreading
    learner = {name: column for name, column in pairing.learner.columns().items() if name not in PER_PAGE}
    in_flight = pairing.in_flight()
    firsts = state.firsts.delays()
    fields = {
        "version": VERSION,
        "now": state.now,
        "begun": state.begun,
        "pages": len(pairing.learner),
        "settings": state.settings.plain(),
        "limit": state.limit.state(),
        "first_credit": state.first_credit,
        "level": list(state.level),
        "counters": state.counters,
        "keys": list(state.keys.items()),
        "sources": state.sources.names,
        "spreading": None if spreading is None else list(spreading),
        "muted": bool(len(pairing.muted)),
    }
    return [
        Fact("common", fields),
        Fact("learner", {}, learner),
        Fact("scheduler", {}, pairing.scheduler.common_columns()),
        Fact("hosts", {}, state.hosts.columns(slice(0, len(state.hosts)))),
        Fact("sources", {}, state.sources.others()),
        Fact("neighbours", {}, state.neighbours.others(len(state.hosts))),
        Fact("leases", {}, state.leases.columns()),
        Fact(
            "in_flight",
            {},
            {
                "ids": np.array(list(in_flight), dtype=np.int64),
                "heard": np.array(list(in_flight.values()), dtype=np.float64),
            },
        ),
        Fact(
            "delays",
            {},
            {
                "times": np.array([when for when, _ in firsts], dtype=np.float64),
                "ids": np.array([page for _, page in firsts], dtype=np.int64),
            },
        ),
    ]


def load(parts: Mapping[str, bytes]) -> State:
    """The state that was written."""
    common = {fact.kind: fact for fact in decode(parts["common"])}
    fields = common["common"].fields
    if fields["version"] > VERSION:
        raise InputError(f"the snapshot was written by a newer recrawl (version {fields['version']}); install that one")
    state = State(Settings.from_plain(fields["settings"]), fields["begun"])
    state.now = fields["now"]
    pages = _pages([*_slices(parts)] or [Fact("pages", {"start": 0, "stop": 0}, _by_page(state, slice(0, 0)))])
    names = texts_from_columns("names", next(decode(parts["hosts"])).columns)
    state.hosts.restore(names, dict(common["hosts"].columns))
    learner = Learner.from_columns({**common["learner"].columns, **pages["learner"]})
    scheduler = Scheduler.from_columns({**pages["scheduler"], **common["scheduler"].columns})
    neighbours = Neighbours()
    if "neighbours" in common:
        neighbours = Neighbours.restored(pages["neighbours"], common["neighbours"].columns)
    state.pairing = Pairing.rebuilt(
        scheduler,
        learner,
        state.settings.spread,
        dict(
            zip(common["in_flight"].columns["ids"].tolist(), common["in_flight"].columns["heard"].tolist(), strict=True)
        ),
        None if fields["spreading"] is None else Spreading(*fields["spreading"]),
        neighbours,
    )
    total = fields["pages"]
    state.book.make_room(total)
    state.book.set_columns(slice(0, total), pages["book"])
    state.sources = NamedSources.restored(fields["sources"], len(state.book.state), dict(common["sources"].columns))
    state.sources.set_by_page(slice(0, total), pages["sources"])
    for fact in _slices(parts):
        ids = np.arange(fact.fields["start"], fact.fields["stop"])
        state.urls.extend(int(fact.fields["start"]), fact.columns["urls.sizes"], fact.columns["urls.text"])
        kept = {"lengths": fact.columns["validators.lengths"], "bytes": fact.columns["validators.bytes"]}
        if kept["lengths"].any():
            state.validators.set_columns(ids, kept)
    if "neighbours" not in common:  # written by a version that knew nothing of folders
        there = np.flatnonzero(state.book.state[:total] != NONE)
        neighbours.join(there, folder_keys(state.urls.texts(there)))
    state.leases = Leases.from_columns(dict(common["leases"].columns))
    state.limit = RateLimit.from_state(fields["limit"])
    state.level = Level(*fields["level"])
    state.first_credit, state.counters = fields["first_credit"], dict(fields["counters"])
    state.keys.update((key, answer) for key, answer in fields["keys"])
    state.make_room()
    _restore_firsts(state, common["delays"].columns)
    return state


def _restore_firsts(state: State, delays: Mapping[str, NDArray[Any]]) -> None:
    """Pages never fetched and not leased wait, those that failed until their time."""
    if state.settings.discovery is None:
        return
    when = dict(zip(delays["ids"].tolist(), delays["times"].tolist(), strict=True))
    state.pairing.muted = roomy.longer(state.pairing.muted, len(state.book.state))
    new = np.flatnonzero(state.book.state == NEW)
    state.pairing.muted[new] = True
    for page in new.tolist():
        if state.leases.token_of(page) is None:
            host, rank = int(state.book.host[page]), int(state.book.rank[page])
            state.firsts.push([page], [host], [rank], when.get(page, -np.inf))


def _slices(parts: Mapping[str, bytes]) -> Iterator[Fact]:
    for name in sorted(parts):
        if name.startswith("pages-"):
            yield next(decode(parts[name]))


def _pages(slices: list[Fact]) -> dict[str, Columns]:
    """The columns of all slices, one behind the other, by who keeps them."""
    found: dict[str, Columns] = {"scheduler": {}, "learner": {}, "book": {}, "sources": {}, "neighbours": {}}
    total = slices[-1].fields["stop"]
    for fact in slices:
        start, stop = fact.fields["start"], fact.fields["stop"]
        for name, column in fact.columns.items():
            owner, _, short = name.partition(".")
            if owner not in found:
                continue
            if short not in found[owner]:
                found[owner][short] = roomy.zeros((total, *column.shape[1:]), column.dtype)
            found[owner][short][start:stop] = column
    return found
