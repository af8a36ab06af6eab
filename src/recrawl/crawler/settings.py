"""What a crawl is asked for, checked.  Every field is a key of the settings file and an option of `recrawl run`."""

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

from recrawl.arguments import between, whole_number
from recrawl.crawler import amounts
from recrawl.crawler.contact import contact
from recrawl.crawler.public_url import public_url
from recrawl.errors import InputError
from recrawl.fetch.addresses import allowed_at, allowed_by, literal
from recrawl.urls import normalise

DAY = 86_400.0
NAME = "recrawl"
"""What robots.txt files call this crawler."""
NEVER = "link-local addresses, metadata services and reserved ranges are never asked"


@dataclass(frozen=True)
class Settings:
    """Everything a `Crawler` is asked for.  Times are in seconds of its clock, unless said otherwise."""

    sites: tuple[str, ...] = ()
    """Addresses where sites begin: pages under them are kept fresh, robots.txt says where their sitemaps are."""
    urls: str | None = None
    """A file of more pages, one URL a line."""
    sitemaps: tuple[str, ...] = ()
    """Sitemaps that no robots.txt names."""
    feeds: tuple[str, ...] = ()
    """RSS or Atom feeds that no page names."""
    rate: float | None = 1.0
    """The budget: requests a second, all told; None for no limit."""
    data: str | None = None
    """The folder in which everything is kept; None keeps it in memory."""
    warc: str | None = None
    """A folder for WARC files."""
    on_change: str | None = None
    """A command run for each change (JSON on stdin), or an address that it is posted to."""
    on_change_secret: str = ""
    """What posts are signed with."""
    once: bool = False
    """Fetch every page once, and stop."""
    follow: int | None = None
    """Follow links on the site, so many steps deep; None: do not."""
    most_pages: int = 1_000_000
    """Pages beyond this many are not added."""
    allow_private: bool = False
    """Fetch from this machine and from private networks, too."""
    contact: str = ""
    """An address for people who wonder about the crawler: mail or URL; part of the User-Agent."""
    serve: str | None = None
    """Address and port of the service beside the crawl: a dashboard, and calls by HTTP."""
    listen: str | None = None
    """Host and port to listen on for IndexNow pings and WebSub deliveries."""
    public_url: str | None = None
    """How others reach what listens; WebSub subscriptions are made where this is given."""
    gap: float = 1.0
    """Between two requests to one host."""
    max_in_flight: int = 1
    """Requests to one host at a time."""
    connections: int = 128
    """Requests under way at a time, all told."""
    compare: str = "auto"
    """What counts as a change: auto, bytes, text, css:SELECTOR, json:/POINTER."""
    compare_sites: Mapping[str, str] = field(default_factory=dict)
    """The same for some sites: beginning of the address -> rule."""
    ignore: tuple[str, ...] = ()
    """Regular expressions: what matches is left out of comparisons."""
    tolerance: float = 0.0
    """How different two versions may be without counting as changed: 0 to 1."""
    robots_fresh: float = DAY
    """After which robots.txt is fetched again."""
    source_share: float = 0.05
    """Share of the budget for sitemaps and feeds."""
    unconditional_every: int = 20
    """One fetch in so many asks for the whole page, although the server could say that nothing changed."""
    lease: float = 300.0
    """Seconds of the machine after which a page under way is given up."""
    discovery: float | None = None
    """Share of the budget kept for pages never fetched; None: they compete with the others."""
    window: float = 1.0
    """The shortest stretch of time over which the rate is kept."""
    timeout: float = 60.0
    """Seconds of the machine for a whole request."""
    idle_timeout: float = 20.0
    """Seconds of the machine without a byte."""
    connect_timeout: float = 10.0
    """Seconds of the machine to connect."""
    body_bytes: int = 20 << 20
    """The longest page, unpacked."""
    user_agent: str = ""
    """The whole User-Agent, where it is not to be recrawl/VERSION (+CONTACT)."""

    def __post_init__(self) -> None:
        for name, value in _checked(self).items():
            object.__setattr__(self, name, value)

    def check_ready(self) -> None:
        """Refuse what cannot be run: nothing to fetch, nobody to ask about it, wrong addresses, wrong rules."""
        if not (self.sites or self.urls or self.sitemaps or self.feeds):
            raise InputError("sites must name at least one site, got none; give --site URL or --urls FILE", "sites")
        if self.public_url is not None and self.listen is None:
            raise InputError("listen must be given with public_url, got none; give --listen HOST:PORT", "listen")
        starts = [*self.sites, *self.sitemaps, *self.feeds]
        for url in starts:
            if not _may_be_asked(url, self.allow_private):
                remedy = "to fetch from this machine, add --allow-private"
                if not _may_be_asked(url, True):
                    remedy = NEVER
                raise InputError(f"sites must be public, got {url}; {remedy}", "sites")
        self.hook_allowed()
        self._check_parts()
        if not self.contact and not self.user_agent and (self.urls or not all(map(_is_loopback, starts))):
            raise InputError(
                "contact must say whom people may ask about the crawler, got none; "
                "give --contact MAIL or --contact URL, or contact = ... in the settings file",
                argument="contact",
            )

    def _check_parts(self) -> None:
        """Refuse what others read only when the crawl has begun: rules of comparison, and where to listen."""
        from recrawl.compare import Rules
        from recrawl.crawler.comparing import tables

        Rules.parse(tables(self))
        if self.listen is not None:
            from recrawl.crawler.listening.server import split

            split(self.listen)

    def hook_allowed(self) -> Callable[[str], bool]:
        """Which addresses changes may be posted to; refuses an `on_change` that is one of the others."""
        from recrawl.outputs.hooks import is_address

        if self.on_change is not None and not self.on_change.strip():
            raise InputError(f"on_change must be a command or an address, got {self.on_change!r}", "on_change")
        if self.on_change is None or not is_address(self.on_change):
            return allowed_by(self.allow_private)
        host = urlsplit(_url("on_change", self.on_change.strip())).hostname or ""
        allowed, address = allowed_at(host, self.allow_private), literal(host)
        if address is not None and not allowed(address):
            raise InputError(f"on_change must be an address to post to, got {self.on_change}; {NEVER}", "on_change")
        return allowed

    @property
    def agent(self) -> str:
        """The User-Agent."""
        from recrawl import __version__

        if self.user_agent:
            return self.user_agent
        return f"{NAME}/{__version__} (+{self.contact})" if self.contact else f"{NAME}/{__version__}"


