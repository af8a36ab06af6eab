"""Makes files in the published format from known rates."""

import json

import numpy as np

from recrawl.datasets.kolobov import COMPLETE, HISTORY, IMPORTANCE


def write_dataset(folder, urls=200, crawls=98, seed=0, complete=0.05):
    """Three files of made-up URLs in shuffled order; returns ids, importance, true rates and the labelled ids."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(np.arange(1, 10 * urls, 10))[:urls]
    importance = rng.integers(1, 1_000, urls)
    rates = np.exp(rng.normal(np.log(0.1), 1.0, urls)).clip(0.01, 3.0)
    labelled = rng.uniform(size=urls) < complete
    (folder / IMPORTANCE).write_text("".join(f"{i}\t{mu}\n" for i, mu in zip(ids, importance, strict=True)))
    order = rng.permutation(urls)
    (folder / HISTORY).write_text("".join(_history_line(rng, ids[k], rates[k], crawls) for k in order))
    (folder / COMPLETE).write_text("".join(f"{ids[k]}\t{float(rates[k])!r}\n" for k in order if labelled[k]))
    return ids, importance, rates, ids[labelled]


def _history_line(rng, url_id, rate, crawls):
    gaps = rng.exponential(1.0, crawls).round(6) + 0.01
    changed = rng.uniform(size=crawls) < -np.expm1(-rate * gaps)
    pairs = [[float(gap), int(change)] for gap, change in zip(gaps, changed, strict=True)]
    return f"{url_id}\t{rng.uniform(0.0, 2.0):.6f}\t{json.dumps(pairs)}\n"
