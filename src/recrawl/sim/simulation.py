"""`simulate`: one policy in one world."""

import math

from recrawl.engine import Scheduler
from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.policies import ValuePolicy, get
from recrawl.sim.delays import Delay
from recrawl.sim.permits import Schedule, permits
from recrawl.sim.run import Run
from recrawl.sim.world import World

HORIZON = 1000.0


def simulate(
    pages: Pages,
    policy: str | ValuePolicy = "greedy-ncis",
    rate: float = 100.0,
    horizon: float | None = None,
    seed: int = 0,
    *,
    warmup: float = 0.0,
    delay: Delay | None = None,
    discard: float = 0.0,
    bandwidth: Schedule | None = None,
    believed: Pages | None = None,
    world: World | None = None,
) -> Run:
    """What `policy` does to these pages, crawled `rate` times per unit of time up to the horizon (1,000)."""
    if world is None:
        horizon = HORIZON if horizon is None else horizon
        _check_times(horizon, warmup)
        world = World.draw(pages, horizon, seed, delay)
    chosen = get(policy)
    moments = permits(rate, world.horizon, bandwidth)
    scheduler = Scheduler(pages if believed is None else believed, chosen, discard=discard)
    taken = scheduler.replay(moments, world.signal_times, world.signal_pages)
    used = taken >= 0
    return Run(chosen.name, world, pages.importance, moments[used], taken[used], warmup, int((~used).sum()))


def _check_times(horizon: float, warmup: float) -> None:
    if not 0.0 < horizon < math.inf:
        raise InputError(f"horizon must be finite and > 0, got {horizon}", argument="horizon")
    if not 0.0 <= warmup < horizon:
        raise InputError(f"warmup must be in [0, {horizon:g}), before the horizon, got {warmup}", argument="warmup")
