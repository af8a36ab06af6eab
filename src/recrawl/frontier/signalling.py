"""Signals: what sources say of pages, as facts."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import InputError
from recrawl.frontier.answers import Heard
from recrawl.frontier.facts import Fact
from recrawl.frontier.given.keys import hash_of, key_fields
from recrawl.frontier.given.names import Found, find_urls
from recrawl.frontier.given.timekeeping import happened_times
from recrawl.frontier.journaled import Journaled, alone
from recrawl.urls import Refused


class Signalling(Journaled):
    """The part of `Frontier` that hears signals."""

    @alone
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
        times = happened_times(happened, len(found.given))
        columns: dict[str, NDArray[Any]] = {"ids": found.ids}
        if times is not None:
            columns |= {"happened": times[0], "spans": times[1]}
        if found.missing:
            known = found.ids >= 0
            columns = {name: column[known] for name, column in columns.items()}
        if not len(columns["ids"]):
            codes = np.empty(0, dtype=np.uint8)
            self._note(key, "signal", [0, 0, 0], now)
        else:
            codes = self._do([Fact("signal", {"now": now, "source": source, **key_fields(key)}, columns)])
        return _heard(found, codes)

    @alone
    def signal_many(
        self,
        calls: Sequence[tuple[Sequence[str], str | None]],
        source: str = "signals",
        *,
        skip_bad: bool = False,
    ) -> list[Heard]:
        """Several calls of `signal`, each with its URLs and its key or None, done and written down as one.

        Keys must differ.  Where one call is wrong, none of them is done.  For servers, which hear many at a time.
        """
        keys = [key for _, key in calls if key is not None]
        if len(keys) != len(set(keys)):
            raise InputError("calls must have keys that differ", argument="calls")
        before = [self._done(key, "signal") for _, key in calls]
        self._state.sources.check(source)
        new = [call for call, done in zip(calls, before, strict=True) if done is None]
        heard = iter(self._heard_together(new, source, skip_bad))
        return [next(heard) if done is None else Heard(*done) for done in before]

    def _heard_together(
        self, calls: list[tuple[Sequence[str], str | None]], source: str, skip_bad: bool
    ) -> list[Heard]:
        ends = [0, *accumulate(len(urls) for urls, _ in calls)]
        found = find_urls(self._state.urls, [url for urls, _ in calls for url in urls], skip_bad)
        known = found.ids >= 0
        rows = np.concatenate(([0], np.cumsum(known)))[ends].tolist()  # of those known, up to the end of each call
        now = self._time.now()
        keyed = [(key, *span) for (_, key), span in zip(calls, pairwise(rows), strict=True) if key is not None]
        if rows[-1]:
            fields = {"now": now, "source": source, "keys": [(str(key), *span, hash_of(key)) for key, *span in keyed]}
            codes = self._do([Fact("signal", fields, {"ids": found.ids[known] if found.missing else found.ids})])
        else:
            codes = np.empty(0, dtype=np.uint8)
            for key, *_ in keyed:
                self._note(key, "signal", [0, 0, 0], now)
        return _parts(_heard(found, codes), ends)


def _heard(found: Found, codes: NDArray[np.uint8]) -> Heard:
    told = codes.tobytes()
    heard, old, repeated = map(told.count, range(3))
    if found.missing:
        each = np.full(len(found.ids), Heard.WORDS.index("unknown"), dtype=np.uint8)
        each[found.ids >= 0] = codes
        each[list(found.bad_rows)] = Heard.WORDS.index("refused")
        told = each.tobytes()
    return Heard(heard, old, repeated, unknown=found.unknown, refused=found.refused, codes=tuple(told))


def _parts(heard: Heard, ends: list[int]) -> list[Heard]:
    """What became of each call's share; `ends` are the places where calls end, after a 0.

    >>> whole = Heard(2, 0, 1, unknown=("https://a.example/",), codes=(0, 3, 0, 2))
    >>> [(part.heard, part.repeated, part.unknown) for part in _parts(whole, [0, 2, 4])]
    [(1, 0, ('https://a.example/',)), (1, 1, ())]
    """
    if heard.heard == ends[-1]:  # as is usual
        return [Heard(end - begin, 0, 0, codes=(0,) * (end - begin)) for begin, end in pairwise(ends)]
    unknown, refused = iter(heard.unknown), iter(heard.refused)
    parts = []
    for begin, end in pairwise(ends):
        codes = heard.codes[begin:end]
        counts = [codes.count(code) for code in range(len(Heard.WORDS))]
        mine = [next(refused) for _ in range(counts[4])]
        parts.append(
            Heard(
                counts[0],
                counts[1],
                counts[2],
                unknown=tuple(next(unknown) for _ in range(counts[3])),
                refused=tuple(Refused(bad.item - begin, bad.url, bad.reason) for bad in mine),
                codes=codes,
            )
        )
    return parts
