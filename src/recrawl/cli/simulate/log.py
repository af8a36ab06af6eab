"""Writes what a crawler would have recorded: its crawls and what they saw, and the signals between them."""

from collections.abc import Sequence

import numpy as np

from recrawl.files import columns as columns_file
from recrawl.sim import Run


def write(path: str, run: Run, urls: Sequence[str] | None) -> None:
    """One row an event, in order of time.

    ``kind`` is crawl or signal. Crawls have ``elapsed`` and ``signals``, time and signals since the crawl before (the
    first one at time 0), and ``changed``, 1 or 0; for signals these are empty.
    """
    world = run.world
    kinds = np.repeat([0, 1], [len(world.signal_times), len(run.crawl_times)])
    times = np.concatenate((world.signal_times, run.crawl_times))
    order = np.lexsort((kinds, times))  # a signal at the moment of a crawl comes before it
    pages = np.concatenate((world.signal_pages, run.crawl_pages))[order].tolist()
    blank: list[object] = [None] * len(world.signal_times)
    columns: dict[str, Sequence[object]] = {
        "page": pages if urls is None else [urls[page] for page in pages],
        "time": times[order].tolist(),
        "kind": [("signal", "crawl")[kind] for kind in kinds[order].tolist()],
    }
    for name, seen in run.outcomes._asdict().items():
        values = blank + (seen.astype(int) if name == "changed" else seen).tolist()
        columns[name] = [values[k] for k in order.tolist()]
    columns_file.write(path, columns)
