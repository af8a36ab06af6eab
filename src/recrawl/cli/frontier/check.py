"""``recrawl check``: whether all that a frontier wrote down is whole, and what can be saved where it is not."""

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recrawl.cli import layout
from recrawl.cli.frontier.folders import check_folder, unused
from recrawl.cli.help import Help

if TYPE_CHECKING:
    from recrawl.store import JournalReport, Report, SnapshotReport

WHOLE = "is whole"
_NEWER = "was written by newer"

_DESCRIPTION = """\
Read all that a frontier has written down, every byte of it, and say whether it is whole. Then build the frontier from
it, as opening would, and see whether its parts agree. Nothing is changed. DIR must not be open in a process.
"""

_EPILOG = """\
what it says:
  For each file whether it is good. Where something is damaged or missing: which groups of facts, and up to which
  one the frontier can be rebuilt. --save-to writes that into a new folder; the old one stays as it is.

  A last group that a crash cut short is no damage: nobody was ever told that it was written.

exit status:
  0   all is whole
  1   something is damaged or missing, whether or not it could be saved
  2   it could not be looked at: no such folder, or a process has it open

examples:
  recrawl check data/
  recrawl check data/ --save-to saved/       then look at saved/, and put it in the place of data/
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "check",
        help="whether a frontier's folder is whole, and what can be saved",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("folder", metavar="DIR", help="the folder of a frontier")
    parser.add_argument("--save-to", metavar="FOLDER", help="write what can be saved into this new folder")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command; its exit status."""
    from recrawl.cli.progress import Progress
    from recrawl.store import check, salvage

    check_folder(args.folder)
    with unused(args.folder), Progress(sys.stderr) as progress:
        progress.stage("reading every byte")
        report = check(args.folder)
        words = list(_words(report))
        wrong: list[str] = []
        if report.is_good and report.journals:
            progress.stage("building the frontier")
            wrong = _built(args.folder, words)
        if args.save_to is not None:
            progress.stage("saving")
            salvage(args.folder, args.save_to)
            words.append(f"saved the state after group {report.savable:,} to {args.save_to}")
    width = layout.columns()
    for word in words + wrong:
        for line in layout.lines(word, width):
            print(line)
    verdict = _verdict(report, wrong)
    print(f"{args.folder} {verdict}")
    return 0 if verdict == WHOLE else 1


def _verdict(report: "Report", wrong: list[str]) -> str:
    if not report.journals and not report.snapshots:
        return "is no frontier"
    damages = [snapshot.damage for snapshot in report.snapshots] + [journal.damage for journal in report.journals]
    if any(damage.startswith(_NEWER) for damage in damages):
        return "was written by a newer recrawl; nothing is wrong with that, but this one cannot read it"
    return WHOLE if report.is_good and not wrong else "is DAMAGED"


def _built(folder: str, words: list[str]) -> list[str]:
    """Rebuild the frontier; what does not agree in it."""
    from recrawl.frontier.checking import problems
    from recrawl.frontier.rebuilding import rebuilt
    from recrawl.store import reading

    with reading(folder) as store:
        state = rebuilt(store).state
        words += store.notes
    wrong = [f"does not agree: {problem}" for problem in problems(state)]
    words.append(f"pages: {len(state.urls):,}, hosts: {len(state.hosts):,}, leased: {len(state.leases):,}")
    return wrong


def _words(report: "Report") -> Iterator[str]:
    for snapshot in report.snapshots:
        yield _of_snapshot(snapshot)
    for journal in report.journals:
        yield _of_journal(journal)
    if report.history:
        files = "1 journal is" if len(report.history) == 1 else f"{len(report.history)} journals are"
        yield f"history: {files} kept for 'recrawl export', {_size(report.history_bytes)}; nothing else needs them"
    if report.leftovers:
        yield f"left by a crash, and removed on opening: {', '.join(report.leftovers)}"
    if report.strangers:
        yield f"not of a frontier: {', '.join(report.strangers)}"
    if not report.journals and not report.snapshots:
        return
    if report.savable is None:
        yield "nothing can be saved: no snapshot is good, and the first groups are gone"
    elif report.savable < report.last:
        yield (
            f"can be saved: the state after group {report.savable:,} of {report.last:,}, "
            f"{report.last - report.savable:,} groups are lost; --save-to writes it to a new folder"
        )
    elif not report.is_good:
        yield f"nothing is lost: all {report.last:,} groups can be saved; --save-to writes them to a new folder"


def _of_snapshot(snapshot: "SnapshotReport") -> str:
    name = os.path.basename(snapshot.path)
    if snapshot.damage:
        return f"{name}: {_damage([snapshot.damage])}"
    when = "" if snapshot.written is None else f", of {_date(snapshot.written)}"
    return f"{name}: good, {_size(snapshot.bytes)}{when}"


def _of_journal(journal: "JournalReport") -> str:
    name = os.path.basename(journal.path)
    wrong = [journal.damage] if journal.damage else []
    wrong += [f"{_runs(journal.damaged)} cannot be read"] if journal.damaged else []
    wrong += [f"{_runs(journal.missing)} missing"] if journal.missing else []
    torn = "; its end was cut short by a crash, which is no damage" if journal.torn else ""
    held = f"{journal.groups:,} good groups, {_size(journal.bytes)}{torn}"
    return f"{name}: {_damage(wrong) + '; ' if wrong else 'good, '}{held}"


def _damage(wrong: list[str]) -> str:
    return ("" if wrong[0].startswith(_NEWER) else "DAMAGED: ") + ", ".join(wrong)


def _runs(runs: list[tuple[int, int]]) -> str:
    words = [f"{first}" if first == last else f"{first} to {last}" for first, last in runs[:5]]
    return f"groups {', '.join(words)}{' and more' if len(runs) > 5 else ''}"


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(sep=" ", timespec="seconds").replace("+00:00", " UTC")
