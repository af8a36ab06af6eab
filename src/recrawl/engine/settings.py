"""What callers may say about pages: their ids, and beside parameters host, greatest age, discard window, sources."""

import math
from dataclasses import dataclass
from typing import Self, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.engine.layout import GAMMA, KAPPA, PAGES, Core
from recrawl.engine.places import MOST_HOSTS
from recrawl.engine.rows import fill_columns, first_unknown
from recrawl.engine.tables import tables_of
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.model.arguments import whole_ids
from recrawl.model.delays import Lateness
from recrawl.model.pages import column, numbers
from recrawl.model.sources import Sources
from recrawl.policies import ValuePolicy, get

Ids = NDArray[np.int64]
Values = NDArray[np.float64]


MOST_VALUE = 1e100
"""The limit of a page's value, importance / change rate, must not exceed this: infinite values have no order."""


class Beliefs:
    """What the policy makes of pages and of the weights of their signals."""

    def __init__(self, policy: str | ValuePolicy, sources: object = None) -> None:
        self.policy = get(policy)
        self.classes = sources if isinstance(sources, Sources) else None
        self.several_sources = sources is not None and self.classes is None
        if self.classes is not None and self.policy.name != "greedy-ncis":
            raise InputError(
                f"policy must be greedy-ncis with classes of sources, got {self.policy.name}; give weights instead",
                argument="policy",
            )

    def tables(self, late: Lateness | None) -> Values:
        """The tables that latency and classes of sources need."""
        if late is not None and self.classes is not None:
            raise InputError(
                "late must be left out with classes of sources, whose signals are told apart by time", "late"
            )
        return tables_of(late, self.classes)

    @property
    def sources(self) -> int:
        """How many sources a page may have."""
        return 1 if self.classes is None else self.classes.count

    @property
    def terms(self) -> int:
        """Terms of the value the policy computes, 0 for all."""
        return self.policy.terms

    def columns(self, pages: Pages, source_class: Ids) -> Values:
        """What the rows of pages are to hold: alpha, kappa, gamma, mu as the policy sees them.

        Pages with a class of sources (>= 0) have their change rate for kappa, and the class for gamma (tables.py).
        Refused where a page could be worth more than numbers hold.
        """
        columns = np.empty((4, len(pages)))
        believed = self.policy.believe(pages)
        row = fill_columns(*believed.columns, MOST_VALUE, columns)
        if row >= 0:
            with np.errstate(over="ignore"):
                most = believed.importance[row] / believed.change_rate[row]
            raise InputError(
                f"importance / change_rate must be at most {MOST_VALUE:g}, got {most:g} in row {row}; "
                "use other units of importance or time",
                argument="importance",
                row=row,
            )
        if self.classes is not None:
            own = np.flatnonzero(source_class >= 0)
            given, rate = source_class[own], pages.change_rate[own]
            columns[0, own] = rate * self.classes.unsignalled_share[given]
            columns[1, own], columns[2, own] = rate, -1.0 - given
        return columns

    def check_classes(self, source_class: ArrayLike | None, m: int) -> Ids:
        """One class of sources a page, -1 for none; page k has class k where nothing is said and there are as many."""
        if self.classes is None:
            if source_class is not None:
                raise InputError("source_class must be left out without classes of sources", argument="source_class")
            return np.full(m, -1, dtype=np.int64)
        known = len(self.classes)
        if source_class is None:
            if known not in (1, m):
                raise InputError(
                    f"source_class must be given, for there are {known} classes and {m} pages", "source_class"
                )
            return np.arange(m) if known == m else np.zeros(m, dtype=np.int64)
        given = np.asarray(source_class)
        whole = np.issubdtype(given.dtype, np.integer) or given.size == 0
        if given.shape not in ((), (m,)) or not whole or np.any((given < -1) | (given >= known)):
            raise InputError(f"source_class must be {m} whole numbers from -1 (none) to {known - 1}", "source_class")
        return np.array(np.broadcast_to(given, (m,)), dtype=np.int64)

    def weights(self, rows: Values, held: Values, ids: Ids, source: int | Ids, weight: ArrayLike | None) -> Values:
        """What a signal of `source` adds to the staleness of each id.

        A weight given by the caller counts as it is.  Otherwise it is the page's own, or that of the source where
        there are several; a policy that gives signals no weight (GREEDY) or all of it (CIS) does so for each source.
        """
        if weight is not None:
            given = numbers("weight", weight)
            if not np.all(given >= 0.0):
                raise InputError(f"weight must be >= 0, got {given.min()}", argument="weight")
            if given.ndim > 1 or (given.ndim and len(given) not in (1, len(ids))):
                raise InputError(f"weight must be one number or one for each of {len(ids)} ids", argument="weight")
            return np.atleast_1d(given)
        own = rows[ids, KAPPA]
        if not self.several_sources:
            return own
        return np.where((own == 0.0) | (own == np.inf), own, held[ids, source])


