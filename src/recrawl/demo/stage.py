"""What every crawler of a demo is told: where the web is, its pages, its clock and the budget."""

from dataclasses import dataclass

from recrawl.clock import ScaledClock


@dataclass(frozen=True)
class Stage:
    """Sent to the processes of the crawlers.  The clock stands still until they are told when time began."""

    base: str
    """How URLs begin."""
    urls: tuple[str, ...]
    importance: tuple[float, ...]
    rate: float
    """Requests a day."""
    days: float
    scale: float
    start: float
    seed: int
    data: str
    """Folder for what the crawler keeps."""
    serve: str | None = None
    """Address and port of the service beside our crawler."""

    def clock(self) -> ScaledClock:
        """The web's clock, before time begins."""
        return ScaledClock(self.scale, self.start, float("inf"))
