"""What leaning on a group is worth.

    python docs/figures/leaning_table.py

Mean loss of predictions of new crawls, beyond that of the truth, in 1e-4 nats a crawl. Seeds 1 and 2.
"""

import sys

import numpy as np

from recrawl.bench.mix import paper_mix
from recrawl.learn import CrawlLog, fit, fit_pages
from recrawl.model import Pages

PAGES = 2_000
ALONE = 300
CASES = ((True, 50, 5), (True, 50, 20), (True, 500, 10), (False, 50, 10), (False, 50, 100))


def world(hosts: int, crawls: int, shared: bool) -> tuple[Pages, np.ndarray, CrawlLog]:
    """Pages, their hosts, and a log of about so many crawls each; quality is the host's, or hosts mean nothing."""
    rng = np.random.default_rng(1)
    host = rng.integers(hosts, size=PAGES)
    if shared:
        precision, recall = rng.uniform(0.2, 0.95, size=(2, hosts))
        pages = Pages.from_quality(rng.uniform(0.05, 1.0, size=PAGES), 1.0, precision[host], recall[host])
    else:
        pages = paper_mix(PAGES, 1)
    page = np.repeat(np.arange(PAGES), rng.poisson(crawls, size=PAGES) + 1)
    elapsed = rng.exponential(2.0, size=len(page))
    hidden = rng.poisson(pages.unsignalled_rate[page] * elapsed)
    true = rng.poisson((pages.signal_rate - pages.false_signal_rate)[page] * elapsed)
    false = rng.poisson(pages.false_signal_rate[page] * elapsed)
    names = [str(i) for i in range(PAGES)]
    return pages, host.astype(str), CrawlLog.from_intervals(names, page, elapsed, true + false, hidden + true > 0)


def loss(truth: Pages, found: Pages) -> float:
    """Kullback-Leibler divergence of the outcomes of new crawls, 50 a page."""
    rng = np.random.default_rng(2)
    page = np.repeat(np.arange(len(truth)), 50)
    elapsed = rng.exponential(2.0, size=len(page))
    n = rng.poisson(truth.signal_rate[page] * elapsed)
    p, q = (
        np.clip(np.exp(-(x.unsignalled_rate[page] * elapsed + x.signal_weight[page] * n)), 1e-6, 1.0 - 1e-6)
        for x in (truth, found)
    )
    return 1e4 * float(np.mean(p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))))


def alone(log: CrawlLog) -> Pages:
    """The first pages by their own maximum likelihood, infinite estimates cut at 20."""
    found = np.zeros((ALONE, 2))
    for i in range(ALONE):
        mine = log.page == i
        found[i] = np.minimum(fit(log.elapsed[mine], log.signals[mine], log.changed[mine]).solution.theta, 20.0)
    return Pages(found[:, 0], found[:, 1], 1.0, 1.0)


def main() -> None:
    """Print a line for each case."""
    for shared, hosts, crawls in CASES:
        pages, host, log = world(hosts, crawls, shared)
        one = fit(log.elapsed, log.signals, log.changed)
        same = Pages(np.full(PAGES, one.unsignalled_rate), one.signal_weight, one.signal_rate, 1.0)
        by_host = fit_pages(log, host)
        sys.stdout.write(
            f"{'quality by host' if shared else 'hosts mean nothing':<20}{hosts:>5} hosts {crawls:>4} crawls:"
            f" one fit {loss(pages, same):7.0f}  alone {loss(pages[:ALONE], alone(log)):7.0f}"
            f"  all {loss(pages, fit_pages(log).pages):6.0f}  host {loss(pages, by_host.pages):6.0f}"
            f"  (begun with {by_host.group_start:g} pages)\n"
        )


if __name__ == "__main__":
    main()
