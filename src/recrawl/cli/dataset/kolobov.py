"""``recrawl dataset kolobov``: published crawl histories into a table that `recrawl reproduce` reads."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from recrawl.cli import layout
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.datasets.kolobov import Summary


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
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
