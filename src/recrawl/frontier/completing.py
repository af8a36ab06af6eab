"""Answers to leases: what callers say of fetches, as facts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import Ids, Values
from recrawl.errors import InputError
from recrawl.frontier.answers import Completed, Validators
from recrawl.frontier.facts import Fact, text_to_columns, texts_to_columns
from recrawl.frontier.given.checks import moments_of
from recrawl.frontier.given.keys import hash_of, key_fields
from recrawl.frontier.given.reports import Reports, joined, reports
from recrawl.frontier.journaled import Journaled, alone
from recrawl.frontier.kept import copies
from recrawl.frontier.numbers import of_moved
from recrawl.frontier.outcomes import FAILED, MOVED, RESULTS, counted


@dataclass(frozen=True)
class Outcomes:
    """The arguments of one call of `complete`, for `complete_many`."""

    tokens: Sequence[int]
    said: Mapping[str, Any]
    """By name: status, changed, digest, validators, error, retry_after, moved_to."""
    at: Any = None
    key: str | None = None


class Completing(Journaled):
    """The part of `Frontier` that takes answers."""

    @alone
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
        `validators`   ETag and Last-Modified, handed out with the next lease; beyond 500 bytes they are not kept
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
        moments = moments_of(at, len(given), now)
        self._half_way = True
        expired = self._state.advance(now)
        self._half_way = False
        each = [""] * len(given)
        total = dict.fromkeys((*RESULTS, "late"), 0)
        nothing, noted = True, key is None
        for rows, last in self._rounds(given, each):
            fact = self._outcome(rows, given, said, moments, now, key if last else None)
            fact.fields["before"] = dict(total)
            answer, nothing = self._do([fact]), False
            noted = noted or last
            total = {name: total[name] + answer[name] for name in total}
            words = map(RESULTS.__getitem__, fact.columns["results"].tolist())
            if len(rows) == len(each):  # in their order, then
                each[:] = words
                continue
            for row, word in zip(rows, words, strict=True):
                each[row] = word
        if not noted:  # what came last, or all, had been answered before
            self._note(key, "complete", total, now)
        elif nothing and expired:
            self._do([Fact("tick", {"now": now})])
        repeated: tuple[int, ...] = ()
        if "repeated" in each:
            repeated = tuple(token for token, word in zip(given, each, strict=True) if word == "repeated")
        return Completed(**total, repeated=repeated, each=tuple(each))

    @alone
    def complete_many(self, calls: Sequence[Outcomes]) -> list[Completed] | None:
        """Several calls of `complete`, done and written down as one; None where they cannot be, and nothing is done.

        They can be where tokens are all of leases that are open, and of different pages, keys are new and differ, and
        no page has moved: as is usual.  For servers, which are told of many at a time.
        """
        keys = [call.key for call in calls if call.key is not None]
        if len(keys) != len(set(keys)) or any(self._done(key, "complete") is not None for key in keys):
            return None
        given = [self._tokens(call.tokens) for call in calls]
        said = [reports(len(tokens), **call.said) for tokens, call in zip(given, calls, strict=True)]
        now = self._time.now()
        moments = [moments_of(call.at, len(tokens), now) for tokens, call in zip(given, calls, strict=True)]
        self._half_way = True
        expired = self._state.advance(now)
        self._half_way = False
        tokens = [token for some in given for token in some]
        whole = joined(said)
        pages = [lease.page for lease in self._state.leases.find_all(tokens) if lease is not None]
        if self._state.leases.late or any(whole.moved_to) or not len(pages) == len(set(pages)) == len(tokens):
            if expired:
                self._do([Fact("tick", {"now": now})])
            return None
        fact = self._outcome(list(range(len(tokens))), tokens, whole, np.concatenate(moments), now, None)
        spans = list(pairwise([0, *accumulate(map(len, given))]))
        fact.fields["keys"] = [
            (str(c.key), *span, hash_of(c.key)) for c, span in zip(calls, spans, strict=True) if c.key is not None
        ]
        self._do([fact])
        results = fact.columns["results"]
        return [
            Completed(
                repeated=(),
                **counted(results[begin:end]),
                each=tuple(map(RESULTS.__getitem__, results[begin:end].tolist())),
            )
            for begin, end in spans
        ]

    def _tokens(self, tokens: object) -> list[int]:
        if isinstance(tokens, np.ndarray):
            tokens = tokens.tolist()
        given: list[Any] = list(tokens) if isinstance(tokens, (list, tuple)) else [tokens]
        if self._state.leases.all_known(given):  # as is usual
            return given
        known = self._state.leases.known
        for row, token in enumerate(given):
            whole = isinstance(token, (int, np.integer)) and not isinstance(token, bool)
            if not whole or not known(int(token)):
                raise InputError(f"tokens must be those of leases, got {token!r:.80} in row {row}", "tokens", row)
        return [int(token) for token in given]

    def _rounds(self, tokens: list[int], each: list[str]) -> Iterable[tuple[list[int], bool]]:
        """Rows to be applied together, no page twice, and whether they are the last.

        Tokens answered before are marked, and left out.
        """
        find = self._state.leases.find
        pages_of = [lease.page for lease in self._state.leases.find_all(tokens) if lease is not None]
        if len(pages_of) == len(set(pages_of)) == len(tokens):
            yield list(range(len(tokens))), True  # as is usual
            return
        left, seen = [], set()
        for row, token in enumerate(tokens):
            if token in seen or find(token) is None:
                each[row] = "repeated"
            else:
                left.append(row)
            seen.add(token)
        while left:
            pages: set[int] = set()
            now: list[int] = []
            later: list[int] = []
            for row in left:
                lease = self._state.leases.find(tokens[row])
                if lease is None:  # the page went away in the round before
                    each[row] = "repeated"
                    continue
                (later if lease.page in pages else now).append(row)
                pages.add(lease.page)
            if now:
                yield now, not later
            left = later

    def _outcome(
        self, rows: list[int], tokens: list[int], said: Reports, moments: Values, now: float, key: str | None
    ) -> Fact:
        whole = len(rows) == len(tokens)  # as is usual; and then in their order
        which = slice(None) if whole else np.array(rows, dtype=np.int64)
        mine = tokens if whole else [tokens[row] for row in rows]
        state = self._state
        pages = state.pages_of(mine)
        kinds = said.kinds[which]
        if any(said.moved_to):
            self._refuse_circles(pages, kinds, [said.moved_to[row] for row in rows])
        results, at = np.empty(len(rows), dtype=np.uint8), np.empty(len(rows))
        copies.compare(
            state.book.state, state.book.digest, state.pairing.learner.all_crawled, pages,
            kinds, said.told[which], said.digests[which], moments[which], results, at,
        )  # fmt: skip
        columns: dict[str, NDArray[Any]] = {
            "tokens": np.array(mine, dtype=np.int64),
            "ids": pages,
            "results": results,
            "at": at,
            "blamed": said.blamed[which],
        }
        if said.digests.any():
            columns["digests"] = said.digests[which]
        if not np.isnan(said.retry_after).all():
            columns["retry_after"] = said.retry_after[which]
        if any(said.moved_to):
            columns |= texts_to_columns("moved_to", [said.moved_to[row] for row in rows])
            columns |= self._moves(pages, results, [said.moved_to[row] for row in rows])
        if any(said.validators):
            columns |= _kept(said.validators if whole else [said.validators[row] for row in rows])
        errors = sorted({said.errors[row] for row in rows} - {""}) if any(said.errors) else []
        fields = {"now": now, **key_fields(key), "errors": errors}
        return Fact("complete", fields, columns)

    def _refuse_circles(self, pages: Ids, results: NDArray[np.uint8], targets: list[str]) -> None:
        """A page that moved to itself must not lose itself: there is nothing behind such a redirect."""
        moved = np.flatnonzero(results == MOVED)
        origins = self._state.urls.texts(pages[moved])
        same = [old == targets[k] for old, k in zip(origins, moved.tolist(), strict=True)]
        results[moved[same]] = FAILED

    def _moves(self, pages: Ids, results: NDArray[np.uint8], targets: list[str]) -> dict[str, NDArray[Any]]:
        """Where pages that moved were, and their numbers from then on: for who reads the journal later."""
        moved = np.flatnonzero(results == MOVED).tolist()
        olds = self._state.urls.texts(pages[moved])
        numbers = of_moved(self._state, pages[moved].tolist(), olds, [targets[k] for k in moved])
        return {"moved_ids": numbers, **texts_to_columns("moved_from", olds)}


def _kept(validators: list[Validators | None]) -> dict[str, NDArray[Any]]:
    """Validators as texts, a line for each; often they are one for all."""
    n, first = len(validators), validators[0]
    if first is not None and validators.count(first) == n:
        given = np.ones(n, dtype=np.uint8)
        return {"validators_given": given, **text_to_columns("validators", "\n".join(first), n)}
    given = np.array([v is not None for v in validators], dtype=np.uint8)
    texts = ["" if v is None else "\n".join(v) for v in validators]
    return {"validators_given": given, **texts_to_columns("validators", texts)}
