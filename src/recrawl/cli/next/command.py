"""``recrawl next``: which pages to crawl now."""

import argparse
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recrawl.cli.help import Help
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.cli.next.standing import Standing

_DAY_S = 86_400.0
DEFAULT = 100

_DESCRIPTION = """\
Print the pages that are worth a crawl most at this moment, one a line, the most valuable first. Change rates and
the quality of signals come from a crawl log, or from a pages file that says when each page was last crawled.
"""

_EPILOG = """\
the input:
  A crawl log, as for 'recrawl fit': everything is estimated from it. Or a pages file, as for 'recrawl plan', with
  a column crawled (when the page was last crawled; blank: never) and perhaps signals_since (signals since then);
  'recrawl fit --out' writes both.

  Times are dates, or numbers in the unit of the rates. The moment is --now; without it the present where times are
  dates, else the latest time in the file. A page never crawled counts as certainly stale.

examples:
  recrawl next log.csv -n 100 | xargs -n 1 curl -O       fetch what is due, beside any crawler
  recrawl next log.csv --signals pings.csv --out due.csv
  recrawl fit log.csv --out pages.csv && recrawl next pages.csv -n 20 --json
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "next",
        help="which pages to crawl now, from a crawl log or a pages file",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("file", metavar="LOG_OR_PAGES", help="crawl log or pages file, CSV or Parquet; - reads a log")
    parser.add_argument("-n", metavar="N", type=int, default=DEFAULT, help=f"how many pages (default {DEFAULT})")
    parser.add_argument("--signals", metavar="FILE", help="signal log, where signals are not in the crawl log")
    parser.add_argument("--now", metavar="TIME", help="the moment: a date, or a number as in the file")
    policy = parser.add_argument(
        "--policy", metavar="NAME", default="greedy-ncis", help="the value (default greedy-ncis)"
    )
    policy.words = _values
    parser.add_argument("--out", metavar="FILE", help="write pages and values to FILE (.csv or .parquet)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of names")
    parser.set_defaults(run=run)


def _values() -> list[str]:
    from recrawl import policies

    return [name for name in policies.names() if not name.endswith("-J")]


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl import policies
    from recrawl.arguments import some_importance
    from recrawl.cli import standard
    from recrawl.cli.next import standing
    from recrawl.cli.progress import Progress
    from recrawl.files import columns as columns_file

    if args.n < 1:
        raise InputError(f"-n must be at least 1, got {args.n}", argument="n")
    policy = policies.get(args.policy)
    sources = {"the log": args.file, "the signal log": args.signals}
    standard.check(sources, {"--out": args.out}, as_json=args.json)
    if args.out is not None:
        columns_file.check_target("--out", args.out, sources)
    with Progress(sys.stderr) as progress:
        pages = standing.read(args.file, args.signals, progress.stage)
    some_importance(pages.pages.importance)
    now = _moment(args.now, pages)
    due = _ranked(pages, policy, now, args.n)
    notes = list(pages.notes)
    later = int((pages.crawled > now).sum())
    if later:
        notes.append(f"{later:,} pages were crawled after --now, and count as crawled just then")
    if len(due["url"]) < min(args.n, len(pages.names)):
        notes.append("no other page is worth a crawl at this moment")
    if args.out is not None:
        columns_file.write(args.out, due)
        notes.append(f"wrote {len(due['url']):,} pages to {standard.written(args.out)}")
    if args.json:
        rows = [dict(zip(due, row, strict=True)) for row in zip(*due.values(), strict=True)]
        print(json.dumps({"now": now, "pages": rows}, indent=2))
    elif args.out is None:
        print("\n".join(map(str, due["url"])))
    shown = _dated(now).isoformat(sep=" ", timespec="minutes") if pages.dated else f"{now:g}"
    notes.append(f"{len(due['url']):,} of {len(pages.names):,} pages, as of {shown}")
    for note in notes:  # stdout holds nothing but the pages
        print(f"note: {note}", file=sys.stderr)


def _moment(told: str | None, pages: "Standing") -> float:
    from recrawl import clock
    from recrawl.files import cells

    if told is None:
        return max(clock.wall_seconds() / _DAY_S, pages.end) if pages.dated else pages.end
    try:
        return (cells.date if pages.dated else cells.number)(told)
    except (ValueError, OverflowError):
        kind = "a date, such as 2026-11-16T12:00" if pages.dated else "a number, as the times in the file are"
        raise InputError(f"--now must be {kind}, got {told!r}", argument="now") from None


def _ranked(pages: "Standing", policy: Any, now: float, n: int) -> dict[str, list[Any]]:
    """The n pages of highest value, ties in the order of the file."""
    import numpy as np

    never = ~np.isfinite(pages.crawled)
    elapsed = np.where(never, 0.0, np.maximum(now - np.where(never, now, pages.crawled), 0.0))
    values = policy.value(pages.pages, elapsed, pages.signals)
    believed = policy.believe(pages.pages)
    from recrawl.model import crawl_value

    certain = crawl_value(believed, np.full(len(values), np.inf), terms=policy.terms)
    values = np.where(never, certain, values)
    best = np.lexsort((np.arange(len(values)), -values))[:n]
    best = best[values[best] > 0.0]
    return {
        "url": [pages.names[k] for k in best.tolist()],
        "value": values[best].tolist(),
        "elapsed": [None if never[k] else float(elapsed[k]) for k in best.tolist()],
        "signals": pages.signals[best].astype(int).tolist(),
    }


def _dated(days: float) -> datetime:
    return datetime.fromtimestamp(days * _DAY_S, UTC)
