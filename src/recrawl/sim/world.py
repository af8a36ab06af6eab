"""What happens to the pages, whoever crawls them: changes, signals and requests, drawn once from a seed."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recrawl.arguments import above
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.model.latencies import DrawnLatency
from recrawl.model.sources import Sources
from recrawl.sim.events import Events, Ids, Times
from recrawl.sim.presence import Presence
from recrawl.sim.trace import Trace

MOST_EVENTS = 3e8
"""Expected events of one kind above which drawing them is refused: some gigabytes."""


@dataclass(frozen=True)
class World:
    """The events of m pages from 0 to the horizon.

    Nothing here depends on a policy, so that policies run in one world differ by what they do and nothing else.
    Signals are in order of arrival; those that arrive after the horizon are left out.  `signal_true` says which have a
    change behind them (None in a trace, which does not tell), `signal_sources` who sent them where there are several,
    `signal_happened` when they say that the change was (NaN where they do not, None where none does).
    Requests are drawn when first asked for.  `presence` is None where all pages are there throughout.
    """

    horizon: float
    changes: Events
    signal_times: Times
    signal_pages: Ids
    signal_true: NDArray[np.bool_] | None = None
    signal_sources: Ids | None = None
    signal_happened: Times | None = None
    given_requests: Events | None = None
    presence: Presence | None = None
    _importance: Times = field(default_factory=lambda: np.empty(0), repr=False)
    _request_seed: np.random.SeedSequence | None = field(default=None, repr=False)

    @classmethod
    def draw(
        cls,
        pages: Pages,
        horizon: float,
        seed: int = 0,
        latency: DrawnLatency | None = None,
        sources: Sources | None = None,
        source_class: Ids | None = None,
    ) -> Self:
        """Poisson events of these pages; their signals are those of `sources` where there are several.

        Each kind of event has a stream of chance of its own, a child of `seed`: another latency keeps the changes and
        which of them are announced.  A false signal has no latency: late or not, such signals are one Poisson process.

        >>> from recrawl.sim import Constant
        >>> pages = Pages.from_rates(change_rate=[1.0, 2.0], importance=1.0, recall=0.5)
        >>> world, late = World.draw(pages, 100.0, seed=1), World.draw(pages, 100.0, seed=1, latency=Constant(2.0))
        >>> bool((world.changes.times == late.changes.times).all())
        True
        """
        _check_draw(horizon, seed, latency)
        for name, rates in (("change_rate", pages.change_rate), ("signal_rate", pages.signal_rate)):
            _check_size(name, float(rates.sum()), horizon)
        of_changes, of_marks, of_false, of_requests, of_delays = np.random.SeedSequence(seed).spawn(5)
        changes = Events.poisson(pages.change_rate, horizon, np.random.default_rng(of_changes))
        marks, errors, lengths = (np.random.default_rng(each) for each in (of_marks, of_false, of_delays))
        quality = [(pages.recall, pages.false_signal_rate)]
        if sources is not None:
            quality = quality_of(pages, sources, source_class)
        parts = [_signals(changes, *each, horizon, (marks, errors, lengths), latency) for each in quality]
        times, whose, true = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        senders = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        order = np.argsort(times, kind="stable")
        order = order[: np.searchsorted(times[order], horizon, side="right")]
        return cls(
            horizon,
            changes,
            times[order],
            whose[order],
            true[order],
            None if sources is None else senders[order],
            _importance=pages.importance,
            _request_seed=of_requests,
        )

    @classmethod
    def from_trace(cls, trace: Trace, horizon: float | None = None) -> Self:
        """Recorded events up to the horizon (default: the last event)."""
        end = float(trace.times[-1]) if horizon is None else horizon
        if not 0.0 < end < np.inf:
            raise InputError(f"horizon must be finite and > 0, got {end}", argument="horizon")
        kept = trace.until(end)
        if len(kept.times) == 0:
            first = float(trace.times[0])
            raise InputError(f"horizon must not be before the first event, at {first:g}, got {end:g}", "horizon")
        whose, arrivals = kept.only("signal")
        later = arrivals > 0.0  # a signal at 0 comes before the crawl that every page gets at 0
        whose, arrivals = whose[later], arrivals[later]
        return cls(end, kept.grouped("change"), arrivals, whose, given_requests=kept.grouped("request"))

    def of_sources(self, heard: NDArray[np.bool_]) -> "World":
        """The same world where only these of its signals are heard, and nobody says who sent them."""
        true = None if self.signal_true is None else self.signal_true[heard]
        return replace(
            self,
            signal_times=self.signal_times[heard],
            signal_pages=self.signal_pages[heard],
            signal_true=true,
            signal_sources=None,
            signal_happened=None if self.signal_happened is None else self.signal_happened[heard],
        )

    def __len__(self) -> int:
        """How many pages there are."""
        return len(self.changes.start) - 1

    @cached_property
    def requests(self) -> Events:
        """Requests by page, at a rate of the importance where they are drawn."""
        if self.given_requests is not None:
            return self.given_requests
        _check_size("importance", float(self._importance.sum()), self.horizon)
        return Events.poisson(self._importance, self.horizon, np.random.default_rng(self._request_seed))


def quality_of(pages: Pages, sources: Sources, source_class: Ids | None) -> list[tuple[Times, Times]]:
    """Recall and false signals per unit of time of each page, source by source."""
    whose = np.arange(len(pages)) if source_class is None else source_class
    if len(whose) != len(pages) or not np.all((whose >= 0) & (whose < len(sources))):
        raise InputError(
            f"source_class must give each of {len(pages)} pages one of {len(sources)} classes", "source_class"
        )
    recall, false = sources.recall[whose], sources.false_per_change[whose] * pages.change_rate[:, None]
    return [(recall[:, k], false[:, k]) for k in range(sources.count)]


def _signals(
    changes: Events,
    recall: Times,
    false_rate: Times,
    horizon: float,
    chance: tuple[np.random.Generator, np.random.Generator, np.random.Generator],
    latency: DrawnLatency | None,
) -> tuple[Times, Ids, NDArray[np.bool_]]:
    """Arrivals of one source's signals, their pages, and which are true: first the true ones, then the false."""
    marks, errors, lengths = chance
    told = np.flatnonzero(marks.random(len(changes)) < np.repeat(recall, changes.counts))
    arrivals = changes.times[told]
    if latency is not None:
        arrivals = arrivals + latency.draw(lengths, len(arrivals))
    false = Events.poisson(false_rate, horizon, errors)
    times = np.concatenate((arrivals, false.times))
    return times, np.concatenate((changes.pages[told], false.pages)), np.arange(len(times)) < len(arrivals)


def _check_draw(horizon: float, seed: int, latency: DrawnLatency | None) -> None:
    above("horizon", horizon, 0.0, finite=True)
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number >= 0, got {seed!r}", argument="seed")
    if latency is not None and not hasattr(latency, "draw"):
        raise InputError(
            f"latency must be a distribution, got {latency!r:.80}; e.g. sim.Constant(0.5)", argument="latency"
        )


def _check_size(name: str, rate: float, horizon: float) -> None:
    if rate * horizon > MOST_EVENTS:
        remedy = (
            "scale it down, or read freshness, which needs no requests" if name == "importance" else "lower horizon"
        )
        raise InputError(
            f"{name} must give at most {MOST_EVENTS:.0e} events, got {rate * horizon:.2g} by {horizon:g}; {remedy}",
            name,
        )
