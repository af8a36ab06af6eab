"""``recrawl bench``: runs the benchmarks of recrawl.bench and prints their tables."""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from recrawl.cli import layout
from recrawl.cli.help import Help
from recrawl.errors import InputError

NAMES = ("model", "optimal", "engine", "traffic", "hosts", "shards", "sim", "learn", "frontier", "service", "crawl")

_EPILOG = """\
benchmarks:
  model      the exact value of a page with noisy signals, beside the value without signals
  optimal    the optimum for a crawl rate
  engine     a decision, from 100,000 to 10,000,000 pages, beside a full scan
  traffic    a decision under real traffic: bursts, pauses, pages all alike, limits
  hosts      a decision with hosts that must be crawled politely
  shards     what it costs in freshness to split the pages over several schedulers
  sim        a simulated crawl, beside a plain loop
  learn      learning from logs, and while crawling
  frontier   the calls of a frontier on disk, the longest of them, recovery and memory
  service    'recrawl serve' over HTTP: calls a second, and how long callers wait
  crawl      the whole crawler over HTTP, beside a bare aiohttp loop

examples:
  recrawl bench optimal
  recrawl bench engine --pages 100000
  recrawl bench frontier service --json
"""

Row = Mapping[str, object]


class Benchmark(Protocol):
    """A module of recrawl.bench. Its docstring's first line is the title; NOTES, if there, are printed below."""

    def run(self, pages: int | None) -> Sequence[Row]:
        """The table, one mapping a row, all with the same keys; ``pages`` None means the usual size."""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "bench",
        help="time the numeric core and the crawler on this machine",
        description="Time the numeric core on this machine, on pages drawn as in the paper's noisy setting, and the "
        "crawler on a living web.",
        epilog=_EPILOG,
        formatter_class=Help,
    )
    names = parser.add_argument("names", metavar="NAME", nargs="*", help="which benchmarks (default: all)")
    names.words = lambda: NAMES
    parser.add_argument("--pages", metavar="N", type=int, help="how many pages (default: the benchmark's own)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    for name in args.names:
        if name not in NAMES:
            raise InputError(f"unknown benchmark {name!r}; known: {', '.join(NAMES)}", argument="names")
    if args.pages is not None and args.pages < 1:
        raise InputError(f"--pages must be at least 1, got {args.pages}", argument="pages")
    tables = {}
    for name in args.names or NAMES:
        module = import_module(f"recrawl.bench.{name}")
        tables[name] = list(cast("Benchmark", module).run(args.pages))
        if not args.json:
            title = (module.__doc__ or name).splitlines()[0]
            _show(f"{name}: {title}", tables[name], getattr(module, "NOTES", ()))
    if args.json:
        print(json.dumps(_finite(tables), indent=2, default=float))


def _finite(tables: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """The same with null for what was not measured: NaN is not JSON."""
    return {
        name: [{key: None if _missing(x) else x for key, x in row.items()} for row in rows]
        for name, rows in tables.items()
    }


def _missing(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _show(title: str, rows: Sequence[Row], notes: Sequence[str]) -> None:
    width = layout.columns()
    headings, *cells = _lines(rows)
    for line in (
        *layout.lines(title, width),
        "",
        *layout.table(headings, cells, width),
        "",
        *layout.notes(notes, width),
    ):
        print(line)
    print()


def _lines(rows: Sequence[Row]) -> list[list[str]]:
    """Headings and cells; a line a measure where those are more than the rows, so that it fits a narrow terminal."""
    lines = [[key.replace("_", " ") for key in rows[0]] if rows else []]
    lines += [list(map(_cell, row.values())) for row in rows]
    return lines if len(lines[0]) <= len(rows) else [list(line) for line in zip(*lines, strict=True)]


def _cell(value: object) -> str:
    if _missing(value):
        return "-"
    if isinstance(value, float) and abs(value) >= 1e4:
        return f"{value:,.0f}"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
