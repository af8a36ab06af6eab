"""The multiplier at which the pages' answers use up the bandwidth.

Theory of operation
-------------------
1. The summed cost S falls as the multiplier (the level) grows; log S against log level is nearly a straight line.
   Importance is scaled so that level 1 is where no page is worth its cost any more: S(1) is the cost of the floors.
2. A small sample of the pages, spread evenly over their order, gives a first guess for a percent of the price.
3. Secant steps in the logarithms, kept inside a bracket (low: S >= budget, high: S < budget); one that would leave it
   bisects it, and when they come from one side only, one overshoots.  Thresholds of the last step are the guesses of
   the next.
4. S may jump (signals so strong that psi is a staircase).  Once the bracket is too narrow to matter, the two answers
   are mixed so that the budget is met exactly: pages then share time between two thresholds of equal value.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recrawl.errors import InfeasibleError
from recrawl.optimal.response import Array, respond

WIDTH = 2e-10
"""Relative width of the bracket below which both ends are the same multiplier."""

EXACT = 1e-12
"""Relative error of the budget below which there is nothing to mix."""

LOWEST = 1e-290
"""Multipliers below this, as a share of the highest, lose digits."""

SAMPLE = 10_000

Progress = Callable[[int, float], None]


@dataclass
class Problem:
    """The columns `respond` takes, and the budget."""

    # alpha, kappa, gamma, mu, delta, cost, floor, floor_x
    columns: tuple[Array, Array, Array, Array, Array, Array, Array, Array]
    budget: float

    def __len__(self) -> int:
        return len(self.columns[0])

    def answer(self, level: float, guess: Array) -> "Answer":
        """Every page's answer to `level`."""
        x = guess.copy()
        rate = np.empty(len(self))
        spent = float(respond(level, *self.columns, x, rate))
        return Answer(level, x, rate, spent)

    def sample(self, size: int) -> "Problem":
        """`size` pages spread by the golden ratio, with their share of the budget."""
        chosen = (np.arange(size) * 0.6180339887498949 % 1.0 * len(self)).astype(np.intp)
        alpha, kappa, gamma, mu, delta, cost, floor, floor_x = (c[chosen] for c in self.columns)
        return Problem((alpha, kappa, gamma, mu, delta, cost, floor, floor_x), self.budget * size / len(self))

    def highest_level(self) -> float:
        """The multiplier from which on no page is worth its cost."""
        mu, delta, cost = self.columns[3], self.columns[4], self.columns[5]
        worth = np.divide(mu, delta * cost, out=np.zeros_like(mu), where=delta > 0.0)
        return float(worth.max(initial=0.0))

    def scaled(self, factor: float) -> "Problem":
        """The same problem with importance in other units."""
        alpha, kappa, gamma, mu, delta, cost, floor, floor_x = self.columns
        return Problem((alpha, kappa, gamma, mu * factor, delta, cost, floor, floor_x), self.budget)

    def nothing_but_floors(self) -> "Answer":
        """The answer at level 1 of a scaled problem, where no page is worth its cost."""
        cost, floor, floor_x = self.columns[5:]
        return Answer(1.0, floor_x.copy(), floor.copy(), float(cost @ floor))

    def most_useful(self) -> float:
        """The most that can be spent to any use: without limit, unless every change of every page is signalled."""
        alpha, _, gamma, mu, delta, cost, floor, _ = self.columns
        worth = (mu > 0.0) & (delta > 0.0)
        if np.any(alpha[worth] > 0.0):
            return math.inf
        return float(cost @ np.maximum(np.where(worth, gamma, 0.0), floor))


@dataclass
class Answer:
    """Thresholds and rates at one multiplier, and their summed cost."""

    level: float
    x: Array
    rate: Array
    spent: float


def search(problem: Problem, progress: Progress | None = None) -> Answer:
    """The answer that spends the budget; the cheapest best one where no more can be spent usefully."""
    top = problem.highest_level()
    unknown = np.full(len(problem), np.nan)
    if top == 0.0:
        return problem.answer(0.0, unknown)
    scaled = problem.scaled(1.0 / top)
    most = scaled.most_useful()
    if most <= problem.budget * (1.0 + 1e-12):
        answer = scaled.answer(0.0, unknown)
    else:
        answer = _Bracket(scaled, WIDTH, progress).close(*_guess(scaled))
    answer.level *= top
    return answer


