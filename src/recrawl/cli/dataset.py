"""``recrawl dataset``: published crawl histories into a table that `recrawl reproduce` reads."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recrawl.cli import layout
from recrawl.cli.help import Help
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.datasets.kolobov import Summary

NAMES = ("kolobov",)

_EPILOG = """\
kolobov: the histories of 18.5 million URLs published with "Staying up to Date with Online Content Changes Using
Reinforcement Learning for Scheduling" (Kolobov, Peres, Lu, Horvitz, 2019). DIR holds its files urlid_imp.txt,
urlid_offset_history.txt and urlid_chrate_compl_obs_hist.txt. Change rates are estimated as its authors do: by maximum
likelihood, smoothed by half a day, within 0.0005 and 7 per day. The result is kept in DIR/kolobov.parquet (or --out)
and only made again when the files have changed.

example:
  recrawl dataset kolobov ~/PoliteCrawling
  recrawl reproduce semisynthetic --dataset ~/PoliteCrawling/kolobov.parquet
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "dataset",
        help="turn published crawl histories into importance and change rates",
        description="Turn published crawl histories into a Parquet file of importance and change rates.",
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("name", metavar="NAME", help=f"which dataset: {', '.join(NAMES)}")
    parser.add_argument("folder", metavar="DIR", help="the folder with its files")
    parser.add_argument("--out", metavar="FILE", help="the Parquet file to write (default: inside DIR)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    if args.name not in NAMES:
        raise InputError(f"unknown dataset {args.name!r}; known: {', '.join(NAMES)}", argument="name")
    folder = Path(args.folder)
    if not folder.is_dir():
        raise InputError(f"DIR must be a folder, got {args.folder!r}", argument="folder")
    from recrawl.datasets import kolobov
    from recrawl.files import target

    out = Path(args.out) if args.out is not None else folder / kolobov.CACHE
    if args.out is not None:
        target.check("--out", args.out, (".parquet",), {})
    if kolobov.cached(folder, out):
        print(f"{out} is up to date")
        return
    _show(_convert(folder, out))


def _convert(folder: Path, out: Path) -> "Summary":
    from recrawl.cli.progress import Progress
    from recrawl.datasets import kolobov

    with Progress(sys.stderr) as progress:
        progress.stage("reading importance and published rates")
        return kolobov.convert(folder, out, lambda urls: progress.stage(f"{urls:,} URLs"))


def _show(summary: "Summary") -> None:
    width = layout.columns()
    notes = []
    if summary.without_importance:
        notes.append(f"left out {summary.without_importance:,} URLs with a history but no importance")
    if summary.without_history:
        notes.append(f"left out {summary.without_history:,} URLs with importance but neither history nor rate")
    published = (
        f"{summary.complete:,} of them ({summary.complete / summary.urls:.1%}) have a published rate, "
        f"with {summary.complete_importance:.1%} of the importance"
    )
    for line in (
        *layout.lines(f"wrote {summary.urls:,} URLs to {summary.path}", width),
        *layout.lines(published, width),
        *layout.notes(notes, width),
    ):
        print(line)
