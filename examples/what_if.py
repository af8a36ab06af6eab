"""Would another policy have kept copies fresher?  Policies side by side in the same simulated world.

Prints:

    greedy-ncis  fresh 79.1% of the time
    greedy       fresh 73.6% of the time
    nutch        fresh 35.5% of the time
    uniform      fresh 44.6% of the time
"""

import numpy as np

import recrawl

rng = np.random.default_rng(0)
pages = recrawl.Pages.from_rates(
    change_rate=rng.lognormal(-1.0, 1.5, 300),
    importance=rng.pareto(1.5, 300) + 0.1,
    recall=rng.uniform(0.3, 0.9, 300),
    false_signal_rate=rng.uniform(0.0, 0.2, 300),
)
for policy in ("greedy-ncis", "greedy", "nutch", "uniform"):
    run = recrawl.simulate(pages, policy, rate=60.0, horizon=400.0, warmup=50.0, seed=0)
    print(f"{policy:12} fresh {run.freshness:.1%} of the time")
