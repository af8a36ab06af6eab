"""A crawler's loop: lease pages, fetch them, say what was found, learn from it.

Nothing is known of the pages but their number.  `fetch` stands for yours: here pages change at random, a tenth of them
every hour, the others once in ten days.

Prints:

    after 30 days: 99% of the fetches found a change in the busy tenth, 22% elsewhere
    the busy tenth got 1% of the last 1,000 fetches

That is right: a copy of a page that changes every hour is stale again before it is used, and the fetches keep four
others fresh instead.
"""

import numpy as np

import recrawl
from recrawl.pairing import Pairing

PAGES, RATE, DAYS = 500, 200.0, 30.0
rng = np.random.default_rng(0)
hourly = np.arange(PAGES) < PAGES // 10
change_rate = np.where(hourly, 24.0, 0.1)


def fetch(page: int, since: float) -> bool:
    """Whether the page had changed since its last fetch, that many days ago."""
    return bool(rng.random() < -np.expm1(-change_rate[page] * since))


pairing = Pairing.start(recrawl.learn.Learner(PAGES, now=0.0))
fetched = np.zeros(PAGES)
log = []
now = 0.0
while now < DAYS:
    now += 10 / RATE
    batch = pairing.lease(10, now)
    changed = [fetch(page, now - fetched[page]) for page in batch]
    pairing.crawled(batch, changed, at=now, now=now)
    fetched[batch] = now
    log += zip(batch.tolist(), changed, strict=True)

busy = [found for page, found in log if hourly[page]]
others = [found for page, found in log if not hourly[page]]
print(
    f"after {DAYS:.0f} days: {np.mean(busy):.0%} of the fetches found a change in the busy tenth, "
    f"{np.mean(others):.0%} elsewhere"
)
print(f"the busy tenth got {np.mean([hourly[page] for page, _ in log[-1000:]]):.0%} of the last 1,000 fetches")
