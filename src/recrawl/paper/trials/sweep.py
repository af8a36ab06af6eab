"""Contenders compared over numbers of pages, repetition by repetition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recrawl.paper.report.result import Row
from recrawl.paper.settings import QUICK_REPETITIONS, Settings
from recrawl.paper.trials import instances
from recrawl.paper.trials.contest import Contender, Instance, run_trials
from recrawl.sim.statistics import Estimate, paired_difference

Array = NDArray[np.float64]

LARGE = 10_000
"""From this number of pages on the paper draws 10 instances in place of 100."""


@dataclass(frozen=True)
class Sweep:
    """The three parts of a score, one entry a repetition, by (pages, name)."""

    counts: Sequence[int]
    names: Sequence[str]
    freshness: Mapping[tuple[int, str], Array]
    accuracy: Mapping[tuple[int, str], Array]
    expected: Mapping[tuple[int, str], Array]

    def mean(self, m: int, name: str) -> Estimate:
        """Mean freshness."""
        return Estimate.of(self.freshness[m, name])

    def difference(self, m: int, first: str, second: str) -> Estimate:
        """Freshness of ``first`` minus that of ``second``, paired: both ran in the same worlds."""
        return paired_difference(self.freshness[m, first], self.freshness[m, second])

    def expected_difference(self, m: int, first: str, second: str) -> Estimate:
        """The same with the chance of the changes averaged out; for settings without signals."""
        return paired_difference(self.expected[m, first], self.expected[m, second])

    def rows(self) -> list[Row]:
        """All measures, one row a number of pages and contender."""
        measures = {"freshness after warm-up": self.freshness, "accuracy, whole run": self.accuracy}
        if not any(np.isnan(values).any() for values in self.expected.values()):
            measures["expected freshness after warm-up"] = self.expected
        return [
            {"measure": what, "pages": m, "policy": name, **Estimate.of(values[m, name]).columns()}
            for what, values in measures.items()
            for m in self.counts
            for name in self.names
        ]

    def largest_gap(self) -> float:
        """The largest distance between the means of the two measures: what the start and chance make of it."""
        return max(
            abs(float(paired_difference(self.freshness[key], self.accuracy[key]).mean)) for key in self.freshness
        )


def sweep(
    setting: str, counts: Sequence[int], contenders: Mapping[str, Contender], settings: Settings, paper: int
) -> Sweep:
    """Run all contenders on the instances of a setting."""
    kept = settings.page_counts(counts)
    cells = {m: cell(setting, m, settings, paper) for m in kept}
    who = tuple(contenders.values())
    scores = run_trials([(instance, who) for cells_of_m in cells.values() for instance in cells_of_m], settings)

    def columns(field: int) -> dict[tuple[int, str], Array]:
        return {
            (m, name): np.array([scores[instance, c][field] for instance in cells[m]])
            for m in kept
            for name, c in contenders.items()
        }

    return Sweep(kept, list(contenders), columns(0), columns(1), columns(2))


def cell(setting: str, m: int, settings: Settings, paper: int) -> list[Instance]:
    """The instances of one number of pages."""
    large = m >= LARGE
    repetitions = settings.instance_count(
        min(paper, instances.FEW_REPETITIONS) if large else paper, 2 if large else QUICK_REPETITIONS
    )
    horizon, warmup = settings.long(instances.HORIZON), settings.long(instances.WARMUP)
    return [Instance(setting, m, settings.seed + rep, horizon, warmup) for rep in range(repetitions)]


def plain(*policies: str) -> dict[str, Contender]:
    """Policies whose signals come at once, by their own names."""
    return {policy: Contender(policy) for policy in policies}


def described(counts: Sequence[int], settings: Settings, repetitions: int) -> str:
    """What was run, in words."""
    few = " (fewer at 10,000)" if max(counts) >= LARGE and settings.repetitions is None else ""
    return (
        f"m = {', '.join(f'{m:,}' for m in counts)}; R = {instances.RATE:g}, t ≤ {settings.long(instances.HORIZON):g}, "
        f"{settings.instance_count(repetitions)} instances each{few}; freshness is measured from "
        f"t = {settings.long(instances.WARMUP):g} on, accuracy over the whole run"
    )
