"""Options of `recrawl run` and the settings they make, together with a settings file."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recrawl.crawler.settings import Settings

DEPTH = 3
"""Steps that links are followed, where nothing else is said."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options whose names are those of settings; what is not given is left to the settings file."""

    def add(group: Any, name: str, metavar: str | None, text: str, **more: Any) -> None:
        options = {"metavar": metavar} if metavar else {}
        group.add_argument(
            f"--{name}", dest=name.replace("-", "_"), default=argparse.SUPPRESS, help=text, **options, **more
        )

    what = parser.add_argument_group("what to keep fresh")
    add(what, "site", "URL", "where a site begins; its sitemaps are found by themselves", action="extend", nargs="+")
    add(what, "urls", "FILE", "more pages, one URL a line")
    add(what, "sitemap", "URL", "a sitemap that no robots.txt names", action="append")
    add(what, "feed", "URL", "an RSS or Atom feed that no page names", action="append")
    add(
        what,
        "follow",
        "DEPTH",
        f"follow links on the site, so many steps deep ({DEPTH})",
        nargs="?",
        const=DEPTH,
        type=int,
    )
    add(what, "most-pages", "N", "at most so many pages; more are not added (1000000)", type=int)
    what.add_argument(
        "--once",
        dest="once",
        default=argparse.SUPPRESS,
        action="store_true",
        help="fetch every page once, and stop; exit status 1 where none could be fetched",
    )

    how = parser.add_argument_group("how fast, and how politely")
    add(how, "rate", "RATE", "requests in all: 5/s, 100/min, 20000/day, none for no limit (1/s)")
    add(how, "contact", "MAIL|URL", "whom people may ask about the crawler; part of the User-Agent")
    add(how, "gap", "S", "seconds between two requests to one host (1)")
    add(how, "max-in-flight", "N", "requests to one host at a time (1)", type=int)
    add(how, "connections", "N", "requests under way at a time (128)", type=int)
    add(how, "source-share", "SHARE", "share of the rate for sitemaps and feeds (0.05)", type=float)
    add(how, "discovery", "SHARE", "share of the rate kept for pages never fetched", type=float)
    how.add_argument(
        "--allow-private", dest="allow_private", default=argparse.SUPPRESS, action="store_true",
        help="also fetch from this machine and from private networks",
    )  # fmt: skip

    where = parser.add_argument_group("where results go")
    add(where, "data", "DIR", "where everything is kept")
    add(where, "warc", "DIR", "also write WARC files there")
    add(where, "on-change", "CMD|URL", "run a command for each change, or post it to an address")
    add(where, "compare", "RULE", "what counts as a change: auto, bytes, text, css:SELECTOR, json:/POINTER")
    add(where, "ignore", "REGEX", "left out of comparisons; may be given several times", action="append")
    add(where, "tolerance", "SHARE", "how different two versions may be without counting as changed", type=float)

    add(where, "serve", "ADDRESS:PORT", "a dashboard beside the crawl, and calls by HTTP, such as 127.0.0.1:8700")

    told = parser.add_argument_group("being told of changes")
    add(told, "listen", "HOST:PORT", "listen for IndexNow pings and WebSub deliveries")
    add(told, "public-url", "URL", "how others reach what listens; WebSub needs it")


_PLURAL = {"site": "sites", "sitemap": "sitemaps", "feed": "feeds"}


def settings_of(args: argparse.Namespace) -> "Settings":
    """The settings in the file, and what options say instead."""
    from recrawl.crawler import settings_file
    from recrawl.crawler.amounts import seconds
    from recrawl.crawler.settings import NAMES, Settings

    given: dict[str, Any] = settings_file.read(args.config) if args.config is not None else {}
    for name, value in vars(args).items():
        if (setting := _PLURAL.get(name, name)) not in NAMES:
            continue
        given[setting] = seconds(name, value) if name == "gap" else value
    return Settings(**given)