@dataclass
class Settings:
    """Per-page settings, each stored only once a page uses it."""

    host: Ids
    max_age: Values
    discard: Values
    weights: Values
    source_discard: Values

    @classmethod
    def empty(cls, source_discard: ArrayLike) -> Self:
        """Settings of no pages."""
        windows = np.atleast_1d(column("source_discard", source_discard))
        if not np.all(windows >= 0.0):
            raise InputError("source_discard must be >= 0", argument="source_discard")
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros((0, 1)), windows)

    def put(
        self,
        ids: Ids,
        size: int,
        hosts: ArrayLike | None,
        max_age: ArrayLike,
        discard: ArrayLike,
        sources: ArrayLike | None,
    ) -> None:
        """Write the settings of new pages, growing to `size`."""
        grow = size - len(self.host)
        given = np.zeros((len(ids), 1)) if sources is None else source_weights(sources, len(ids))
        if len(self.host) == 0:
            self.weights = np.zeros((0, given.shape[1]))
        self.host = np.pad(self.host, (0, grow), constant_values=-1)
        self.max_age = np.pad(self.max_age, (0, grow), constant_values=np.inf)
        self.discard = np.pad(self.discard, (0, grow))
        self.weights = np.pad(self.weights, ((0, grow), (0, 0)))
        self.host[ids] = check_hosts(hosts, len(ids))
        self.max_age[ids] = per_page("max_age", max_age, len(ids), positive=True)
        self.discard[ids] = per_page("discard", discard, len(ids), positive=False)
        self.weights[ids] = given

    def windows(self, ids: Ids, source: int) -> Values:
        """For how long after a crawl a signal of `source` is dropped."""
        own = self.source_discard[source] if len(self.source_discard) > 1 else self.source_discard[0]
        return np.maximum(self.discard[ids], own)


def classes_in(rows: Values, ids: Ids) -> Ids:
    """The classes of sources that rows hold, -1 for none."""
    return np.maximum(-rows[ids, GAMMA], 0.0).astype(np.int64) - 1


def source_weights(sources: ArrayLike, m: int) -> Values:
    """Weights of signals by page and source, from (sources,) or (pages, sources)."""
    given = numbers("sources", sources)
    if given.ndim not in (1, 2) or given.shape[-1] == 0 or (given.ndim == 2 and given.shape[0] != m):
        raise InputError(
            f"sources must be weights of shape (sources,) or ({m}, sources), got {given.shape}", argument="sources"
        )
    if not np.all(given >= 0.0):
        raise InputError("sources must be weights >= 0", argument="sources")
    return np.array(np.broadcast_to(given, (m, given.shape[-1])))


def check_hosts(hosts: ArrayLike | None, m: int) -> Ids:
    """One host number a page, -1 for none."""
    if hosts is None:
        return np.full(m, -1, dtype=np.int64)
    given = np.asarray(hosts)
    if given.size == m == 0:
        return np.empty(0, dtype=np.int64)
    if given.shape not in ((), (m,)) or not np.issubdtype(given.dtype, np.integer) or np.any(given < -1):
        raise InputError(f"hosts must be {m} whole numbers >= 0 (-1: no host)", argument="hosts")
    if np.any(given >= MOST_HOSTS):
        raise InputError(f"hosts must be below {MOST_HOSTS:,}, got {given.max()}; number them 0, 1, 2, ...", "hosts")
    return np.array(np.broadcast_to(given, (m,)), dtype=np.int64)


def per_page(name: str, values: ArrayLike, m: int, *, positive: bool) -> Values:
    """One number a page, above 0 or not below it."""
    given = column(name, values)
    if given.ndim and len(given) not in (1, m):
        raise InputError(f"{name} must be one number or {m}, got {len(given)}", argument=name)
    bad = ~(given > 0.0) if positive else ~(given >= 0.0)
    if np.any(bad):
        row = int(np.argmax(bad)) if given.ndim else 0
        rule = "> 0" if positive else ">= 0"
        raise InputError(f"{name} must be {rule}, got {np.atleast_1d(given)[row]} in row {row}", argument=name, row=row)
    return np.array(np.broadcast_to(given, (m,)))


def whole_number(name: str, value: int, least: int) -> int:
    """`value` as an int, refused where it is not a whole number or below `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name} must be a whole number >= {least}, got {value!r:.80}", argument=name)
    return int(value)


def per_page_times(name: str, values: ArrayLike, n: int, ever: bool = False) -> Values:
    """One time, or one for each of n ids; -inf, "any time", only where `ever`."""
    one: object = values
    if isinstance(one, float) and math.isfinite(one):
        return np.array((one,))
    given = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if given.ndim != 1 or len(given) not in (1, n) or np.isnan(given).any() or np.any(given == np.inf):
        raise InputError(f"{name} must be one finite time or {n} of them", argument=name)
    if not ever and np.any(given == -np.inf):
        raise InputError(f"{name} must be finite, got -inf", argument=name)
    return np.ascontiguousarray(given)


def ids_of_pages(core: Core, ids: ArrayLike) -> Ids:
    """Ids as whole numbers, every one that of a page."""
    given = ids if is_plain(ids) else whole_ids(ids)
    bad = first_unknown(core.links, int(core.rest[PAGES]), given)
    if bad >= 0:
        raise InputError(f"ids must be those of pages, got {given[bad]}", argument="ids")
    return given


def is_plain(ids: ArrayLike) -> TypeGuard[Ids]:
    """Whether ids are what kernels take: there is nothing to convert."""
    return isinstance(ids, np.ndarray) and ids.dtype == np.int64 and ids.ndim == 1 and bool(ids.flags.c_contiguous)


def all_different(ids: Ids) -> Ids:
    """The ids, refused where one occurs twice."""
    if len(ids) > 1:
        rising = np.sort(ids)
        again = rising[1:] == rising[:-1]
        if again.any():
            raise InputError(f"ids must differ, got {rising[np.argmax(again)]} more than once", argument="ids")
    return ids
