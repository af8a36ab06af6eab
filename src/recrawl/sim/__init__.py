"""The simulator: Poisson worlds or recorded ones, any policy in them, and how fresh it keeps the copies."""

from recrawl.model.latencies import Constant, DrawnLatency, Exponential, Poisson
from recrawl.policies.rule import Rule
from recrawl.sim.compare import Comparison, compare
from recrawl.sim.events import Events
from recrawl.sim.expected import expected_freshness
from recrawl.sim.hosts import Hosts
from recrawl.sim.learning import Learned, Learning
from recrawl.sim.loop import drive
from recrawl.sim.repeat import repeat
from recrawl.sim.rules import names
from recrawl.sim.run import Outcomes, Run, Timeline
from recrawl.sim.scheduled import Scheduled
from recrawl.sim.simulation import simulate
from recrawl.sim.statistics import Estimate, paired_difference
from recrawl.sim.trace import Trace
from recrawl.sim.trace_file import read_trace
from recrawl.sim.world import World

__all__ = [
    "Comparison",
    "Constant",
    "DrawnLatency",
    "Estimate",
    "Events",
    "Exponential",
    "Hosts",
    "Learned",
    "Learning",
    "Outcomes",
    "Poisson",
    "Rule",
    "Run",
    "Scheduled",
    "Timeline",
    "Trace",
    "World",
    "compare",
    "drive",
    "expected_freshness",
    "names",
    "paired_difference",
    "read_trace",
    "repeat",
    "simulate",
]
