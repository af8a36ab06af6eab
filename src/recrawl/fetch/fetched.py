"""What came of a fetch, and the names of everything that can go wrong with one."""

from dataclasses import dataclass
from typing import NamedTuple

FAULTS = {
    "dns": "the name has no address, or the look-up failed or took too long",
    "address-refused": "the address is not one of the public web, or of one's own network where that is allowed",
    "port-refused": "web servers do not live at that port",
    "connect": "no connection: refused, unreachable, or not made in time",
    "tls": "no trusted connection: certificate or handshake",
    "reset": "the connection broke before the answer was complete",
    "timeout": "the fetch took longer than Limits.total",
    "idle": "nothing came for Limits.idle seconds",
    "too-large": "the body is larger than Limits.raw_bytes or Limits.body_bytes",
    "headers-too-large": "the headers are larger or more than allowed",
    "bad-encoding": "the body is not compressed in the way it says, or in a way not understood",
    "bomb": "a small body that unpacks to more than Limits.body_bytes",
    "truncated": "the body ended before the length, the last chunk or the end of the compressed data it promised",
    "bad-response": "what came is no HTTP answer to what was asked",
    "bad-redirect": "a redirect to nowhere: no or several places, or one that is no http URL",
    "redirect-loop": "a redirect to where the fetch has been",
    "too-many-redirects": "more redirects than Limits.redirects",
    "robots": "a redirect to where the crawler may not go",
    "local": "no fault of the host: this machine had no room for one more connection, such as too few open files",
}
"""Every value `Fetched.error` can have, and what it means."""

BOMB_RATIO = 100
"""From this ratio of unpacked to packed size on, a body that unpacks to too much is called a bomb."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect that was followed: who sent on, how, and where to."""

    url: str
    status: int
    location: str


class Fetched(NamedTuple):
    """What came of a fetch: an answer with a status, or a fault with a name (see FAULTS) and no status.

    url, final_url: what was asked for, and who answered in the end; both normalised
    headers: names and values of the last answer, as received
    body: decompressed.  raw: as transferred, without chunks, still compressed.  After the faults truncated, reset,
        idle, timeout and too-large these are what came before; no version of the page
    request_head, response_head: of the last request and answer, as sent and received (spaces around values aside)
    hops: redirects that were followed
    moved_to: where the page lives now, for good; set when the status is 301 or 308
    retry_after: seconds to wait, where the answer says so
    etag, last_modified: validators to store and to send next time, verbatim
    ip: of who answered last
    started: by the clock on the wall of the Fetcher's clock.  seconds: how long it took by the machine's own clock
        without waiting for politeness
    on_wire: bytes received, heads and bodies of all hops
    detail: what was said of a fault, for logs
    """

    url: str
    final_url: str
    status: int | None
    error: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    raw: bytes = b""
    request_head: bytes = b""
    response_head: bytes = b""
    hops: tuple[Hop, ...] = ()
    moved_to: str | None = None
    retry_after: float | None = None
    etag: str = ""
    last_modified: str = ""
    content_type: str = ""
    ip: str = ""
    started: float = 0.0
    seconds: float = 0.0
    on_wire: int = 0
    detail: str = ""

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever case its name is in; None where there is none."""
        wanted = name.lower()
        for key, value in self.headers:
            if key.lower() == wanted:
                return value
        return None
