"""Writes a plan, one row a page: url, rate, interval, threshold, freshness."""

from collections.abc import Sequence

import numpy as np

from recrawl.files import columns as columns_file
from recrawl.optimal import Optimum


def write(path: str, plan: Optimum, urls: Sequence[str] | None) -> None:
    """Write the plan; pages without a url are named by their row, from 0.

    A page that is never crawled has rate 0, interval inf and threshold inf.
    """
    with np.errstate(divide="ignore"):
        interval = 1.0 / plan.rates
    name, pages = ("page", range(len(plan.rates))) if urls is None else ("url", urls)
    columns = {
        name: pages,
        "rate": plan.rates.tolist(),
        "interval": interval.tolist(),
        "threshold": plan.thresholds.tolist(),
        "freshness": plan.page_freshness.tolist(),
    }
    columns_file.write(path, columns)
