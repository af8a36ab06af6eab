"""GREEDY: believes that there are no signals, so that every change goes unannounced (alpha := Delta)."""

from recrawl.model import Pages
from recrawl.policies.value_policy import ValuePolicy

GREEDY = ValuePolicy("greedy", Pages.without_signals)
