"""The settings file: TOML with the fields of `Settings`, and a commented one to begin with."""

import difflib
import json
import os
import tomllib
from typing import Any

from recrawl.crawler.settings import NAMES, Settings
from recrawl.errors import DataError, InputError


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a settings file says; unknown names are refused, with the nearest known one."""
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"is not TOML: {error}", path) from None
    for name in given:
        if name not in NAMES:
            raise DataError(f"{name} is no setting{_nearest(name)}", path, argument=name)
    try:
        Settings(**given)
    except InputError as error:
        raise DataError(str(error), path, argument=error.argument) from None
    base = os.path.dirname(path)
    for name in ("urls", "data", "warc"):  # beside the file, wherever one stands
        if name in given:
            given[name] = os.path.join(base, given[name])
    return given


def _nearest(name: str) -> str:
    near = difflib.get_close_matches(name.replace("-", "_").lower(), NAMES, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(NAMES)}"


TEMPLATE = """\
# Settings of `recrawl run`. Every key is also an option: max_in_flight here is --max-in-flight there,
# and options win. Lines that begin with # are what holds without them.

# Where sites begin. Pages under these addresses are kept fresh; robots.txt says where their sitemaps are.
sites = [{sites}]

# More pages, one URL a line.
# urls = "urls.txt"

# The budget: requests a second, all told (5/s, 100/min, 20000/day). Sitemaps and robots.txt count, too.
rate = {rate}

# Whom people may ask about the crawler: a mail address or a URL. It becomes part of the User-Agent.
contact = {contact}

# Where everything is kept: the frontier, what was told, the feed of changes, the status.
data = {data}

# Also keep what was fetched, as WARC files in this folder.
# warc = "warc"

# Tell somebody of each change: a command, which gets JSON on its stdin, or an address that it is posted to.
# on_change = "./index-page"
# on_change_secret = ""             # signs posts: X-Recrawl-Signature

# -- being polite -----------------------------------------------------------------------------------------------------
# gap = 1.0                         # seconds between two requests to one host; a longer Crawl-delay is obeyed
# max_in_flight = 1                 # requests to one host at a time
# robots_fresh = "1d"               # after which robots.txt is fetched again

# -- finding pages ----------------------------------------------------------------------------------------------------
# sitemaps = []                     # sitemaps that no robots.txt names
# feeds = []                        # feeds that no page names
# follow = 3                        # follow links on the site, so many steps deep
# most_pages = 1000000
# source_share = 0.05               # share of the budget for sitemaps and feeds
# discovery = 0.3                   # share of the budget kept for pages never fetched

# serve = "127.0.0.1:8700"          # a dashboard beside the crawl, and calls by HTTP

# -- being told -------------------------------------------------------------------------------------------------------
# listen = "127.0.0.1:8080"         # for IndexNow pings and WebSub deliveries
# public_url = "https://crawler.example.org"   # how others reach it

# -- what counts as a change ------------------------------------------------------------------------------------------
# compare = "auto"                  # auto, bytes, text, css:SELECTOR, json:/POINTER (see `recrawl diff`)
# ignore = ["[0-9]+ readers online"]
# tolerance = 0.0                   # how different two versions may be without counting as changed, 0 to 1
# unconditional_every = 20          # one fetch in so many does not trust the server's "not modified"
# [compare_sites]                   # (a table comes last in the file)
# "https://example.org/news/" = "css:main"

# -- limits -----------------------------------------------------------------------------------------------------------
# connections = 128                 # requests under way at a time
# timeout = 60                      # seconds for a request; idle_timeout and connect_timeout are parts of it
# body_bytes = 20971520             # the longest page, unpacked
# allow_private = false             # also fetch from this machine and from private networks
"""


def template(sites: tuple[str, ...] = (), rate: str = "1/s", contact: str = "", data: str = "data") -> str:
    """A settings file to begin with, commented."""
    shown = ", ".join(map(_quoted, sites or ("https://example.org/",)))
    return TEMPLATE.format(sites=shown, rate=_quoted(rate), contact=_quoted(contact), data=_quoted(data))


def _quoted(text: str) -> str:
    """A text of TOML: one of JSON, but for the halves of characters that JSON may write."""
    return json.dumps(text, ensure_ascii=False)
