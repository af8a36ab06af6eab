"""``recrawl demo``: the whole crawler and its rivals in a web on this machine, four years in a minute."""

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli import layout
from recrawl.cli.help import Help
from recrawl.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from recrawl.demo.result import Result
    from recrawl.demo.settings import Settings

_DESCRIPTION = """\
Watch four crawlers keep copies of a real site fresh, for four years, in a minute. Works offline.

A web server on this machine replays when the pages of the documentation of Kubernetes really changed. Some pages
matter much more than others. A sitemap tells of half of the changes, and two of five things it tells are false. The
crawler that 'recrawl run' runs fetches from it over real HTTP. Nobody tells it how often pages change or what the
sitemap is worth. Equal intervals, Nutch's and StormCrawler's adaptive rules run beside it, with as many requests. The
server knows which copies are fresh.
"""

_EPILOG = """\
examples:
  recrawl demo                          a minute; a table and a drawing
  recrawl demo --out demo               also demo/demo.png, demo/demo.json and the crawler's own folder, demo/data
  recrawl demo --budget 0.5             five times the bandwidth
  recrawl demo --serve 127.0.0.1:8700   with a dashboard in the browser
  recrawl demo --pages 200 --seconds 15 smaller and shorter

The first time on a machine, code is compiled for a minute or two. The rivals make their copies meanwhile; the race
begins when all have theirs.
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "demo",
        help="watch the crawler and its rivals keep a real site fresh: four years in a minute",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="how long the four years take (60)")
    parser.add_argument("--budget", type=float, default=0.1, metavar="B", help="requests a page and month (0.1)")
    parser.add_argument("--pages", type=int, metavar="N", help="so many pages of the site (all 1,233)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="which changes the sitemap tells of (0); importance stays"
    )
    parser.add_argument("--out", metavar="DIR", help="a new folder for the picture, the numbers and the crawler's data")
    parser.add_argument("--serve", metavar="ADDRESS:PORT", help="a dashboard of our crawler while it runs")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out the command."""
    if args.out is not None and os.path.exists(args.out) and (not os.path.isdir(args.out) or os.listdir(args.out)):
        raise InputError(f"--out must be a new or an empty folder, got {args.out}; name another", argument="out")
    if args.serve is not None:
        _check_serve(args.serve)
    from recrawl.cli.demo.view import view
    from recrawl.demo import course
    from recrawl.demo.settings import Settings

    settings = Settings(seconds=args.seconds, budget=args.budget, seed=args.seed, pages=args.pages)
    if args.out is not None:
        os.makedirs(args.out, exist_ok=True)
    with view(sys.stderr) as shown:
        data = None if args.out is None else os.path.join(args.out, "data")
        result = course.run(settings, shown.show, data=data, serve=args.serve)
    result = _with_needs(settings, result)
    if args.json:
        print(json.dumps(result.plain()))
    else:
        _print(args, result)
    if args.out is not None:
        _write(args.out, result)
    return 0


def _check_serve(listen: str) -> None:
    """Refuse what cannot be before anything starts."""
    try:
        from recrawl.server.doors import check_tokens, listen_address
        from recrawl.server.serving import check_free
    except ImportError as error:
        raise MissingExtraError("recrawl demo --serve", "server") from error
    host, port = listen_address(listen, "--serve")
    check_tokens(host, None)
    check_free(host, port)


def _with_needs(settings: "Settings", result: "Result") -> "Result":
    """What the rivals would need, by the simulator: loaded now, since it takes a while."""
    from dataclasses import replace

    from recrawl.cli.progress import Progress

    with Progress(sys.stderr) as progress:
        progress.stage("simulating what the others would need")
        from recrawl.demo.needs import needs

        past = settings.history()
        found = needs(past, settings.importance(past), settings.rate(len(past)), result.ours.freshness)
    return replace(result, needs=found)


def _print(args: argparse.Namespace, result: "Result") -> None:
    from recrawl.cli.demo import drawing, report

    width = layout.columns()
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    for block in (
        drawing.draw(result, width, ascii_only=plain),
        report.table(result, width),
        [*report.bottom_line(result, width), *report.behind(result, width)],
        report.next_steps(args.out),
    ):
        print("\n".join(block))
        print()
    sys.stdout.flush()


def _write(out: str, result: "Result") -> None:
    from recrawl.files.whole import whole

    with whole(os.path.join(out, "demo.json")) as file:
        file.write(json.dumps(result.plain()).encode())
    try:
        from recrawl.demo.plot import png

        picture = png(result)
    except ImportError:
        print("note: no picture without matplotlib; pip install 'recrawl[plot]' brings it", file=sys.stderr)
        return
    path = os.path.join(out, "demo.png")
    with whole(path) as file:
        file.write(picture)
    print(f"wrote {path}", file=sys.stderr)
