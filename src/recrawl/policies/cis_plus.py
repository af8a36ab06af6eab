"""GREEDY-CIS+: trusts signals only where they deserve it; CIS there, GREEDY elsewhere."""

from functools import partial

import numpy as np

from recrawl.errors import InputError
from recrawl.model import Pages
from recrawl.policies.cis import with_true_signals
from recrawl.policies.value_policy import ValuePolicy


def greedy_cis_plus(precision: float = 0.7, recall: float = 0.6) -> ValuePolicy:
    """CIS for pages with precision and recall above these bounds (the paper's by default), GREEDY for the rest."""
    for name, bound in (("precision", precision), ("recall", recall)):
        if not 0.0 <= bound <= 1.0:
            raise InputError(f"{name} must be in [0, 1], got {bound}", argument=name)

    default = (precision, recall) == (0.7, 0.6)
    name = "greedy-cis+" if default else f"greedy-cis+({precision:g},{recall:g})"
    return ValuePolicy(name, partial(_believe, precision, recall))


def _believe(precision: float, recall: float, pages: Pages) -> Pages:
    trusted = (pages.precision > precision) & (pages.recall > recall)
    cis, greedy = with_true_signals(pages), pages.without_signals()
    return Pages(*(np.where(trusted, a, b) for a, b in zip(cis.columns, greedy.columns, strict=True)))


GREEDY_CIS_PLUS = greedy_cis_plus()
