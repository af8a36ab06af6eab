"""The quality of each source of signals in a log, pages taken to be alike; a coincidence of sources counts once."""

import math
from typing import NamedTuple

import numpy as np

from recrawl.errors import UndeterminedError
from recrawl.learn import LogFile, fit_sources


class Quality(NamedTuple):
    """Of one source; `lone` are its signals between crawls outside of coincidences."""

    lone: int
    recall: float
    recall_error: float
    precision: float
    precision_error: float


def by_source(file: LogFile) -> dict[str, Quality]:
    """Recall and precision by source, each with its standard error; UndeterminedError where the log cannot tell."""
    log, lone = file.log, np.column_stack(list(file.sources.values()))
    assert file.coincidences is not None
    found = fit_sources(log.elapsed, lone, file.coincidences, log.changed)
    columns = found.recall, found.recall_error, found.precision, found.precision_error
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
        f"  {name[:22]:<22}{q.lone:>9,} alone, recall {q.recall:.3f}{_plus_minus(q.recall_error)}, "
        f"precision {q.precision:.3f}{_plus_minus(q.precision_error)}"
        for name, q in found.items()
    ]
    rows.append(f"  {'several at once':<22}{int(file.coincidences.sum()):>9,}")
    return ["signals by source, pages taken to be alike, with standard errors:", *rows, ""]


def _plus_minus(error: float) -> str:
    """Estimates at the end of their range, and those the log cannot tell, have no standard error."""
    return f" +- {error:.3f}" if math.isfinite(error) else " (error not known)"


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
