"""``recrawl complete``: what came of leased pages."""

import argparse
from collections import Counter
from typing import Any

from recrawl.cli.calls import counting, rows, where
from recrawl.cli.help import Help

_DESCRIPTION = """\
Tell a service, or the frontier in a folder, what came of pages that 'recrawl lease' gave.
"""

_EPILOG = f"""\
lines:
{rows.LINES.replace("a URL, or a", "a")}
  All but token may be missing:
  token           as the lease gave it
  status          HTTP status (200): 304 is unchanged, 404 and 410 gone, 301 and 308 moved, other errors failed
  digest          of the content: where nobody says changed, digests are compared
  changed         true or false, where you have compared yourself
  etag            as the server sent it, to come with the next lease
  last_modified   the same
  error           what went wrong where there is no status, such as timeout
  retry_after     seconds for which the host wants to be left alone
  moved_to        where the page is now, for 301 and 308
  at              when it was fetched, in seconds since 1970 (now)

  What else a lease says (url, expires, first) may stand there, too, and is passed over.

examples:
  echo '{{"token": 17, "status": 200, "digest": "9f2c"}}' | recrawl complete --server http://127.0.0.1:8700
  recrawl complete outcomes.ndjson --data data/
"""
KINDS: rows.Kinds = {
    "token": rows.WHOLE,
    "status": rows.WHOLE,
    "digest": rows.TEXT,
    "changed": rows.BOOL,
    "etag": rows.TEXT,
    "last_modified": rows.TEXT,
    "error": rows.TEXT,
    "retry_after": rows.NUMBER,
    "moved_to": rows.TEXT,
    "at": rows.NUMBER,
    "url": rows.TEXT,
    "expires": rows.NUMBER,
    "first": rows.BOOL,
}
RESULTS = ("changed", "unchanged", "unknown", "failed", "gone", "moved")
WORDS = {
    "changed": "changed",
    "unchanged": "unchanged",
    "unknown": "first copies or not to compare",
    "failed": "failed",
    "gone": "gone",
    "moved": "moved",
    "late": "of them late",
    "repeated": "told before",
    "refused": "left out",
}


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "complete",
        help="what came of leased pages, from NDJSON",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    rows.add_options(parser, "files of outcomes", "FILE")
    where.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    reading = rows.Reading(args.given, KINDS, skip_bad=args.skip_bad, plain=False)
    counts: Counter[str] = Counter()
    with reading.begun() as chunks, where.opened(args) as frontier:
        for some in chunks:
            names = ("status", "digest", "changed", "error", "moved_to")
            said: dict[str, Any] = {name: rows.column(some, name) for name in names}
            with reading.done(some):
                done = frontier.complete(
                    [row.fields["token"] for row in some],
                    validators=_validators(some),
                    retry_after=rows.numbers(some, "retry_after"),
                    at=_moments(some),
                    **said,
                )
            counts.update({name: getattr(done, name) for name in (*RESULTS, "late")}, repeated=len(done.repeated))
    counts["refused"] = reading.left_out
    reading.tell()
    counting.show("outcomes", counts, WORDS, args.json)


def _validators(some: list[rows.Row]) -> list[dict[str, str] | None] | None:
    said = [{name: row.fields.get(name) or "" for name in ("etag", "last_modified")} for row in some]
    return [each if any(each.values()) else None for each in said] if any(any(s.values()) for s in said) else None


def _moments(some: list[rows.Row]) -> list[float] | None:
    """When pages were fetched: now, where a line says nothing and another does."""
    from recrawl.clock import wall_seconds

    said = rows.column(some, "at")
    return None if said is None else [wall_seconds() if at is None else at for at in said]
