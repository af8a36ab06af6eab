"""``recrawl simulate``: what a crawl policy would do on the user's pages, beside others."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli.help import Help
from recrawl.errors import InputError
from recrawl.files.cells import number

if TYPE_CHECKING:
    from recrawl.cli.simulate.runs import Setting
    from recrawl.files.pages import PagesFile

POLICIES = ("greedy-ncis", "greedy", "lds", "proportional", "uniform")
EXAMPLE_RATE = 100.0
EXAMPLE_HORIZON = 200.0
"""A fifth of what files get: seconds, for a first look."""

_DESCRIPTION = """\
Let crawl policies loose on the same simulated changes of your pages, or on events you recorded, and print how
fresh each keeps the copies: share of the time a copy is fresh, weighted by importance.
"""

_EPILOG = """\
policies:
  greedy-ncis     the page of highest value, signals weighed by their quality (recrawl's own)
  greedy          the same without signals; greedy-cis believes every signal, greedy-cis+ the good ones
  ncis-approx-J   the first J terms of the value, J = 1, 2, ...
  lds             the optimal rates without signals, as an even sequence
  proportional    crawl rates proportional to change rates
  uniform         every page in turn
  signalled-first pages with a signal first, and in between every page in turn
  nutch           Apache Nutch's adaptive intervals, with one unit of time = one day
  stormcrawler    StormCrawler's adaptive intervals, with one unit of time = one day
  NAME:learn      a value that is told nothing but the importance of pages, and learns: greedy-ncis:learn

  All get the same crawls per unit of time. Differences are to the first policy, world by world.

the pages file:
  as for 'recrawl plan'; see 'recrawl plan --help'. importance weighs the freshness.

the trace (--trace):
  CSV (also .csv.gz) or Parquet with columns page (or url), time and kind, in order of time. page is the url where
  the pages file has urls, else the row from 0; kind is change, signal or request. The pages file then says what the
  policies believe.

the log (--log):
  CSV or Parquet of the first policy's first run, one row an event: page, time, kind (crawl or signal), elapsed
  and signals since the crawl before, changed (1 or 0).

examples:
  recrawl simulate --example
  recrawl simulate pages.csv --rate 5000 --plot policies.png
  recrawl simulate pages.csv --rate 5000 --policy greedy-ncis nutch --repetitions 20 --out table.csv
  recrawl simulate pages.csv --rate 5000 --policy greedy-ncis greedy-ncis:learn
  recrawl simulate pages.csv --rate 5000 --trace events.parquet --log crawls.parquet
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "simulate",
        help="how fresh policies would keep your pages",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    add = parser.add_argument
    add("pages", metavar="PAGES", nargs="?", help="CSV or Parquet file, one row a page; - for stdin")
    add("--example", action="store_true", help="use the built-in instance of 1,000 pages")
    add(
        "--rate",
        metavar="R",
        type=number,
        help=f"crawls per unit of time, needed with PAGES ({EXAMPLE_RATE:g} with --example)",
    )
    policy = add(
        "--policy", metavar="NAME", nargs="+", action="extend", help=f"policies (default: {' '.join(POLICIES)})"
    )
    policy.words = _policies
    add(
        "--horizon",
        metavar="T",
        type=number,
        help=f"when a run ends (default: after 100,000 crawls, or 20 a page; with --example: {EXAMPLE_HORIZON:g})",
    )
    add("--warmup", metavar="T", type=number, help="not measured before this (default: a fifth of the horizon)")
    add(
        "--repetitions",
        "--reps",
        metavar="N",
        type=int,
        help="worlds, of seeds S, S + 1, ... (default 5; with --trace 1)",
    )
    add("--seed", metavar="S", type=int, default=0, help="seed of the first world (default 0)")
    add("--latency", metavar="KIND:D", help="how late signals come: constant:D, exponential:MEAN, ticks:MEAN (Poisson)")
    add("--discard", metavar="W", type=number, default=0.0, help="drop signals within W after a crawl (values only)")
    add(
        "--believed-latency",
        metavar="KIND:D",
        help="weigh signals by their age at arrival, as if they came that late; true: as they do (values only)",
    )
    add("--trace", metavar="FILE", help="recorded events in place of simulated ones; - for stdin")
    add("--workers", metavar="N", type=int, help="processes at once (default: all cores); results are the same")
    add("--plot", metavar="FILE", help="draw the comparison into a .png, .svg or .pdf")
    add("--out", metavar="FILE", help="write the table, .csv or .parquet; - for stdout")
    add("--log", metavar="FILE", help="write crawls and signals of the first run, .csv or .parquet; - for stdout")
    add("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(run=run)


def _policies() -> list[str]:
    from recrawl.sim import names

    return [*(name for name in names() if not name.endswith("-J")), "greedy-ncis:learn"]


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    _find_pages(args)
    _check(args)
    from recrawl.cli import layout, picture, standard
    from recrawl.cli.simulate import log as crawl_log
    from recrawl.cli.simulate import plot as simulate_plot
    from recrawl.cli.simulate import runs as simulating
    from recrawl.cli.simulate import size
    from recrawl.cli.simulate import table as simulate_table
    from recrawl.files import columns as columns_file

    sources = {"the pages file": args.pages, "the trace": args.trace}
    outputs = {"--out": args.out, "--log": args.log}
    standard.check(sources, outputs, as_json=args.json)
    for option, path in outputs.items():
        if path is not None:
            columns_file.check_target(option, path, sources)
    if args.plot is not None:
        picture.check_target(args.plot, sources)
    _check_overwriting(args)
    file = _read(args)
    setting = _setting(args, file)
    for line in layout.notes(size.announce(file.pages, setting), layout.columns()):
        print(line, file=sys.stderr)
    try:
        result = simulating.compare_policies(file.pages, setting)
    except InputError as error:
        raise file.located(error) from error
    notes = []
    if args.out is not None:
        columns_file.write(args.out, simulate_table.columns(result))
        notes.append(f"wrote the table to {standard.written(args.out)}")
    if args.plot is not None:
        simulate_plot.save(args.plot, result, setting)
        notes.append(f"drew the comparison into {args.plot}")
    if args.log is not None:
        crawl_log.write(args.log, simulating.first_run(file.pages, setting), file.urls)
        notes.append(f"wrote crawls and signals of the first run to {standard.written(args.log)}")
    with standard.report_beside(outputs):
        simulate_table.show(result, setting, file.path, len(file.pages), as_json=args.json)
        for line in layout.notes(notes, layout.columns()):
            print(line, file=sys.stderr if args.json else sys.stdout)  # stdout holds nothing but the JSON


def _find_pages(args: argparse.Namespace) -> None:
    """Give back the pages file where it stands behind the names of --policy, which takes all that follows."""
    taken = [name for name in args.policy or () if _is_table(name)]
    if args.pages is None and not args.example and len(taken) == 1:
        args.pages = taken[0]
        args.policy.remove(taken[0])


def _is_table(name: str) -> bool:
    """Whether a word is a file rather than a policy."""
    from pathlib import Path

    from recrawl.files.whole import STANDARD

    return name == STANDARD or name.lower().endswith((".csv", ".csv.gz", ".parquet", ".pq")) or Path(name).is_file()


def _check(args: argparse.Namespace) -> None:
    if args.example == (args.pages is not None):
        raise InputError("give either a pages file or --example; see 'recrawl simulate --help'", argument="pages")
    if args.rate is None:
        if not args.example:
            raise InputError("--rate is missing; give the crawls per unit of time, e.g. --rate 100", "rate")
        args.rate = EXAMPLE_RATE
    if args.example and args.horizon is None and args.trace is None:
        args.horizon = EXAMPLE_HORIZON
    for name in ("rate", "horizon"):
        value = getattr(args, name)
        if value is not None and not 0 < value < float("inf"):
            raise InputError(f"--{name} must be positive and finite, got {value:g}", argument=name)
    for name in ("repetitions", "workers"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise InputError(f"--{name} must be at least 1, got {value}", argument=name)
    if args.seed < 0:
        raise InputError(f"--seed must not be negative, got {args.seed}", argument="seed")
    if args.trace is not None and args.repetitions not in (None, 1):
        raise InputError(
            f"--repetitions must be 1 with --trace, which is one world, got {args.repetitions}", argument="repetitions"
        )
    if args.believed_latency == "true" and args.latency is None:
        message = "--believed-latency true must come with --latency, which says how late signals are"
        raise InputError(message, argument="believed_latency")
    if args.trace is not None and args.latency is not None:
        raise InputError(
            "--latency must be left out with --trace, whose signals come when they came", argument="latency"
        )


def _check_overwriting(args: argparse.Namespace) -> None:
    """Nothing is written over what the same command has just written."""
    from pathlib import Path

    taken: dict[Path, str] = {}
    for option, path in (("--out", args.out), ("--log", args.log), ("--plot", args.plot)):
        if path is None:
            continue
        place = Path(path).resolve()
        if place in taken:
            raise InputError(f"{option} must not be {taken[place]}, got {path!r}; name another file", option[2:])
        taken[place] = f"the file of {option}"


def _read(args: argparse.Namespace) -> "PagesFile":
    from recrawl.files.pages import PagesFile, read

    if not args.example:
        return read(args.pages)
    from recrawl.cli.example import example_pages

    return PagesFile("built-in example", example_pages())


def _setting(args: argparse.Namespace, file: "PagesFile") -> "Setting":
    from recrawl.cli.simulate import runs as simulating
    from recrawl.sim import read_trace

    trace = None if args.trace is None else read_trace(args.trace, len(file.pages), file.urls)
    return simulating.Setting(
        rate=args.rate,
        policies=simulating.checked_policies(args.policy or POLICIES),
        horizon=simulating.horizon(args.horizon, args.rate, len(file.pages), trace),
        warmup=args.warmup,
        repetitions=args.repetitions or (1 if trace else 5),
        seed=args.seed,
        latency=simulating.parse_latency(args.latency, args.rate),
        discard=args.discard,
        believed_latency=simulating.parse_believed(args.believed_latency, args.rate),
        trace=trace,
        workers=args.workers,
    )
