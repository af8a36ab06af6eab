"""From the scores of pages to the table: freshness with errors, who was better than whom, and bandwidth."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, log

import numpy as np

from recrawl.paper.report.result import Row
from recrawl.real.resampling import RESAMPLES, Resampling, weighted_mean
from recrawl.real.rivals import ADAPTIVE, NUTCH, SHIPPED, SIGNALLED_FIRST, STORMCRAWLER, UNIFORM
from recrawl.real.settings import NO_SIGNALS, Setting
from recrawl.real.stage import OF_RESAMPLING, Stage, chance, stage
from recrawl.real.trials import OURS, TOLD, TOLD_RATES, Score
from recrawl.sim.events import Times
from recrawl.sim.statistics import Estimate

BEST = " at its best"
RIVALS = (UNIFORM, NUTCH, NUTCH + BEST, STORMCRAWLER, STORMCRAWLER + BEST, SIGNALLED_FIRST)
POLICIES = (*RIVALS, OURS, TOLD_RATES, TOLD)
ANY_RIVAL = "any"
"""The best of uniform, Nutch and StormCrawler, whatever their constants."""
DECIMALS = 14
"""Of freshness.  Further ones are rounding, which nobody must be ahead by."""


@dataclass(frozen=True)
class Cell:
    """One history, budget, importance and quality of signals."""

    setting: Setting
    budget: float
    importance: str
    signals: str


@dataclass(frozen=True)
class Need:
    """The crawls a rival needs for our freshness, over ours: with 95% limits; inf: more than was tried, `most`.

    Fewer than `least` were not tried either.
    """

    times: float
    low: float
    high: float
    least: float
    most: float

    def __str__(self) -> str:
        if not isfinite(self.times):
            return f"> ×{self.most:.3g}"
        return f"{'≤ ' if self.times <= self.least < 1.0 else ''}×{self.times:.3g}"


class Found:
    """All scores, and what follows from them."""

    def __init__(self, scores: Iterable[Score]) -> None:
        self._scores: dict[tuple[Setting, float, str, str, str], list[Score]] = {}
        for score in scores:
            key = (score.setting, score.budget, score.importance, score.signals, score.policy)
            self._scores.setdefault(key, []).append(score)
        self._resamplings: dict[Setting, Resampling] = {}

    @cached_property
    def cells(self) -> list[Cell]:
        """Those in which we ran, in the order of the table."""
        ours = [key[:4] for key in self._scores if key[4] == OURS]
        order = {setting: k for k, setting in enumerate(self.settings)}
        cells = [Cell(*key) for key in ours]
        return sorted(cells, key=lambda cell: (order[cell.setting], cell.importance, cell.signals, cell.budget))

    @cached_property
    def settings(self) -> list[Setting]:
        """Histories as they were run, those of pages there throughout first."""
        return sorted(dict.fromkeys(key[0] for key in self._scores), key=lambda setting: setting.moving)

    def policies(self, cell: Cell) -> list[str]:
        """Who ran in this cell."""
        silent = cell.signals == NO_SIGNALS
        return [name for name in POLICIES if not (silent and name in (SIGNALLED_FIRST, TOLD))]

    def score(self, cell: Cell, policy: str, budget: float | None = None) -> Score:
        """What a policy did in a cell, or at another budget; of several constants those named, or the best."""
        budget = cell.budget if budget is None else budget
        base = policy.removesuffix(BEST)
        if policy == ANY_RIVAL:
            return max((self.score(cell, name, budget) for name in self._rules), key=lambda s: self._mean(cell, s))
        signals = "" if base in (UNIFORM, *ADAPTIVE) else cell.signals
        importance = cell.importance if base in (OURS, TOLD, TOLD_RATES) else ""
        scores = self._scores[cell.setting, budget, importance, signals, base]
        if policy.endswith(BEST):
            return max(scores, key=lambda score: self._mean(cell, score))
        return next(score for score in scores if score.constants in ("", SHIPPED))

    _rules = (UNIFORM, NUTCH + BEST, STORMCRAWLER + BEST)

    def freshness(self, cell: Cell, policy: str) -> Estimate:
        """Freshness, with its error."""
        fresh = self.score(cell, policy).fresh
        return self._estimate(cell, fresh)

    def lead(self, cell: Cell, policy: str) -> Estimate:
        """By how much we are fresher than this policy: the same pages, the same world."""
        return self._estimate(cell, self.score(cell, OURS).fresh - self.score(cell, policy).fresh)

    def need(self, cell: Cell, rival: str) -> Need:
        """What a rival needs to be as fresh as we are: read off its curve over the ladder of budgets."""
        ladder = self._ladder(cell, rival)
        curve = np.array([self.score(cell, rival, budget).fresh for budget in ladder])
        rows = np.vstack((self.score(cell, OURS).fresh, curve))
        weights = stage(cell.setting).weights(cell.importance)
        drawn = np.round(1.0 - self._resampling(cell.setting).means(rows, weights), DECIMALS)
        stale = np.round(1.0 - rows @ weights / weights.sum(), DECIMALS)
        samples = [_budget_for(column[0], column[1:], ladder) for column in drawn.T]
        low, high = np.quantile(samples, (0.025, 0.975), method="nearest") / cell.budget
        return Need(
            _budget_for(float(stale[0]), stale[1:], ladder) / cell.budget,
            float(low),
            float(high),
            ladder[0] / cell.budget,
            ladder[-1] / cell.budget,
        )

    def has_ladder(self, cell: Cell, rival: str) -> bool:
        """Whether the rival ran at more than this budget."""
        return self._ladder(cell, rival)[-1] > cell.budget

    def rows(self) -> list[Row]:
        """The whole table."""
        return [self._row(cell, policy) for cell in self.cells for policy in self.policies(cell)]

    def _row(self, cell: Cell, policy: str) -> Row:
        ready: Stage = stage(cell.setting)
        lead = self.lead(cell, policy)
        return {
            "history": ready.history.name,
            "pages": len(ready.history),
            "which": "come and go" if cell.setting.moving else "throughout",
            "importance": cell.importance,
            "signals": cell.signals,
            "crawls_a_page_month": cell.budget,
            "policy": policy,
            "constants": self.score(cell, policy).constants,
            "lead_of_ours": lead.mean,
            "lead_error": lead.standard_error,
            **self.freshness(cell, policy).columns(),
        }

    def _ladder(self, cell: Cell, rival: str) -> list[float]:
        base = UNIFORM if rival == ANY_RIVAL else rival.removesuffix(BEST)
        return sorted({key[1] for key in self._scores if key[0] == cell.setting and key[4] == base})

    def _mean(self, cell: Cell, score: Score) -> float:
        return round(weighted_mean(score.fresh, stage(cell.setting).weights(cell.importance)), DECIMALS)

    def _estimate(self, cell: Cell, values: Times) -> Estimate:
        weights = stage(cell.setting).weights(cell.importance)
        error = float(self._resampling(cell.setting).means(values[None], weights).std(ddof=1))
        return Estimate(round(weighted_mean(values, weights), DECIMALS) + 0.0, error, RESAMPLES)  # + 0: no -0

    def _resampling(self, setting: Setting) -> Resampling:
        if setting not in self._resamplings:
            pages = len(stage(setting).history)
            self._resamplings[setting] = Resampling(pages, chance(setting.seed, OF_RESAMPLING))
        return self._resamplings[setting]


def _budget_for(goal: float, stale: Times, ladder: Sequence[float]) -> float:
    """The least budget that leaves no more stale than `goal`; inf where the highest that was tried does not reach it.

    Between two that were tried it is read off a straight line in the logarithms of both.

    >>> _budget_for(0.25, np.array([0.8, 0.4, 0.2, 0.1]), [1.0, 2.0, 4.0, 8.0])  # half as stale at twice the budget
    3.2
    """
    reached = np.flatnonzero(stale <= goal)
    if not len(reached):
        return inf
    k = int(reached[0])
    if k == 0:
        return float(ladder[0])
    above, below = float(stale[k - 1]), float(stale[k])
    if below <= 0.0:
        return float(ladder[k])
    share = log(above / goal) / log(above / below)
    return round(float(ladder[k - 1] * (ladder[k] / ladder[k - 1]) ** share), 9)
