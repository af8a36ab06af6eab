"""The faults of hosts by name, and what each means.  `wire.misbehaving` does them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """What happens, whether a crawler can have a copy of such a page all the same, and whether it may be led outside.

    Where `outside` is true, a crawler that falls for it sends packets to other machines.  `hostile` leaves these out.
    """

    meaning: str
    copies: bool = False
    outside: bool = False


FAULTS: dict[str, Fault] = {
    # where pages are
    "moved": Fault("301 to /moved/..., where the page is from now on", copies=True),
    "elsewhere": Fault("302 to /now/..., where the page is for now", copies=True),
    "across": Fault("301 to a page of another host, by which no copy of this one is had"),
    "loop": Fault("302 to /loop/..., and from there back"),
    "chain": Fault("302 after 302 without an end, each to another address"),
    "private": Fault("302 to this machine, in eight spellings: [::1]:22, 0x7f.1, 2130706433, file:/// and others"),
    "intranet": Fault("302 to addresses of other machines that are not public: 10.0.0.1 and others", outside=True),
    # whether they are
    "not-found": Fault("404"),
    "gone": Fault("410"),
    "returns": Fault("now and then 404 for a while; then the page is back, changed", copies=True),
    "soft-404": Fault("200, and a page that says that there is none; another text at each fetch"),
    # what hosts can bear
    "error": Fault("500"),
    "unavailable": Fault("503 with Retry-After as a date, an hour ahead"),
    "too-many": Fault("429 with Retry-After in seconds, 600"),
    "flaky": Fault("503 with Retry-After in seconds at every other request for the page", copies=True),
    "impatient": Fault("429 for who asks sooner than crawl_delay (or 1 s) after the last request", copies=True),
    "slow": Fault("the body comes in 20 pieces, 50 ms apart", copies=True),
    "silent": Fault("no answer, ever"),
    # what comes over the wire
    "reset": Fault("the connection is reset in the middle of the body"),
    "reset-early": Fault("the connection is reset before a byte is answered"),
    "truncated": Fault("Content-Length promises twice what comes; then the connection is closed"),
    "too-long": Fault("Content-Length promises half of what comes"),
    "broken-chunk": Fault("a chunk whose length is no number"),
    "cut-chunk": Fault("chunks without the last one; then the connection is closed"),
    "bad-gzip": Fault("Content-Encoding: gzip, and then no gzip"),
    "no-http": Fault("an answer that is no HTTP"),
    # what fills memories
    "gzip-bomb": Fault("256 MiB of zeros in 260 kB"),
    "brotli-bomb": Fault("256 MiB of zeros in less than 1 kB"),
    "endless-body": Fault("a body without an end"),
    "endless-headers": Fault("headers without an end"),
    "long-header": Fault("a header of 1 MiB"),
}