def _guess(problem: Problem) -> tuple[float, float]:
    """A level near the answer and d log S/d log level there, from a sample where the pages are many."""
    if len(problem) > 4 * SAMPLE:
        sample = problem.sample(SAMPLE)
        floors = float(sample.columns[5] @ sample.columns[6])
        if floors < sample.budget < sample.most_useful() and sample.highest_level() > 0.0:
            level = _Bracket(sample, WIDTH, None).close(0.5, -1.0).level
            x = sample.answer(level, np.full(SAMPLE, np.nan)).x
            low, high = (sample.answer(level * factor, x).spent for factor in (0.98, 1.02))
            if 0.0 < level < 1.0 and 0.0 < high < low:
                return level, math.log(high / low) / math.log(1.02 / 0.98)
    return 0.5, -1.0


class _Bracket:
    """The two answers around the budget, and the steps that narrow them."""

    def __init__(self, problem: Problem, width: float, progress: Progress | None) -> None:
        self.problem = problem
        self.width = width
        self.progress = progress
        self.steps = 0
        self.slope = -1.0
        self.low: Answer | None = None
        self.high = problem.nothing_but_floors()
        self.widths: list[float] = []

    def close(self, level: float, slope: float) -> Answer:
        """Step from `level` until the budget is met, or the bracket too narrow to matter.

        `slope` is a guess of d log S/d log level for the first step.
        """
        self.slope = slope
        before: Answer | None = None
        last = self._try(level, np.full(len(self.problem), np.nan))
        while self._error(last) > EXACT:
            if self.low is None:
                if last.level <= LOWEST:
                    raise InfeasibleError(
                        f"rate {self.problem.budget:.6g} cannot be spent: at the least multiplier that floats hold "
                        f"the pages use {last.spent:.6g}; are rate and change_rate in the same unit?"
                    )
                level = max(self._downwards(last), LOWEST)
            else:
                if math.log(self.high.level / self.low.level) <= self.width:
                    return self._mix(self.low, self.high)
                level = self._between(self.low, before, last)
            before, last = last, self._try(level, last.x)
        return last

    def _error(self, answer: Answer) -> float:
        return abs(answer.spent / self.problem.budget - 1.0)

    def _try(self, level: float, guess: Array) -> Answer:
        answer = self.problem.answer(level, guess)
        if answer.spent >= self.problem.budget:
            self.low = answer
        else:
            self.high = answer
        self._report(answer)
        return answer

    def _report(self, answer: Answer) -> None:
        self.steps += 1
        if self.progress is not None:
            self.progress(self.steps, self._error(answer))

    def _downwards(self, last: Answer) -> float:
        """A level below, with strides that double: S ~ 1/level is only a guess."""
        ratio = max(last.spent / self.problem.budget, 0.05)
        return min(ratio, 0.98, math.pow(0.5, math.ldexp(1.0, self.steps - 2))) * last.level

    def _between(self, low: Answer, before: Answer | None, last: Answer) -> float:
        """The secant through the last two answers (to begin with, the given slope), or the middle."""
        a, b = math.log(low.level), math.log(self.high.level)
        self.widths.append(b - a)
        slow = len(self.widths) > 2 and self.widths[-1] > 0.1 * self.widths[-3]
        if len(self.widths) > 4 and self.widths[-1] > 0.5 * self.widths[-5]:
            self.widths.clear()
            return math.exp(0.5 * (a + b))
        middle = math.exp(0.5 * (a + b))
        if last.spent <= 0.0:
            return middle
        if before is not None and 0.0 < before.spent != last.spent:
            self.slope = math.log(last.spent / before.spent) / math.log(last.level / before.level)
        logarithm = math.log(last.level) + math.log(self.problem.budget / last.spent) / self.slope
        if slow:  # steps come from one side only: overshoot, so that the bracket closes from the other
            logarithm += 3.0 * (logarithm - math.log(last.level))
        return math.exp(logarithm) if a < logarithm < b else middle

    def _mix(self, low: Answer, high: Answer) -> Answer:
        gap = low.spent - high.spent
        share = min(max((self.problem.budget - high.spent) / gap, 0.0), 1.0) if gap > 0.0 else 1.0
        rate = share * low.rate + (1.0 - share) * high.rate
        mixed = Answer(low.level, low.x, rate, share * low.spent + (1.0 - share) * high.spent)
        self._report(mixed)
        return mixed
