"""``recrawl stats``: how a frontier stands."""

import argparse
import json
import math
from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from recrawl.cli.calls import where
from recrawl.cli.help import Help

if TYPE_CHECKING:
    from recrawl.frontier import Freshness
    from recrawl.learn.named.sources import SourceQuality

_DESCRIPTION = """\
Print the numbers of a service, or of the frontier in a folder: its pages, how fresh their copies are (estimated),
what was done since the beginning, and what was learned of sources of signals.
"""

_EPILOG = """\
examples:
  recrawl stats --server http://127.0.0.1:8700
  recrawl stats --data data/ --json
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "stats",
        help="numbers of a service or a folder: pages, freshness, sources",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    where.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    with where.opened(args) as frontier:
        rate, counts, fresh, sources = (
            frontier.rate,
            frontier.statistics,
            frontier.freshness(),
            frontier.sources(),
        )
    if args.json:
        found = {"rate": rate, "counts": counts, "freshness": _known(asdict(fresh))}
        print(json.dumps({**found, "sources": [_known(source._asdict()) for source in sources]}))
        return
    for line in _lines(rate, counts, fresh, sources):
        print(line)


def _lines(rate: float | None, counts: dict[str, int], fresh: "Freshness", sources: "list[SourceQuality]") -> list[str]:
    from recrawl.cli import layout
    from recrawl.cli.crawl.folders import shown
    from recrawl.crawler.lines import share, speed, stretch

    width = layout.columns()
    # What never happened has no counter.
    n = defaultdict(lambda: "0", {name: f"{count:,}" for name, count in counts.items()})
    error = f" ± {fresh.error:.3f}" if fresh.error else ""
    outcomes = (
        f"{n['changed']} changed, {n['unchanged']} unchanged, {n['unknown']} first copies or not to compare, "
        f"{n['failed']} failed, {n['gone']} gone, {n['moved']} moved, {n['late']} late"
    )
    rows = [
        ("pages", f"{n['pages']} on {n['hosts']} hosts, {n['pages_new']} never fetched, {n['pages_gone']} gone"),
        ("freshness", f"{share(fresh.mean)}{error} estimated, {share(fresh.weighted)} by importance"),
        ("rate", speed(rate)),
        ("leases", f"{n['leases']} in all, {n['leased']} open"),
        ("outcomes", outcomes),
        ("signals", f"{n['signals']} heard, {n['signals_dropped']} dropped"),
    ]
    found = layout.pairs(rows, width)
    if sources:
        cells = [
            [
                shown(source.name),
                f"{source.signals:,}",
                share(source.precision),
                share(source.recall),
                "-" if math.isnan(source.latency) else stretch(source.latency),
            ]
            for source in sources
        ]
        found += ["", *layout.table(["source", "signals", "precision", "recall", "late by"], cells, width)]
    return found


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN: what is not known is null."""
    return {name: None if isinstance(v, float) and not math.isfinite(v) else v for name, v in fields.items()}
