"""Proportional: twice the changes, twice the crawls; the intuition that Cho and Garcia-Molina refuted."""

import numpy as np

from recrawl.model import Pages
from recrawl.policies.lds import LowDiscrepancy


def proportional(pages: Pages) -> LowDiscrepancy:
    """Crawls evenly spaced, at rates proportional to the change rates; all alike where nothing changes."""
    rates = pages.change_rate
    return LowDiscrepancy(rates if rates.any() else np.ones(len(pages)))
