"""What is run: each trial is one history at one budget, crawled by rivals or by us."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from recrawl.histories import History
from recrawl.real.rivals import SIGNALLED_FIRST, rivals
from recrawl.real.settings import BUDGETS, IMPORTANCES, MAIN_SIGNALS, NO_SIGNALS, SIGNALS, Setting, Settings
from recrawl.real.stage import Stage, stage, world
from recrawl.sim import Learning, simulate
from recrawl.sim.coming_and_going import Learns, Told, run
from recrawl.sim.due_loop import Loop, signalled_first
from recrawl.sim.events import Ids, Times
from recrawl.sim.histories import true_pages
from recrawl.sim.moving_loop import learn_while_pages_move
from recrawl.sim.world import World
from recrawl.urls.folders import folder_ids

LEAST_CHANGES = 0.5
"""What hindsight tells of a page that never changed, where pages come and go: enough to be worth a first crawl."""

OURS, TOLD, TOLD_RATES = "greedy-ncis:learn", "greedy-ncis", "greedy"


class Score(NamedTuple):
    """What a policy did to each page: the share of the time that its copy was fresh.

    `signals` and `importance` are blank where the policy takes no notice of them.
    """

    setting: Setting
    budget: float
    signals: str
    importance: str
    policy: str
    constants: str
    fresh: Times


@dataclass(frozen=True)
class RivalTrial:
    """All rivals at one budget; they take no notice of importance, and all but one of no signals."""

    setting: Setting
    budget: float
    signals: tuple[str, ...]

    def scores(self) -> list[Score]:
        """Run them."""
        ready = stage(self.setting)
        silent = world(self.setting, NO_SIGNALS)
        found = [
            Score(self.setting, self.budget, "", "", policy, constants, _rule(loop, silent, ready, self.budget))
            for policy, constants, loop in rivals(self.budget)
        ]
        for name in self.signals:
            fresh = _rule(signalled_first, world(self.setting, name), ready, self.budget)
            found.append(Score(self.setting, self.budget, name, "", SIGNALLED_FIRST, "", fresh))
        return found


@dataclass(frozen=True)
class OurTrial:
    """Ours at one budget, with signals of one quality: learning, and told what only hindsight knows."""

    setting: Setting
    budget: float
    signals: str
    importance: str

    def scores(self) -> list[Score]:
        """Run them."""
        policies = [OURS, TOLD_RATES] + ([TOLD] if self.signals != NO_SIGNALS else [])
        crawled = _moving if self.setting.moving else _throughout
        return [
            Score(self.setting, self.budget, self.signals, self.importance, policy, "", crawled(self, policy))
            for policy in policies
        ]


Trial = RivalTrial | OurTrial


def trials(settings: Settings) -> Iterator[Trial]:
    """All of them, the histories one after the other."""
    for stem in settings.stems:
        still, moving = settings.setting(stem, False), settings.setting(stem, True)
        heard = tuple(name for name in settings.signals if name != NO_SIGNALS)
        yield from (
            OurTrial(still, budget, signals, importance)
            for budget in sorted(BUDGETS, reverse=True)
            for signals in settings.signals
            for importance in IMPORTANCES
        )
        yield from (RivalTrial(still, budget, heard) for budget in sorted(settings.ladder, reverse=True))
        yield from (
            OurTrial(moving, budget, signals, importance)
            for budget in sorted(settings.moving_budgets, reverse=True)
            for importance, signals in settings.moving_cells
        )
        yield from (RivalTrial(moving, budget, (MAIN_SIGNALS,)) for budget in settings.moving_budgets)


def scores_of(trial: Trial) -> list[Score]:
    """Run a trial: a function of a module, for worker processes."""
    return trial.scores()


def _rule(loop: Loop, where: World, ready: Stage, budget: float) -> Times:
    done = run(loop, where, ready.importance["equal"], ready.rate(budget), ready.warmup, "rival")
    return done.page_freshness


def _throughout(trial: OurTrial, policy: str) -> Times:
    ready = stage(trial.setting)
    pages = true_pages(ready.history, ready.importance[trial.importance], SIGNALS[trial.signals])
    where = world(trial.setting, trial.signals)
    learning = _learning_of(ready.history) if policy == OURS else None
    rate, warmup = ready.rate(trial.budget), ready.warmup
    return simulate(
        pages, TOLD if learning else policy, rate, world=where, warmup=warmup, believed=learning
    ).page_freshness


def _moving(trial: OurTrial, policy: str) -> Times:
    ready = stage(trial.setting)
    where, importance = world(trial.setting, trial.signals), ready.importance[trial.importance]
    pages = true_pages(ready.history, importance, SIGNALS[trial.signals], LEAST_CHANGES)
    learning = _learning_of(ready.history)
    crawler: Loop | Told = Told(where, pages, policy) if policy != OURS else partial(_learns, importance, learning)
    return run(crawler, where, importance, ready.rate(trial.budget), ready.warmup, policy).page_freshness


def _learning_of(history: History) -> Learning:
    """Nothing is known but the paths of the pages, which any crawler knows."""
    return Learning(folders=folder_ids(history.paths))


def _learns(importance: Times, learning: Learning, where: World, moments: Times) -> Ids:
    return learn_while_pages_move(Learns(where, importance, TOLD, learning), where, moments)
