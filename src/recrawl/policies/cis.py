"""GREEDY-CIS: believes that no signal is false (gamma := lambda Delta, kappa := inf)."""

import numpy as np

from recrawl.model import Pages
from recrawl.policies.value_policy import ValuePolicy


def with_true_signals(pages: Pages) -> Pages:
    """The same pages with every signal taken at its word: one makes the page certainly stale."""
    return Pages(
        unsignalled_rate=pages.unsignalled_rate,
        signal_weight=np.inf,
        signal_rate=pages.recall * pages.change_rate,
        importance=pages.importance,
    )


GREEDY_CIS = ValuePolicy("greedy-cis", with_true_signals)
