"""The quality of each source of signals in a log, pages taken to be alike; a coincidence of sources counts once."""

import math
from typing import NamedTuple

import numpy as np

from recrawl.errors import InputError, UndeterminedError
from recrawl.learn import LogFile, fit_sources


class Quality(NamedTuple):
    """Of one source; `lone` are its signals between crawls outside of coincidences."""

    lone: int
    recall: float
    recall_error: float
    precision: float
    precision_error: float


def by_source(file: LogFile) -> dict[str, Quality]:
    """Recall and precision by source, each with its standard error; UndeterminedError where the log cannot tell.

    With nu the false and g all signals per unit of time, precision is 1 - nu/g.  g is counted, its variance is g/time,
    and nu goes with it: var = (error of nu/g)^2 - nu^2/(g^3 time), as if the share of false signals and g were
    independent.
    """
    log, lone = file.log, np.column_stack(list(file.sources.values()))
    try:
        found = fit_sources(log.elapsed, lone, file.coincidences, log.changed)  # type: ignore[arg-type]
    except InputError as error:  # nothing in it is the caller's: the log contradicts the model
        raise UndeterminedError(str(error)) from error
    false = found.false_signal_rate
    rate = np.maximum(found.recall * found.change_rate + false, 1e-300)
    spread = (found.false_signal_rate_error / rate) ** 2 - (false / rate) ** 2 / (rate * log.elapsed.sum())
    columns = found.recall, found.recall_error, 1.0 - false / rate, np.sqrt(np.maximum(spread, 0.0))
    rows = zip(lone.sum(axis=0).astype(int).tolist(), *(c.tolist() for c in columns), strict=True)
    return {name: Quality(*row) for name, row in zip(file.sources, rows, strict=True)}


def as_lines(file: LogFile) -> list[str]:
    """For people; nothing where the log does not name two to eight sources."""
    if file.coincidences is None:
        return []
    try:
        found = by_source(file)
    except UndeterminedError as error:
        return [f"by source: {error}", ""]
    rows = [
        f"  {name[:22]:<22}{q.lone:>9,} alone, recall {q.recall:.3f} +- {q.recall_error:.3f}, "
        f"precision {q.precision:.3f} +- {q.precision_error:.3f}"
        for name, q in found.items()
    ]
    rows.append(f"  {'several at once':<22}{int(file.coincidences.sum()):>9,}")
    return ["signals by source, pages taken to be alike, with standard errors:", *rows, ""]


def as_fields(file: LogFile) -> dict[str, object]:
    """For programs: errors that are not finite are null."""
    if file.coincidences is None:
        return {}
    try:
        found = by_source(file)
    except UndeterminedError as error:
        return {"sources_undetermined": str(error)}
    sources = {
        name: {key: value if math.isfinite(value) else None for key, value in q._asdict().items()}
        for name, q in found.items()
    }
    return {"sources": sources, "coincidences": int(file.coincidences.sum())}
