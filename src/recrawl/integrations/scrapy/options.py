"""The settings RECRAWL_*, checked."""

from dataclasses import dataclass
from typing import Any, Self

from scrapy.settings import BaseSettings

from recrawl.arguments import above, whole_number
from recrawl.compare import Rules
from recrawl.crawler.amounts import rate, seconds
from recrawl.errors import InputError

USUAL_GAP = 1.0
"""Seconds between two requests to a host, where the frontier is ours and nothing is said."""
USUAL_IN_FLIGHT = 8
"""As Scrapy's own CONCURRENT_REQUESTS_PER_DOMAIN."""
IN_FLIGHT = 100
"""Requests to all hosts at once, unless the project says otherwise."""


@dataclass(frozen=True)
class Options:
    """What the settings say.  `kept` are those of the frontier in `data`; those it has stay where nothing is said."""

    data: str
    server: str
    token: str
    kept: dict[str, Any]
    gap: float
    max_in_flight: int
    lease: float
    discover: bool
    conditional: bool
    retry: bool
    rules: Rules

    @classmethod
    def read(cls, settings: BaseSettings) -> Self:
        """From the settings of a crawler."""
        data, server = settings.get("RECRAWL_DATA") or "", settings.get("RECRAWL_SERVER") or ""
        if bool(data) == bool(server):
            raise InputError(
                "RECRAWL_DATA or RECRAWL_SERVER must be set, and not both: the folder of a frontier, or the URL of "
                f"a server; got {data!r} and {server!r}"
            )
        if server and settings.get("RECRAWL_RATE") is not None:
            raise InputError("RECRAWL_RATE goes with RECRAWL_DATA; the rate of a server is set there")
        gap = seconds("RECRAWL_GAP", settings.get("RECRAWL_GAP", USUAL_GAP if data else 0.0))
        in_flight = whole_number("RECRAWL_MAX_IN_FLIGHT", settings.getint("RECRAWL_MAX_IN_FLIGHT", USUAL_IN_FLIGHT), 1)
        kept: dict[str, Any] = {"gap": gap, "max_in_flight": in_flight}
        if settings.get("RECRAWL_RATE") is not None:
            kept["rate"] = rate("RECRAWL_RATE", settings["RECRAWL_RATE"])
        if settings.get("RECRAWL_DISCOVERY") is not None:
            kept["discovery"] = settings.getfloat("RECRAWL_DISCOVERY")
        return cls(
            data=str(data),
            server=str(server),
            token=str(settings.get("RECRAWL_TOKEN") or ""),
            kept=kept,
            gap=gap,
            max_in_flight=in_flight,
            lease=above("RECRAWL_LEASE", seconds("RECRAWL_LEASE", settings.get("RECRAWL_LEASE", 300.0)), 0.0),
            discover=settings.getbool("RECRAWL_DISCOVER"),
            conditional=settings.getbool("RECRAWL_CONDITIONAL", True),
            retry=settings.getbool("RECRAWL_RETRY"),
            rules=Rules.parse([{"match": "*", "compare": settings.get("RECRAWL_COMPARE", "auto")}]),
        )
