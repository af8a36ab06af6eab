"""How long one fetch may take, and how much of it is read."""

from dataclasses import dataclass

from recrawl.arguments import above, whole_number

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one fetch.  Times are the machine's own seconds, whatever clock the crawler goes by.

    total: of the whole fetch with its redirects, without the time spent waiting for politeness
    idle: between two pieces of an answer
    connect: for one connection, TLS included, and for one look-up of a name
    body_bytes: of the body, decompressed
    raw_bytes: of the body, as it is transferred
    header_bytes: of the status line and headers; one header may have a quarter of that
    redirects: how many are followed
    """

    total: float = 60.0
    idle: float = 20.0
    connect: float = 10.0
    body_bytes: int = 20 * MEBIBYTE
    raw_bytes: int = 20 * MEBIBYTE
    header_bytes: int = 64 * 1024
    redirects: int = 5

    def __post_init__(self) -> None:
        for name in ("total", "idle", "connect"):
            above(name, getattr(self, name), 0.0, finite=True)
        for name in ("body_bytes", "raw_bytes", "redirects"):
            whole_number(name, getattr(self, name), 0)
        whole_number("header_bytes", self.header_bytes, 1024)
