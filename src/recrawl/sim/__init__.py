"""The simulator: Poisson worlds or recorded ones, any policy in them, and how fresh it keeps the copies."""

from recrawl.sim.delays import Constant, Delay, Exponential, Poisson
from recrawl.sim.events import Events
from recrawl.sim.run import Outcomes, Run, Timeline
from recrawl.sim.simulation import simulate
from recrawl.sim.world import World

__all__ = [
    "Constant",
    "Delay",
    "Events",
    "Exponential",
    "Outcomes",
    "Poisson",
    "Run",
    "Timeline",
    "World",
    "simulate",
]
