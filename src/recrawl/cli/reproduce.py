"""``recrawl reproduce``: the paper's experiments again, with computed verdicts, or real histories."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recrawl.cli import layout, reproduce_real
from recrawl.cli.help import Help
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.paper.report.document import Section
    from recrawl.paper.settings import Settings

OUT = "paper-report"
REAL = "real"

_DESCRIPTION = """\
Run the paper's experiments again. Each figure writes its table (NAME.csv, mean and standard error), its plot
(NAME.png) and a verdict on the claim in the text, computed from the numbers; report.md and report.html collect them.

'recrawl reproduce real' runs policies on real histories of change instead: those given, or the one that comes with
the package (four years of kubernetes.io). It writes real.csv, stale.png, bandwidth.png and both reports.
"""

_EPILOG = """\
examples:
  recrawl reproduce --list
  recrawl reproduce --quick                     every figure, few repetitions, minutes
  recrawl reproduce noisy --repetitions 20 --out noisy
  recrawl reproduce semisynthetic --dataset kolobov.parquet    (see: recrawl dataset --help)
  recrawl reproduce real --quick                on the history that comes with the package, minutes
  recrawl reproduce real --histories DIR --out real
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "reproduce",
        help="run the paper's experiments again",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    names = parser.add_argument(
        "names", metavar="NAME", nargs="*", help="which figures (default: all of the paper; --list names them), or real"
    )
    names.words = _figures
    parser.add_argument("--list", action="store_true", help="name the figures and stop")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="4 repetitions or fewer and a quarter of the horizon: minutes, and larger errors; real: fewer pages",
    )
    parser.add_argument(
        "--repetitions",
        "--reps",
        metavar="N",
        type=int,
        help="repetitions of every setting (default: the paper's 100, 10 where large)",
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="repetition k uses seed S + k (default 0)")
    parser.add_argument("--out", metavar="DIR", help=f"folder for the report (default {OUT}, or {reproduce_real.OUT})")
    parser.add_argument("--dataset", metavar="FILE", help="Parquet file made by 'recrawl dataset', for semisynthetic")
    parser.add_argument(
        "--workers", metavar="N", type=int, help="processes (default: one a core); no result depends on it"
    )
    reproduce_real.add_options(parser)
    parser.set_defaults(run=run)


def _figures() -> tuple[str, ...]:
    from recrawl.paper import NAMES

    return (*NAMES, REAL)


def run(args: argparse.Namespace) -> None:
    """Carry out the command; every complaint comes before the first figure."""
    from recrawl.paper import catalogue

    if REAL in args.names and not args.list:
        reproduce_real.run(args)
        return
    reproduce_real.refuse_options(args)
    names = list(dict.fromkeys(args.names)) or list(_figures() if args.list else catalogue.NAMES)
    for name in names:
        if not (args.list and name == REAL):
            catalogue.check(name)
    if args.list:
        _list(names)
        return
    settings = _settings(args)
    if settings.dataset is not None and "semisynthetic" in names:
        _check_dataset(settings.dataset, settings)
    folder = reproduce_real.folder_of(args.out or OUT)
    _run(names, settings, folder)


def _settings(args: argparse.Namespace) -> "Settings":
    from recrawl.paper.settings import Settings

    if args.quick and args.repetitions is not None:
        raise InputError("--quick sets the repetitions itself; drop it or --repetitions", argument="quick")
    if args.dataset is not None and not Path(args.dataset).is_file():
        raise InputError(
            f"--dataset must be a file made by 'recrawl dataset', got {args.dataset!r}; leave it out for the stand-in",
            argument="dataset",
        )
    return Settings(args.repetitions, args.quick, args.seed, args.workers, args.dataset)


def _check_dataset(path: str, settings: "Settings") -> None:
    from recrawl.datasets.sample import open_sample
    from recrawl.paper.figures.semisynthetic import url_count

    try:
        open_sample(path, url_count(settings))
    except InputError as error:
        if error.argument != "size":
            raise
        raise InputError(f"--dataset is too small: {error}; --quick draws fewer", argument="dataset") from error


def _title(name: str) -> str:
    from recrawl.paper import catalogue

    return "Policies on real histories of change" if name == REAL else catalogue.get(name).TITLE


def _list(names: Sequence[str]) -> None:
    for line in layout.pairs([(name, _title(name)) for name in names], layout.columns()):
        print(line)


def _run(names: Sequence[str], settings: "Settings", folder: Path) -> None:
    from dataclasses import replace

    from recrawl.cli.figure_progress import FigureProgress
    from recrawl.paper.reproduce import Watcher, reproduce

    command = shlex.join(["recrawl", *sys.argv[1:]])
    with FigureProgress(sys.stderr, len(names)) as progress:

        def done(part: "Section") -> None:
            progress.done()
            print(_line(part), flush=True)

        watched = replace(settings, watch=progress.step)
        reproduce(names, watched, folder, command, Watcher(progress.begin, done))
    for text in (
        f"wrote {folder / 'NAME.csv'} and {folder / 'NAME.png'} for every NAME above",
        f"wrote {folder / 'report.md'} and {folder / 'report.html'}",
    ):
        for line in layout.lines(text, layout.columns()):
            print(line)


def _line(part: "Section") -> str:
    from recrawl.paper.report.document import duration

    found = f"{part.name:<16} {part.result.verdict.word:<18}"
    took = duration(part.seconds)
    return f"{found} {took:>11}" if layout.columns() >= len(found) + 12 else f"{found.rstrip()}\n  {took}"
