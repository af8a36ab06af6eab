"""The quality of sources from a joint fit where that holds, else of each alone.

The joint fit (sources.py) takes sources to be independent and their coincidences to be certain news.  Where that is not
so it can be far off and very sure of it.  So it is held against what each source says by itself: an estimate that the
number of signals forbids, or that is far from that of the source alone, discards the joint fit.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recrawl.arguments import numbers
from recrawl.errors import UndeterminedError
from recrawl.learn.fit.alone import Alone, fit_alone
from recrawl.learn.fit.companions import MARGIN, SURE
from recrawl.learn.fit.likelihood import Array
from recrawl.learn.fit.sources import SourceFit, fit_sources


class Contradiction(NamedTuple):
    """What the joint fit says of a source, and the `limit` it should be near ("precision", "recall") or below."""

    source: int
    quantity: str
    together: float
    limit: float


@dataclass(frozen=True)
class SourceQuality:
    """Estimates by source with standard errors; from the joint fit where nothing speaks against it (`joint`)."""

    recall: Array
    recall_error: Array
    precision: Array
    precision_error: Array
    joint: bool
    contradictions: tuple[Contradiction, ...]


def source_quality(
    elapsed: ArrayLike, heard: ArrayLike, lone: ArrayLike, coincidences: ArrayLike, changed: ArrayLike
) -> SourceQuality:
    """Recall and precision of sources: `heard` are all signals of each between crawls, the rest is for `fit_sources`.

    UndeterminedError where the joint fit has no answer.
    """
    counts = numbers("heard", heard)
    alone = [fit_alone(elapsed, counts[:, k], changed) for k in range(counts.shape[1])]
    if len(alone) == 1:
        _require(alone[0])
        return _each_alone(alone, ())
    joint = fit_sources(elapsed, lone, coincidences, changed)
    against = contradictions(joint, alone, counts.sum(axis=0) / float(np.nansum(numbers("elapsed", elapsed))))
    if against:
        return _each_alone(alone, against)
    return SourceQuality(joint.recall, joint.recall_error, joint.precision, joint.precision_error, True, ())


def _require(alone: Alone) -> None:
    if np.isnan(alone.precision) and np.isnan(alone.recall):
        raise UndeterminedError("the source cannot be told: its crawls say neither its recall nor its precision")


def contradictions(joint: SourceFit, alone: list[Alone], rate: Array) -> tuple[Contradiction, ...]:
    """Where a joint fit cannot be right; `rate` is signals of each source per unit of time."""
    found = []
    for k, one in enumerate(alone):
        most = float(rate[k]) / joint.change_rate  # if every signal were true
        if joint.recall[k] > most * (1.0 + MARGIN) + SURE * _or_0(joint.recall_error[k]):
            found.append(Contradiction(k, "signals", float(joint.recall[k]), most))
        for name in ("precision", "recall"):
            value, limit = float(getattr(joint, name)[k]), float(getattr(one, name))
            error, own = float(getattr(joint, name + "_error")[k]), float(getattr(one, name + "_error"))
            if np.isfinite(own) and abs(value - limit) > SURE * np.hypot(_or_0(error), own) + MARGIN:
                found.append(Contradiction(k, name, value, limit))
    return tuple(found)


def _or_0(error: float) -> float:
    """An estimate at the end of its range has no error; it is held to what it says."""
    return float(error) if np.isfinite(error) else 0.0


def _each_alone(alone: list[Alone], against: tuple[Contradiction, ...]) -> SourceQuality:
    recall, recall_error, precision, precision_error = np.array(alone).T
    return SourceQuality(recall, recall_error, precision, precision_error, False, against)
