"""Freshness expected from the crawl times alone, where no policy heard anything.

Without signals a policy's crawls do not depend on the changes, so their chance can be averaged out exactly: the page is
fresh with probability e^(-Delta s) a time s after its crawl.  The mean is that of the measured freshness, without the
noise that hides differences as small as those of GREEDY and LDS.
"""

import numpy as np

from recrawl.model import Pages
from recrawl.sim import Run


def expected_freshness(pages: Pages, run: Run) -> float:
    """Importance-weighted mean over [warmup, horizon], all pages crawled at 0."""
    m = len(pages)
    whose = np.concatenate((np.arange(m), run.crawl_pages))
    begin = np.concatenate((np.zeros(m), run.crawl_times))
    order = np.lexsort((begin, whose))
    whose, begin = whose[order], begin[order]
    end = np.append(begin[1:], run.horizon)
    end[np.append(whose[1:] != whose[:-1], True)] = run.horizon  # the last crawl of a page lasts to the end
    rate = pages.change_rate[whose]
    first, last = (np.maximum(moment, run.warmup) - begin for moment in (begin, end))
    fresh = np.exp(-rate * first) * -np.expm1(-rate * (last - first)) / rate
    return float(pages.importance[whose] @ fresh / (pages.importance.sum() * (run.horizon - run.warmup)))
