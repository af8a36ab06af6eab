"""Standard errors of the precision of sources, against the spread over fits."""

from types import SimpleNamespace

import numpy as np
import pytest

from recrawl.cli.fit.by_source import by_source
from recrawl.learn import CrawlLog
from recrawl.learn.logs.by_source import BySource


def log_file(rng, recall, false, n=3_000):
    """n crawls of a page that changes .8 times a unit, as `read_log` would hand them over."""
    elapsed = rng.exponential(1.0, n) + 0.05
    changes = rng.poisson(0.8 * elapsed)
    whose = np.repeat(np.arange(n), changes)
    told = rng.random((len(whose), len(recall))) < recall
    count = told.sum(axis=1)
    lone = rng.poisson(np.outer(elapsed, false)).T
    sources = {str(k): np.bincount(whose[(count == 1) & told[:, k]], minlength=n) + lone[k] for k in range(len(recall))}
    log = CrawlLog.from_intervals("a", np.zeros(n, dtype=int), elapsed, sum(sources.values()), changes > 0)
    heard = {
        name: alone + np.bincount(whose[(count > 1) & told[:, int(name)]], minlength=n)
        for name, alone in sources.items()
    }
    both = np.bincount(whose[count > 1], minlength=n)
    return SimpleNamespace(log=log, sources=BySource(heard, sources, both))


@pytest.mark.parametrize(("recall", "false"), [([0.6, 0.3], [0.4, 0.9]), ([0.05, 0.6], [0.9, 0.05])])
def test_standard_errors_of_precision_are_about_the_spread(recall, false):
    """60 fits: within 30%, 3.3 standard deviations of the spread's own chance: false alarm 1e-3 a number."""
    rng = np.random.default_rng(3)
    fits = [list(by_source(log_file(rng, recall, false)).qualities.values()) for _ in range(60)]
    found, said = (
        np.array([[getattr(q, name) for q in fit] for fit in fits]) for name in ("precision", "precision_error")
    )
    truth = 0.8 * np.array(recall) / (0.8 * np.array(recall) + false)
    spread = found.std(axis=0, ddof=1)
    assert np.all(np.abs(found.mean(axis=0) - truth) < 5.0 * spread / np.sqrt(60))  # false alarm 6e-7 a number
    assert np.all(np.abs(said.mean(axis=0) / spread - 1.0) < 0.3)
