"""``recrawl diff``: what the last two versions of a page differ in, under each way to compare them."""

import argparse
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from recrawl.cli import layout
from recrawl.cli.crawl.folders import check_crawl, shelf_of, shown, when
from recrawl.cli.help import Help
from recrawl.cli.numbers import percent_text
from recrawl.errors import InputError

if TYPE_CHECKING:
    from recrawl.compare import Rule, Version

WIDEST = 200

_DESCRIPTION = """\
Show what the last two versions of a page differ in: in all bytes, in the main text, and under the rule that the crawl
has for it. So one can choose a rule under which an ad or a time does not count. Try others with --compare, --ignore
and --tolerance; nothing is changed. The crawl may be running.
"""

_EPILOG = """\
the table:
  compared     characters that are compared, of the older and the newer version
  differ in    the share of words that are in one and not in the other (more exactly: pairs of neighbouring words)
  verdict      whether that counts as a change under the rule

rules:
  bytes           every byte
  text            the main text of an HTML page: no scripts, navigation, page header and footer, marked ads
  css:SELECTOR    the text of the elements that match
  json:/POINTER   a part of a JSON document
  auto            text for HTML, bytes for all else

examples:
  recrawl diff https://a.example/news --data data/
  recrawl diff https://a.example/news --data data/ --compare css:main --ignore '\\d+ views' --ignore @ago
"""


class _Outcome(NamedTuple):
    """What came of a rule."""

    name: str
    old: str
    new: str
    difference: float
    same: bool
    notes: list[str]


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "diff",
        help="what the last two versions of a page differ in",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("url", metavar="URL", help="the page")
    parser.add_argument("--data", metavar="DIR", required=True, help="the folder of a crawl")
    parser.add_argument("--compare", metavar="RULE", help="also try this rule")
    parser.add_argument(
        "--ignore", metavar="PATTERN", action="append", default=[], help="leave out what matches; may be repeated"
    )
    parser.add_argument("--tolerance", metavar="SHARE", type=float, default=0.0, help="such as 0.02 (default: 0)")
    parser.add_argument("--lines", metavar="N", type=int, default=40, help="of each difference (default: 40)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    from recrawl.compare import Rule, kept_rules, versions
    from recrawl.store import Shelf
    from recrawl.urls import normalise

    check_crawl(args.data, "--data")
    if args.lines < 0:
        raise InputError(f"--lines must not be negative, got {args.lines}", "lines")
    url = normalise(args.url)
    with Shelf(shelf_of(args.data), read_only=True) as shelf:
        found = versions.last_two(shelf, url)
        rules = [Rule.parse("bytes"), Rule.parse("text"), kept_rules.kept(shelf).of(url)]
    if len(found) < 2:
        seen = "has been fetched once, or never changed" if found else "was never kept"
        raise InputError(f"URL must be a page of which there are two versions, got {url}, which {seen}", "url")
    if args.compare or args.ignore or args.tolerance:
        rules.append(Rule.parse(args.compare or rules[2].text, args.ignore, args.tolerance))
    names = ["bytes", "text", f"{rules[2].text} (configured)", *(f"{rule.text} (tried)" for rule in rules[3:])]
    outcomes = [_outcome(name, rule, *found) for name, rule in zip(names, rules, strict=True)]
    for line in _report(url, found, outcomes, args.lines):
        print(line)


def _outcome(name: str, rule: "Rule", older: "Version", newer: "Version") -> _Outcome:
    from recrawl.compare import alike, difference, extracted

    old, new = (extracted(rule, version.body, version.content_type) for version in (older, newer))
    return _Outcome(
        name,
        old.text,
        new.text,
        difference(old.text, new.text),
        alike(old.text, new.text, rule.tolerance),
        sorted({each.note for each in (old, new) if each.note}),
    )


def _report(url: str, found: "tuple[Version, ...]", outcomes: list[_Outcome], most: int) -> Iterator[str]:
    width = layout.columns()
    yield shown(url)
    for name, version in zip(("older", "newer"), found, strict=True):
        kind = shown(version.content_type) or "no content type"
        yield f"  {name}  {when(version.time)} UTC  {len(version.body):,} bytes  {kind}"
    yield ""
    rows = [
        [o.name, f"{len(o.old):,}", f"{len(o.new):,}", _share(o), "the same" if o.same else "changed"] for o in outcomes
    ]
    yield from layout.table(["under", "compared", "and", "differ in", "verdict"], rows, width)
    yield from layout.notes([f"{o.name}: {shown(note)}" for o in outcomes for note in o.notes], width)
    told: dict[tuple[str, str], str] = {}
    for outcome in outcomes:
        yield ""
        texts = outcome.old, outcome.new
        if texts in told:
            yield f"{outcome.name}: as {told[texts]}"
            continue
        told[texts] = outcome.name
        yield f"{outcome.name}:{' no difference' if outcome.old == outcome.new else ''}"
        yield from _lines(outcome, most)


def _share(outcome: _Outcome) -> str:
    if outcome.old == outcome.new:
        return "0%"
    share = round(outcome.difference, 4)
    return percent_text(share) if share else "< 0.01%"


def _lines(outcome: _Outcome, most: int) -> Iterator[str]:
    from recrawl.compare import diff

    lines = diff(outcome.old, outcome.new)
    for line in islice(lines, most):
        yield "  " + (shown(line) if len(line) <= WIDEST else f"{shown(line[:WIDEST])} ...")
    left = sum(1 for _ in lines)
    if left:
        yield f"  ({left:,} more lines; --lines {most + left} shows them)"
