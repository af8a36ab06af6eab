"""`Request`: the little of a request that the living web looks at."""

from dataclasses import dataclass

MOST_HEAD = 65536
MOST_BODY = 1 << 20


@dataclass(slots=True)
class Request:
    """A request whose head has come; `body` is empty for all but POST."""

    method: str
    target: str
    headers: dict[bytes, bytes]
    keep: bool
    length: int
    body: bytes = b""

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """What follows the question mark."""
        return self.target.partition("?")[2]


def parse(head: bytes) -> Request | None:
    """The request of a head, without the empty line; None where it is none."""
    lines = head.split(b"\r\n")
    words = lines[0].split(b" ")
    if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
        return None
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon:
            return None
        headers[name.lower()] = value.strip()
    target = words[1].decode("latin-1")
    if not target.startswith("/"):  # a proxy's form: http://host/path
        target = "/" + target.partition("//")[2].partition("/")[2]
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or b"transfer-encoding" in headers:
        return None
    connection = headers.get(b"connection", b"").lower()
    keep = b"close" not in connection if words[2] == b"HTTP/1.1" else b"keep-alive" in connection
    return Request(words[0].decode("latin-1"), target, headers, keep, int(length))
