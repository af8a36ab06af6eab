"""What knowing the past is worth on real histories: told the rates of the years before, or of the years measured.

    python docs/figures/told_the_past_table.py FOLDER    (a folder of histories; one process, five minutes)

Freshness by Pareto importance, no signals, 800 pages, the last four years without their first quarter, seed 0.  "Past"
is told each page's mean change rate over all its life before these years, leaning on the mean of all pages where that
was short, and crawls by that; "past and learning" begins with it as a hint, and learns while it crawls; "hindsight" is
told the rate of the very years that are measured.  Errors are of paired differences to the learner, over 1,000
resamples of the pages.
"""

import sys

import numpy as np

from recrawl.learn import Hints
from recrawl.model import Pages
from recrawl.real.settings import BUDGETS, Settings
from recrawl.real.stage import _read, chance, stage, world
from recrawl.sim import Learning, simulate
from recrawl.sim.histories import true_pages
from recrawl.urls.folders import folder_ids

IMPORTANCE = "pareto"
RESAMPLES = 1000
SPREAD = 2.0
"""By what factor rates of the past are taken to differ from those to come."""


def past_rates(whole, history):
    """Changes a day of each page before the history began; few days lean on all pages (a Gamma prior by moments)."""
    number = {path: k for k, path in enumerate(whole.paths)}
    pages = np.array([number[path] for path in history.paths])
    start = whole.end - history.end
    counts = np.bincount(whole.change_pages[whole.change_times <= start], minlength=len(whole))[pages]
    days = np.maximum(start - whole.created[pages], 0.0)
    mean = counts.sum() / days.sum()
    seen = days > 1.0
    noise = float((mean / days[seen]).mean())
    variance = max(float((counts[seen] / days[seen]).var()) - noise, 1e-12)
    return (mean * mean / variance + counts) / (mean / variance + days)


def row(setting, budget):
    """Freshness of all four, and the errors of the differences to the learner."""
    ready, where = stage(setting), world(setting, "none")
    history, importance = ready.history, ready.importance[IMPORTANCE]
    true = true_pages(history, importance, None)
    rates = past_rates(_read(setting.stem), history)
    past = Pages.from_rates(rates, importance)
    weights, common = ready.weights(IMPORTANCE), {"world": where, "warmup": ready.warmup}
    learning = Learning(folders=folder_ids(history.paths))
    hinted = Learning(folders=learning.folders, prior=Hints(rates, spread=SPREAD))
    fresh = [
        simulate(true, "greedy", ready.rate(budget), **common).page_freshness,
        simulate(true, "greedy", ready.rate(budget), believed=past, **common).page_freshness,
        simulate(true, "greedy-ncis", ready.rate(budget), believed=hinted, **common).page_freshness,
        simulate(true, "greedy-ncis", ready.rate(budget), believed=learning, **common).page_freshness,
    ]
    drawn = chance(0, 99).integers(0, len(history), (RESAMPLES, len(history)))
    means = [(weights[drawn] * page[drawn]).sum(axis=1) / weights[drawn].sum(axis=1) for page in fresh]
    return [np.average(page, weights=weights) for page in fresh], [float((m - means[-1]).std()) for m in means[:-1]]


def tell(line):
    """A line of the table, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(folder):
    """Print the table."""
    names = ("hindsight", "past", "past and learning", "learned")
    ahead = " | ".join(f"{name} - learned" for name in names[:-1])
    tell(f"| history | crawls a page and month | {' | '.join(names)} | {ahead} |")
    tell("|---" * (2 * len(names) + 1) + "|")
    histories = ("ScoopInstaller_Main", "dotnet_docs", "kubernetes_website", "mdn_content", "rust-lang_book")
    for name in histories:
        stem = f"{folder}/{name}"
        setting = Settings(stems=(stem,), pages=800, years=4.0, seed=0).setting(stem, False)
        for budget in sorted(BUDGETS):
            fresh, errors = row(setting, budget)
            cells = [f"{name} | {budget:g}", *(f"{each:.4f}" for each in fresh)]
            cells += [f"{x - fresh[-1]:+.4f} ± {e:.4f}" for x, e in zip(fresh, errors, strict=False)]
            tell(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1])
