"""`Visit`: a request with all that an answer may depend on."""

from dataclasses import dataclass

from recrawl.livingweb.scoring.book import Agent
from recrawl.livingweb.wire.request import Request
from recrawl.livingweb.world import Host


@dataclass(slots=True)
class Visit:
    """Who asks what of whom, when (seconds since the world began), and how long after it last asked that host."""

    host: Host
    agent: Agent
    request: Request
    now: float
    gap: float

    @property
    def path(self) -> str:
        """What is asked for, without the query."""
        return self.request.path

    @property
    def base(self) -> str:
        """How URLs of the host begin for this crawler: with the name that it asked for."""
        return "http://" + self.request.headers.get(b"host", b"").decode("latin-1")

    def header(self, name: bytes) -> str | None:
        """A header of the request, by its name in small letters."""
        value = self.request.headers.get(name)
        return None if value is None else value.decode("latin-1")
