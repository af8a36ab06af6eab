"""``recrawl livingweb``: a web on loopback whose pages change, and a true score for every crawler that comes."""

import argparse
import json
import signal
import sys
from typing import TYPE_CHECKING, Any

from recrawl.cli import layout
from recrawl.cli.help import Help
from recrawl.errors import InputError
from recrawl.files.cells import number

if TYPE_CHECKING:
    from recrawl.livingweb import HostPlan, LivingWeb, Score

PRESETS = ("demo", "many", "hostile")
HOSTS = 20
MOST_PORT = 65_535

_DESCRIPTION = """\
Serve a web on 127.0.0.1 whose pages change while you watch, and score every crawler that is pointed at it: how fresh
its copies truly are over time, how polite it is, what it wastes. Nothing is reachable from other machines.
"""

_EPILOG = """\
the webs:
  demo      one host with the pages of kubernetes.io and their changes of four years; its sitemap's lastmod misses
            half of the changes, and two of five of its advances are false
  many      --hosts healthy hosts of --pages pages: Poisson changes, bursts, daily cycles, builds; sitemaps plain,
            packed and in parts, feeds, robots.txt with forbidden paths
  hostile   the same, but a fifth of the hosts has faults: redirect loops, resets, bombs, endless bodies and more;
            --faults lists them

names:
  A web of one host is at http://127.0.0.1:PORT/. Hosts of others are h0.localhost, h1.localhost, ... at one port:
  curl and browsers know where that is. With --own-ports each host has a port of its own on 127.0.0.1, for all others.

scores:
  A crawler is known by the first word of its User-Agent (mybot in 'mybot/1.0 (+https://...)'). A copy counts as
  fresh from the moment that the page was sent in whole (or confirmed by 304) until its next change. Scores are
  printed when the web's time is over or Ctrl-C comes; while it runs, ask the control port.

examples:
  recrawl livingweb --lasting 60                     four years in a minute, then the scores
  recrawl livingweb many --hosts 50 --lasting 600    a year of fifty hosts in ten minutes
  recrawl livingweb --port 8000 --control-port 8001  at fixed ports, at the pace of your clock
  recrawl livingweb hostile --urls urls.txt --every 5
  curl -A mybot http://127.0.0.1:8000/sitemap.xml
  curl 'http://127.0.0.1:8001/-/score?agent=mybot'
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "livingweb",
        help="a web on this machine whose pages change, to test crawlers with",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Help,
    )
    add = parser.add_argument
    preset = add("preset", metavar="WEB", nargs="?", default="demo", help="demo (default), many or hostile")
    preset.words = lambda: PRESETS
    add("--hosts", metavar="N", type=int, help=f"hosts of many and hostile (default {HOSTS})")
    add("--pages", metavar="N", type=int, help="pages a host (default: 100; demo: those of the history)")
    add("--history", metavar="FILE", help="replay this history (see 'recrawl dataset git') instead of the shipped one")
    add("--lasting", metavar="S", type=number, help="seconds in which the time of the web passes")
    add("--scale", metavar="X", type=number, help="how much faster than yours its clock runs (default 1)")
    add("--days", metavar="D", type=number, help="days of its time (default: those of the history, or 365)")
    add("--crawl-delay", metavar="S", type=number, help="seconds of its time that robots.txt of many, hostile asks for")
    add("--seed", metavar="N", type=int, default=0, help="of all that is drawn (default 0)")
    add("--port", metavar="P", type=int, default=0, help="where crawlers come (default: one that is free)")
    add("--control-port", metavar="P", type=int, default=0, help="where you ask for scores (default: one that is free)")
    add("--own-ports", action="store_true", help="a port for each host, so that no names are needed")
    add("--urls", metavar="FILE", help="write the URLs of all pages, one a line")
    add("--log", metavar="FILE", help="append a line of JSON for each request")
    add("--every", metavar="S", type=number, help="print the scores every so many seconds")
    add("--faults", action="store_true", help="list the faults of hostile hosts, and end")
    add("--json", action="store_true", help="print JSON lines: where it listens, then scores")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    if args.faults:
        _list_faults()
        return
    from recrawl.livingweb import LivingWeb

    if args.lasting is not None and args.scale is not None:
        raise InputError("--lasting and --scale say the same thing; give one of them", argument="scale")
    for name in ("port", "control_port"):
        if not 0 <= getattr(args, name) <= MOST_PORT:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} must be from 0 to {MOST_PORT}, got {getattr(args, name)}", argument=name)
    if args.every is not None and not args.every > 0.0:
        raise InputError(f"--every must be > 0, got {args.every:g}", argument="every")
    web = LivingWeb(
        _plans(args),
        lasting=args.lasting,
        scale=args.scale,
        days=args.days,
        seed=args.seed,
        port=args.port,
        control_port=args.control_port,
        own_ports=args.own_ports,
        log=args.log,
    )
    with web:
        _begin(args, web)
        try:
            _wait(args, web)
        except KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, 0.0)  # the interrupt is heard: it need not come again
            _scores(args, web)


def _list_faults() -> None:
    from recrawl.livingweb.faults import FAULTS

    for line in layout.pairs([(name, fault.meaning) for name, fault in FAULTS.items()], layout.columns()):
        print(line)


def _plans(args: argparse.Namespace) -> "tuple[HostPlan, ...]":
    from recrawl.livingweb import demo, hostile, many

    if args.preset not in PRESETS:
        raise InputError(f"WEB must be one of {', '.join(PRESETS)}, got {args.preset!r}", argument="preset")
    for name in ("hosts", "pages"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            raise InputError(f"--{name} must be at least 1, got {getattr(args, name)}", argument=name)
    if args.preset == "demo":
        for name in ("hosts", "crawl_delay"):
            if getattr(args, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"{option} is for many and hostile, not for demo", argument=name)
        from recrawl.histories.files import read_history

        return demo(None if args.history is None else read_history(args.history), pages=args.pages)
    if args.history is not None:
        raise InputError(f"--history is for demo, not for {args.preset}", argument="history")
    make = many if args.preset == "many" else hostile
    return make(args.hosts or HOSTS, args.pages or 100, crawl_delay=args.crawl_delay)


def _begin(args: argparse.Namespace, web: "LivingWeb") -> None:
    """Say where it is, and write the URLs."""
    if args.urls is not None:
        from recrawl.files.whole import whole

        with whole(args.urls) as file:
            file.writelines(f"{url}\n".encode() for url in web.page_urls())
    settings = web.settings
    if args.json:
        where = {"port": web.port, "control_port": web.control_port, "urls": web.urls, "scale": settings.scale}
        print(json.dumps(where), flush=True)
        return
    first = next(iter(web.urls.values()))
    others = f" and {len(web.hosts) - 1:,} hosts more" if len(web.hosts) > 1 else ""
    lasts = f"in {settings.days * 86400.0 / settings.scale:,.0f} s"
    pace = "at the pace of your clock; --lasting makes it shorter" if settings.scale == 1.0 else lasts
    rows = [
        ("crawlers", f"{first}{others}, {len(web.world):,} pages"),
        ("time", f"{settings.days:,.0f} days {pace}"),
        ("score", f"http://127.0.0.1:{web.control_port}/-/score?agent=NAME"),
        ("end", "Ctrl-C"),
    ]
    for line in layout.pairs(rows, layout.columns()):
        print(line)
    sys.stdout.flush()


def _wait(args: argparse.Namespace, web: "LivingWeb") -> None:
    """Until the web's time is over, or someone stopped it by the control port."""
    clock, end = web.clock, web.settings.days * 86400.0
    while (left := clock.real(end - clock.monotonic())) > 0.0:
        if web.wait(left if args.every is None else min(left, args.every)):
            return
        if args.every is not None and clock.monotonic() < end:
            _scores(args, web)
    _scores(args, web)


def _scores(args: argparse.Namespace, web: "LivingWeb") -> None:
    """A line for each crawler."""
    scores = [web.score(agent) for agent in web.agents()]
    if args.json:
        print(json.dumps({score.agent: score.as_json() for score in scores}), flush=True)
        return
    if not scores:
        print("nobody came")
        return
    headings = ["crawler", "day", "fresh", "now", "requests", "useful", "wasted", "disallowed", "at once", "gap s"]
    print()
    for line in layout.table(headings, [_cells(score) for score in scores], layout.columns()):
        print(line)
    sys.stdout.flush()


def _cells(score: "Score") -> list[str]:
    return [
        score.agent,
        f"{score.days:,.1f}",
        f"{score.freshness:.4f}",
        f"{score.fresh_now:.4f}",
        f"{score.requests:,}",
        f"{score.useful:,}",
        f"{score.wasted:,}",
        f"{score.disallowed:,}",
        f"{score.most_at_once:,}",
        f"{score.shortest_gap:.3g}",
    ]
