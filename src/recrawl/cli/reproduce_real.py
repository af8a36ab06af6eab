"""``recrawl reproduce real``: policies on real histories of change."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recrawl.cli import layout
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.real.found import Found
    from recrawl.real.settings import Settings

OUT = "real-report"
NAMES = ".pages.csv"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that only real histories have."""
    group = parser.add_argument_group("for real histories")
    group.add_argument(
        "--history",
        metavar="STEM",
        action="append",
        help="a history, STEM.pages.csv.gz and STEM.changes.csv.gz; may be given several times",
    )
    group.add_argument("--histories", metavar="DIR", help="all histories of a folder")
    group.add_argument(
        "--pages", metavar="N", type=int, help="pages of each history at most (default 2000, quick: 800)"
    )
    group.add_argument("--years", metavar="Y", type=float, help="the last years of each history (default 4)")


def refuse_options(args: argparse.Namespace) -> None:
    """Refuse them for the figures of the paper."""
    for name in ("history", "histories", "pages", "years"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} is for real histories; write 'recrawl reproduce real'", argument=name)


def folder_of(out: str) -> Path:
    """Where the report goes."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out must be a folder, got the file {out!r}; name another", argument="out")
    return folder


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from dataclasses import replace

    from recrawl.cli.figure_progress import FigureProgress
    from recrawl.real.run import reproduce

    settings, folder = _settings(args), folder_of(args.out or OUT)
    command = shlex.join(["recrawl", *sys.argv[1:]])
    with FigureProgress(sys.stderr, 1) as progress:
        progress.begin("real")
        watched = replace(settings, watch=lambda done, total: progress.step(int(done), total))
        found = reproduce(watched, folder, command)
    _print(found)
    for line in layout.lines(
        f"wrote {folder / 'report.md'}, {folder / 'report.html'} and what they show", layout.columns()
    ):
        print(line)


def _settings(args: argparse.Namespace) -> "Settings":
    from recrawl.real.settings import YEARS, Settings

    if len(args.names) > 1:
        raise InputError("real must stand alone; run the figures of the paper by themselves", argument="names")
    for name in ("repetitions", "dataset"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} is for the figures of the paper; drop it", argument=name)
    years = YEARS if args.years is None else args.years
    return Settings(_stems(args), args.quick, args.pages, years, args.seed, args.workers)


def _stems(args: argparse.Namespace) -> tuple[str | None, ...]:
    """The histories asked for; None is the one that comes with the package."""
    stems: list[str | None] = list(args.history or [])
    if args.histories is not None:
        folder = Path(args.histories)
        files = sorted(folder.glob(f"*{NAMES}*")) if folder.is_dir() else []
        if not files:
            raise InputError(
                f"--histories must be a folder with NAME{NAMES}.gz files, got {args.histories!r}", argument="histories"
            )
        stems += dict.fromkeys(str(file)[: str(file).rindex(NAMES)] for file in files)
    return tuple(dict.fromkeys(stems)) or (None,)


def _print(found: "Found") -> None:
    """Freshness of ours and of the best rival, in the cells that are shown first."""
    from recrawl.real.report import best_rival, chosen
    from recrawl.real.settings import MAIN_IMPORTANCE, MAIN_SIGNALS
    from recrawl.real.stage import stage
    from recrawl.real.trials import OURS

    print(f"freshness, {MAIN_IMPORTANCE} importance, {MAIN_SIGNALS} signals:")
    for cell in chosen(found, MAIN_IMPORTANCE, MAIN_SIGNALS):
        rival = best_rival(found, cell)
        ours, theirs = found.freshness(cell, OURS).mean, found.freshness(cell, rival).mean
        where = f"{stage(cell.setting).history.name}, {cell.budget:g} crawls a page and month"
        for line in layout.lines(f"{where}: {ours:.3f}; best rival {theirs:.3f} ({rival})", layout.columns()):
            print(line)
