"""How many requests the rivals would need to be as fresh as our crawler was: by the simulator, at higher budgets."""

import numpy as np

from recrawl.demo.settings import EQUAL, NUTCH, STORMCRAWLER
from recrawl.histories import History
from recrawl.sim.due_loop import Loop, nutch_rule, stormcrawler_rule, uniform
from recrawl.sim.events import Times
from recrawl.sim.histories import world_of
from recrawl.sim.permits import permits
from recrawl.sim.run import Run

RULES: dict[str, Loop] = {EQUAL: uniform, NUTCH: nutch_rule, STORMCRAWLER: stormcrawler_rule}
MOST = 64.0
"""Times our requests: more is not tried."""
STEP = 1.05


def needs(past: History, importance: Times, rate: float, freshness: float) -> dict[str, float]:
    """Times `rate` that each rival needs for this freshness; inf where it is more than MOST."""
    world = world_of(past)
    found = {}
    for agent, loop in RULES.items():
        times, before = 1.0, (0.0, 0.0)
        while True:
            moments = permits(rate * times, past.end)
            got = Run(agent, world, importance, moments, loop(world, moments)).freshness
            if got >= freshness:
                found[agent] = _between(before, (times, got), freshness)
                break
            if times >= MOST:
                found[agent] = float("inf")
                break
            before, times = (times, got), min(times * STEP, MOST)
    return found


def _between(low: tuple[float, float], high: tuple[float, float], freshness: float) -> float:
    """Where a line between two budgets and what they brought meets the freshness."""
    if low[0] == 0.0:
        return 1.0
    return float(np.interp(freshness, (low[1], high[1]), (low[0], high[0])))
