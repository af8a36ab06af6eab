"""A web on loopback whose pages change, and whose true freshness is known."""

from recrawl.livingweb.changing import Builds, Bursty, Daily, Poisson, Replay
from recrawl.livingweb.plan import FeedPlan, HostPlan, PingPlan, SitemapPlan
from recrawl.livingweb.presets import demo, hostile, many
from recrawl.livingweb.scoring.score import Score
from recrawl.livingweb.web import LivingWeb
from recrawl.livingweb.world import World

__all__ = [
    "Builds",
    "Bursty",
    "Daily",
    "FeedPlan",
    "HostPlan",
    "LivingWeb",
    "PingPlan",
    "Poisson",
    "Replay",
    "Score",
    "SitemapPlan",
    "World",
    "demo",
    "hostile",
    "many",
]
