"""What the policy believes of pages, and what else callers say of them: host, greatest age, discard window, sources."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recrawl.arguments import SPARE_LABELS, column, labels, numbers, per_page, unknown_id, whole_ids
from recrawl.engine.core.checks import fill_columns, first_unknown
from recrawl.engine.core.layout import GAMMA, KAPPA, PAGES, Core
from recrawl.engine.core.places import MOST_HOSTS
from recrawl.engine.core.tables import tables_of
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.model.latencies import KnownLatency
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

    def tables(self, latency: KnownLatency | None) -> Values:
        """The tables that latency and classes of sources need."""
        if latency is not None and self.classes is not None:
            raise InputError(
                "latency must be left out with classes of sources, whose signals are told apart by time", "latency"
            )
        return tables_of(latency, self.classes)

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

    def scales(self, scale: ArrayLike, m: int, weight: ArrayLike | None) -> Values:
        """What to multiply the own weights of m signals by."""
        if weight is not None or self.classes is not None:
            than = "a weight is given" if weight is not None else "there are classes of sources"
            raise InputError(f"scale must be left out where {than}", argument="scale")
        given = np.array(np.atleast_1d(numbers("scale", scale)))  # a copy: kernels take no read-only arrays
        if given.shape not in ((1,), (m,)):
            raise InputError(f"scale must be one number or one for each of {m} ids", argument="scale")
        if not np.all((given >= 0.0) & (given < np.inf)):
            raise InputError("scale must be finite and >= 0; for a certain change, give an infinite weight", "scale")
        return given


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
            wrong = windows[~(windows >= 0.0)][0]
            raise InputError(f"source_discard must be >= 0, got {wrong}; 0 drops nothing", argument="source_discard")
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
        self.host[ids] = check_hosts(hosts, len(ids), int(self.host.max(initial=-1)) + 1)
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
        wrong = given[~(given >= 0.0)][0]
        raise InputError(
            f"sources must be weights >= 0, got {wrong}; a source that says nothing weighs 0", argument="sources"
        )
    return np.array(np.broadcast_to(given, (m, given.shape[-1])))


def check_hosts(hosts: ArrayLike | None, m: int, known: int) -> Ids:
    """One host number a page, -1 for none; `known` hosts have been numbered before."""
    return labels("hosts", hosts, m, np.int64, min(known + m + SPARE_LABELS, MOST_HOSTS - 1))


def ids_of_pages(core: Core, ids: ArrayLike) -> Ids:
    """Ids as whole numbers, every one that of a page."""
    given = whole_ids(ids)
    bad = first_unknown(core.links, int(core.rest[PAGES]), given)
    if bad >= 0:
        raise unknown_id(int(given[bad]), int(core.rest[PAGES]))
    return given
