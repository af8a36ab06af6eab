"""Crawl logs whose sources of signals are independent, or repeat each other."""

import numpy as np

SITEMAP, PING = (0.5, 0.35), (0.25, 0.1)
"""Recall, and false signals per unit of time, where pages change `CHANGE_RATE` times."""
CHANGE_RATE = 0.6
PAGES, HORIZON = 40, 150


def precision(recall, false):
    """Share of signals with a change behind them."""
    return recall * CHANGE_RATE / (recall * CHANGE_RATE + false)


def signal_log(folder, kind, seed, delay=0.0):
    """Write crawls.csv and signals.csv for a site with a sitemap, pings, and a feed of some kind; their paths."""
    rng = np.random.default_rng(seed)
    crawls, signals = ["page,time,changed"], ["page,time,source"]
    for page in range(PAGES):
        changes = np.sort(rng.uniform(0.0, HORIZON, size=rng.poisson(CHANGE_RATE * HORIZON)))
        found = np.histogram(changes, np.arange(HORIZON + 1.0))[0] > 0
        crawls += [f"{page},{k + 1},{int(changed)}" for k, changed in enumerate(found)]
        site, ping = heard(rng, changes, *SITEMAP), heard(rng, changes, *PING)
        feed = feed_of(kind, rng, changes, site)
        site = heard(rng, changes, 0.97, 0.01) if kind == "excellent" else site
        late = feed + delay * rng.random(len(feed))
        for name, times in (("sitemap", site), ("feed", late), ("ping", ping)):
            signals += [f"{page},{t!r},{name}" for t in times.tolist()]
    paths = str(folder / "crawls.csv"), str(folder / "signals.csv")
    for path, lines in zip(paths, (crawls, signals), strict=True):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return paths


def feed_of(kind, rng, changes, site):
    """Times of a feed's signals, by what it has to do with the sitemap."""
    match kind:
        case "mirror":
            return site
        case "partial mirror":
            return site[rng.random(len(site)) < 0.6]
        case "mirror and more":
            return np.append(site, heard(rng, changes, 0.2, 0.1))
        case "half and half":
            return np.append(site[rng.random(len(site)) < 0.5], heard(rng, changes, 0.2, 0.1))
        case "independent":
            return heard(rng, changes, 0.4, 0.3)
        case "excellent":
            return heard(rng, changes, 0.97, 0.01)
    raise ValueError(kind)


def heard(rng, changes, recall, false):
    """Times of true and false signals."""
    told = changes[rng.random(len(changes)) < recall]
    return np.append(told, rng.uniform(0.0, HORIZON, size=rng.poisson(HORIZON * false)))
