"""Fits of whole logs, of one page and of its intervals, reading a log, and learning while crawling, one core."""

import csv
import os
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from recrawl.bench.mix import paper_mix
from recrawl.bench.timing import best_of
from recrawl.learn import CrawlLog, Learner, fit, fit_pages, read_log

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = 20_000
CRAWLS = 20
HOSTS = 200
BATCH = 10_000

NOTES = (
    f"logs of {CRAWLS} crawls a page at exponential intervals of mean 2, pages of the paper's noisy setting",
    f"by host: {HOSTS} hosts; how far each leans on the population is tried on 2,000 pages first",
    f"Learner: the same outcomes, page after page in batches of {BATCH:,}, refreshes of the priors included",
    "goal: 200,000 outcomes a second",
)


def log_of(m: int, seed: int = 0) -> CrawlLog:
    """A log of the paper's pages, drawn from their hidden processes."""
    pages, rng = paper_mix(m, seed), np.random.default_rng(seed)
    page = np.repeat(np.arange(m), CRAWLS)
    elapsed = rng.exponential(2.0, size=len(page))
    hidden = rng.poisson(pages.unsignalled_rate[page] * elapsed)
    true = rng.poisson((pages.signal_rate - pages.false_signal_rate)[page] * elapsed)
    false = rng.poisson(pages.false_signal_rate[page] * elapsed)
    return CrawlLog.from_intervals([str(i) for i in range(m)], page, elapsed, true + false, hidden + true > 0)


def run(pages: int | None) -> list[dict[str, Any]]:
    """Seconds, and pages, intervals or rows a second."""
    m = pages or PAGES
    log = log_of(m)
    hosts = [str(i % HOSTS) for i in range(m)]
    one = partial(fit, log.elapsed, log.signals, log.changed)
    calls: dict[str, tuple[Callable[[], object], int, str]] = {
        "fit_pages, one pool": (partial(fit_pages, log), m, "pages"),
        "fit_pages, by host": (partial(fit_pages, log, hosts), m, "pages"),
        "fit": (one, len(log), "intervals"),
        "fit and its intervals": (lambda: one().interval(0.95), len(log), "intervals"),
    }
    calls |= _learning(log, hosts)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        _write(path, log)
        calls["read_log, CSV"] = (partial(read_log, path), len(log), "rows")
        for name, (call, count, unit) in calls.items():
            (seconds,) = best_of(2, call)
            rows.append({"what": name, "count": count, "of": unit, "seconds": seconds, "per_second": count / seconds})
    return rows


def _learning(log: CrawlLog, hosts: list[str]) -> "dict[str, tuple[Callable[[], object], int, str]]":
    numbers = np.array([int(host) for host in hosts])
    made = Learner(len(numbers))
    return {
        "Learner.observe, level given": (partial(_observe, log, None, 1.0), len(log), "outcomes"),
        "Learner.observe, by host, level given": (partial(_observe, log, numbers, 1.0), len(log), "outcomes"),
        "Learner.observe, level found": (partial(_observe, log, None, None), len(log), "outcomes"),
        "Learner.pages": (made.pages, len(numbers), "pages"),
    }


def _observe(log: CrawlLog, hosts: "np.ndarray | None", level: float | None) -> Learner:
    """All outcomes to a new learner, round by round."""
    m = int(log.page.max()) + 1
    learner = Learner(m, hosts, now=0.0)
    order = np.argsort(np.arange(len(log)) % CRAWLS, kind="stable")
    for begin in range(0, len(log), BATCH):
        part = order[begin : begin + BATCH]
        now = 2.0 * (begin + BATCH) / m
        learner.observe(log.page[part], log.elapsed[part], log.signals[part], log.changed[part], now, level)
    return learner


def _write(path: str, log: CrawlLog) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("page", "elapsed", "signals", "changed"))
        columns = (log.page, log.elapsed, log.signals.astype(int), log.changed.astype(int))
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
