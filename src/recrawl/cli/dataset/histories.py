"""``recrawl dataset git``, ``sitemaps`` and ``feeds``: clones and archives into histories."""

import argparse
import os
import shlex
import sys
from typing import TYPE_CHECKING

from recrawl.cli import layout
from recrawl.cli.numbers import rate_text
from recrawl.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from recrawl.histories.making import Made, Progress

_SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
_YEAR = 365.25


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.histories.files import write_history

    since = _since(args.since)
    stem = _stem(args)
    made = _made(args)
    if since is not None:
        try:
            made = made.since(since)
        except InputError as error:
            raise InputError(f"--{error}", argument="since") from error
    _show(made, stem, write_history(made.history, stem))


def _since(date: str | None) -> float | None:
    """Seconds since 1970."""
    from recrawl.files import cells

    if date is None:
        return None
    try:
        return cells.date(date) * 86_400.0 if date.strip() else _no_date(date)
    except (ValueError, OverflowError):
        return _no_date(date)


def _no_date(date: str) -> float:
    raise InputError(f"--since must be a date such as 2022-01-01, got {date!r}", argument="since")


def _stem(args: argparse.Namespace) -> str:
    """Where to write: --out, where it is no folder, or the name of the clone or archive in that folder."""
    from recrawl.files import target
    from recrawl.histories.files import PAGES, stem_of

    name = os.path.basename(os.path.realpath(args.folder)).removesuffix(".git") or "history"
    out = args.out if args.out is not None else "."
    stem = os.path.join(out, name) if os.path.isdir(out) or out.endswith(os.sep) else stem_of(out)
    if not os.path.basename(stem):
        raise InputError(f"--out must be a folder or the beginning of both names, got {out!r}", argument="out")
    stem = os.path.normpath(stem)
    target.check("--out", f"{stem}{PAGES}.gz", (".gz",), {})
    return stem


def _made(args: argparse.Namespace) -> "Made":
    from recrawl.cli.progress import Progress
    from recrawl.histories.feeds import history_of_feeds
    from recrawl.histories.git import history_of_git
    from recrawl.histories.sitemaps import history_of_sitemaps

    with Progress(sys.stderr) as progress:
        progress.stage("looking at the folder")
        if args.name == "git":
            return history_of_git(args.folder, args.paths or (), _told(progress.stage, "commits", every=100))
        make = history_of_sitemaps if args.name == "sitemaps" else history_of_feeds
        return make(args.folder, _told(progress.stage, "files"))


def _told(stage: "Callable[[str], None]", what: str, every: int = 1) -> "Progress":
    return lambda done, total: stage(f"{done:,} of {total:,} {what}") if done % every == 0 else None


def _show(made: "Made", stem: str, files: tuple[str, str]) -> None:
    width = layout.columns()
    for line in (
        *layout.lines(f"wrote {files[0]} and {files[1]}", width),
        *layout.pairs(_facts(made), width),
        *layout.table(*_rates(made), width),
        *layout.notes(made.notes, width),
        *_next(made, stem, width),
    ):
        print(line)


def _next(made: "Made", stem: str, width: int) -> list[str]:
    """What can be done with it; why not, where policies cannot be run on it."""
    from recrawl.histories.last_years import check_last_years, last_years

    try:
        check_last_years(last_years(made.history))
    except InputError as error:
        return layout.notes([f"it is not for recrawl reproduce real: {error}"], width)
    return layout.lines(f"next: recrawl reproduce real --history {shlex.quote(stem)}", width)


def _facts(made: "Made") -> list[tuple[str, str]]:
    import numpy as np

    from recrawl.histories import BULK
    from recrawl.histories.making import DAY_S, date_text

    history = made.history
    changes, pages = len(history.change_times), len(history)
    last = date_text(made.began + history.end * DAY_S)
    never = int((history.counts == 0).sum())
    bulk = f", {history.bulk.mean():.0%} of them in bulk edits of more than {BULK} pages" if changes else ""
    return [
        ("span", f"{history.end:,.1f} days, {date_text(made.began)} to {last}"),
        ("changes", f"{changes:,}{bulk}"),
        ("pages", f"{pages:,}, {int(np.isinf(history.removed).sum()):,} of them there at the end"),
        ("never changed", f"{never:,} of them ({never / pages:.0%})"),
    ]


def _rates(made: "Made") -> tuple[list[str], list[list[str]]]:
    """Changes a year of each page while it was there: the rate that each share of the pages does not exceed."""
    import numpy as np

    rates = np.quantile(made.history.change_rates * _YEAR, _SHARES, method="inverted_cdf")
    return ["share of pages", *(f"{share:.0%}" for share in _SHARES)], [
        ["changes a year, at most", *(rate_text(float(rate)) for rate in rates)]
    ]
