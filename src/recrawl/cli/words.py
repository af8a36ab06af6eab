"""Words that the shell offers for arguments that take names; nothing heavy is imported for them.

A test holds that they are the names themselves.
"""

VALUES = ("greedy", "greedy-cis", "greedy-cis+", "greedy-ncis", "ncis-approx-1", "ncis-approx-2", "ncis-approx-3")
"""Policies that are crawl values."""
RULES = ("lds", "proportional", "uniform", "nutch", "stormcrawler")
"""Policies that are rules."""
FIGURES = (
    "value",
    "discrete",
    "discrete-rates",
    "partial",
    "partial-rates",
    "noisy",
    "noisy-rates",
    "delay",
    "bandwidth",
    "semisynthetic",
    "quality",
    "saving",
    "estimators-naive",
    "estimators-mle",
    "optimum",
    "late",
    "sources",
    "learning",
)
"""Figures of `recrawl reproduce`."""
