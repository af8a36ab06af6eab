"""The quality of each source of signals in a log, pages taken to be alike; a coincidence of sources counts once."""

import math
from typing import NamedTuple

import numpy as np

from recrawl.cli import layout
from recrawl.errors import UndeterminedError
from recrawl.learn import LogFile
from recrawl.learn.fit.source_quality import Contradiction, source_quality

_NAME = 26


class Quality(NamedTuple):
    """Of one source; `heard` are its signals between crawls, `lone` those outside of coincidences."""

    heard: int
    lone: int
    recall: float
    recall_error: float
    precision: float
    precision_error: float


class Found(NamedTuple):
    """The quality of each source, whether sources were judged together, and what spoke against it."""

    qualities: dict[str, Quality]
    joint: bool
    contradictions: tuple[Contradiction, ...]


def by_source(file: LogFile) -> Found:
    """Recall and precision by source, each with its standard error; UndeterminedError where the log cannot tell."""
    log, signals = file.log, file.sources
    heard, lone = (np.column_stack(list(counts.values())) for counts in (signals.heard, signals.lone))
    assert signals.coincidences is not None
    found = source_quality(log.elapsed, heard, lone, signals.coincidences, log.changed)
    sums = (counts.sum(axis=0).astype(int).tolist() for counts in (heard, lone))
    columns = found.recall, found.recall_error, found.precision, found.precision_error
    rows = zip(*sums, *(c.tolist() for c in columns), strict=True)
    qualities = {name: Quality(*row) for name, row in zip(signals.heard, rows, strict=True)}
    return Found(qualities, found.joint, found.contradictions)


# -- for people --------------------------------------------------------------------------------------------------------


def as_lines(file: LogFile, width: int = 80) -> list[str]:
    """For people; nothing where the log does not name two to eight sources."""
    if file.sources.coincidences is None:
        return []
    try:
        found = by_source(file)
    except UndeterminedError as error:
        return [*layout.lines(f"by source: {error}", width), *_wrapped(_mirrors(file), width), ""]
    how = "judged together" if found.joint else "each judged by itself"
    rows = [
        [
            name[:_NAME],
            f"{q.heard:,}",
            f"{q.lone:,}",
            _with_error(q.recall, q.recall_error),
            _with_error(q.precision, q.precision_error),
        ]
        for name, q in found.qualities.items()
    ]
    rows.append(["several at once", f"{int(file.sources.coincidences.sum()):,}", "", "", ""])
    return [
        *layout.lines(f"signals by source ({how}; pages alike), +- standard error:", width),
        *layout.table(["", "signals", "alone", "recall", "precision"], rows, width),
        *_wrapped(_mirrors(file) + _against(file, found), width),
        "",
    ]


def _wrapped(texts: list[str], width: int) -> list[str]:
    return [line for text in texts for line in layout.lines(text, width)]


def _with_error(value: float, error: float) -> str:
    """Estimates at the end of their range, and those the log cannot tell, have no standard error."""
    if math.isnan(value):
        return "-"
    return f"{value:.3f} +- {error:.3f}" if math.isfinite(error) else f"{value:.3f} +- ?"


def _mirrors(file: LogFile) -> list[str]:
    return [
        f"{m.copy} repeats {m.original}, so the two count as one source, here and in the estimates: {m.share:.0%} of "
        f"its signals come {_near(m.within)} one of the other's; independent sources: {_at_most(m.independent)}"
        for m in file.sources.mirrors
    ]


def _against(file: LogFile, found: Found) -> list[str]:
    """Why sources were not judged together, where they were not."""
    texts = []
    if found.contradictions:
        texts.append(
            "not judged together: that takes sources to be independent, and their signals of one change to come within "
            "--coincidence of each other. It would give"
        )
        texts += [f"- {_contradiction(list(found.qualities), c)}" for c in found.contradictions]
    texts += [
        f"{pair.share:.0%} of the signals of {pair.a} come with one of {pair.b}; independent sources: "
        f"{_at_most(pair.independent)}"
        for pair in file.sources.dependent
    ]
    if found.contradictions and not file.sources.dependent:
        texts.append("if signals of one change come further apart, try a longer --coincidence")
    return texts


def _contradiction(names: list[str], c: Contradiction) -> str:
    if c.quantity == "signals":
        return f"{names[c.source]}: recall {c.together:.3f}, but its signals are enough for {c.limit:.3f}"
    return f"{names[c.source]}: {c.quantity} {c.together:.3f}, but {c.limit:.3f} by itself"


def _near(within: float) -> str:
    return f"within {within:.3g} of" if within > 0.0 else "at the moment of"


def _at_most(share: float) -> str:
    return f"at most {share:.0%}"


# -- for programs ------------------------------------------------------------------------------------------------------


def as_fields(file: LogFile) -> dict[str, object]:
    """For programs: what is not finite is null."""
    if file.sources.coincidences is None:
        return {}
    told: dict[str, object] = {
        "mirrors": [vars(mirror) for mirror in file.sources.mirrors],
        "dependent": [vars(pair) for pair in file.sources.dependent],
    }
    try:
        found = by_source(file)
    except UndeterminedError as error:
        return {"sources_undetermined": str(error), **told}
    names = list(found.qualities)
    sources = {
        name: {key: value if math.isfinite(value) else None for key, value in q._asdict().items()}
        for name, q in found.qualities.items()
    }
    against = [{**c._asdict(), "source": names[c.source]} for c in found.contradictions]
    return {
        "sources": sources,
        "sources_judged": "together" if found.joint else "each by itself",
        "contradictions": against,
        "coincidences": int(file.sources.coincidences.sum()),
        **told,
    }
