"""What a demo found out."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from recrawl.demo.settings import NAMES, OURS
from recrawl.livingweb.scoring.score import Score

FIRST_QUARTER = 0.25


@dataclass(frozen=True)
class Row:
    """How one crawler did, from when time began.

    ============== ==========================================================================================
    `freshness`    true: share of the time that copies were what is on the web, weighted by importance
    `later`        the same after the first quarter of the time
    `requests`     all of them; `pages`: for pages
    `wasted`       requests for pages that brought the version it had
    `timeline`     freshness in equal parts of the time; NaN for those to come
    ============== ==========================================================================================
    """

    agent: str
    freshness: float
    later: float
    requests: int
    pages: int
    wasted: int
    timeline: tuple[float, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """As it is shown."""
        return NAMES[self.agent]

    @classmethod
    def of(cls, score: Score, at_first: Score) -> "Row":
        """From the score at the end, less what was asked for before time began."""
        timeline = np.array(score.timeline)
        quarter = round(len(timeline) * FIRST_QUARTER)
        return cls(
            agent=score.agent,
            freshness=_mean(timeline),
            later=_mean(timeline[quarter:]),
            requests=score.requests - at_first.requests,
            pages=score.pages - at_first.pages,
            wasted=score.wasted - at_first.wasted,
            timeline=score.timeline,
        )


@dataclass(frozen=True)
class Result:
    """All crawlers, in the same web."""

    rows: tuple[Row, ...]
    days: float
    pages: int
    budget: float
    seconds: float
    learned: dict[str, Any] = field(default_factory=dict)
    """What our crawler knows at the end: its `Status`, as plain values."""
    needs: dict[str, float] = field(default_factory=dict)
    """Times our requests that each rival needs for our freshness, by the simulator; inf: more than was tried."""

    def row(self, agent: str) -> Row:
        """That of a crawler."""
        return next(row for row in self.rows if row.agent == agent)

    @property
    def ours(self) -> Row:
        """That of recrawl."""
        return self.row(OURS)

    @property
    def best_rival(self) -> Row:
        """The freshest of the others."""
        return max((row for row in self.rows if row.agent != OURS), key=lambda row: row.freshness)

    def plain(self) -> dict[str, Any]:
        """As values JSON knows."""
        out = asdict(self)
        for row in out["rows"]:
            row["timeline"] = [None if value != value else round(value, 6) for value in row["timeline"]]
        out["needs"] = {agent: None if times == float("inf") else times for agent, times in self.needs.items()}
        return out


def _mean(values: "np.ndarray[Any, Any]") -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