NAMES = tuple(f.name for f in fields(Settings))


def _checked(given: Settings) -> dict[str, Any]:
    """The fields as the crawler takes them."""
    found: dict[str, Any] = {"rate": amounts.rate("rate", given.rate)}
    for name in ("sites", "sitemaps", "feeds"):
        found[name] = tuple(dict.fromkeys(_url(name, url) for url in _texts(name, getattr(given, name))))
    found["ignore"] = _texts("ignore", given.ignore)
    for name in ("gap", "robots_fresh", "lease", "window", "timeout", "idle_timeout", "connect_timeout"):
        found[name] = amounts.seconds(name, getattr(given, name))
    for name in ("lease", "window", "timeout", "idle_timeout", "connect_timeout"):
        if not found[name] > 0.0:
            raise InputError(f"{name} must be above 0 seconds, got {found[name]:g}", argument=name)
    for name, least in (("max_in_flight", 1), ("connections", 1), ("most_pages", 1), ("body_bytes", 1)):
        found[name] = whole_number(name, getattr(given, name), least)
    found["unconditional_every"] = whole_number("unconditional_every", given.unconditional_every, 1)
    found["follow"] = None if given.follow is None else whole_number("follow", given.follow, 0)
    found["source_share"] = between("source_share", given.source_share, 0.0, 1.0)
    found["tolerance"] = between("tolerance", given.tolerance, 0.0, 1.0)
    found["discovery"] = None if given.discovery is None else between("discovery", given.discovery, 0.0, 1.0)
    if found["lease"] < found["timeout"]:
        raise InputError(
            f"lease must be at least the timeout of {found['timeout']:g} s, got {found['lease']:g}", argument="lease"
        )
    for name in ("contact", "user_agent", "compare", "on_change_secret"):
        found[name] = _text(name, getattr(given, name))
    found["contact"] = contact(found["contact"])
    for name in ("urls", "data", "warc", "on_change", "serve", "listen", "public_url"):
        value = getattr(given, name)
        found[name] = None if value is None else _text(name, value)
    found["public_url"] = public_url(found["public_url"])
    for name in ("once", "allow_private"):
        if not isinstance(getattr(given, name), bool):
            raise InputError(f"{name} must be true or false, got {getattr(given, name)!r:.80}", argument=name)
    sites = given.compare_sites
    if not isinstance(sites, Mapping) or not all(isinstance(x, str) for pair in sites.items() for x in pair):
        raise InputError(f"compare_sites must map sites to rules, got {sites!r:.80}", argument="compare_sites")
    return found


def _url(name: str, text: str) -> str:
    try:
        return normalise(text)
    except InputError:
        if "://" not in text:
            remedy = f"; did you mean https://{text}?"
            raise InputError(f"{name} must be complete URLs, got {text!r:.80}{remedy}", argument=name) from None
        raise


def _texts(name: str, value: Any) -> tuple[str, ...]:
    values = (value,) if isinstance(value, str) else value
    if not isinstance(values, (list, tuple)):
        raise InputError(f"{name} must be texts, got {value!r:.80}", argument=name)
    return tuple(_text(name, text) for text in values)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise InputError(f"{name} must be one line of text, got {value!r:.80}", argument=name)
    return value


def _is_loopback(url: str) -> bool:
    """Whether the address names this machine, without asking anybody."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _may_be_asked(url: str, allow_private: bool) -> bool:
    """Whether the address, as it is written, is one that is fetched from; names are looked up when they are fetched."""
    address = literal(urlsplit(url).hostname or "")
    return (allow_private or not _is_loopback(url)) and (address is None or allowed_by(allow_private)(address))
