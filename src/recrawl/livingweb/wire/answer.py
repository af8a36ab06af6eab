"""`Answer`: what is sent, and what it means for the score."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recrawl.livingweb.wire.connection import Connection

Script = Callable[["Connection"], Awaitable[None]]

REASONS = {
    200: "OK",
    202: "Accepted",
    301: "Moved Permanently",
    302: "Found",
    304: "Not Modified",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    410: "Gone",
    413: "Content Too Large",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass(slots=True)
class Answer:
    """A status with headers and a body; or a script that writes what it likes to the connection.

    ``kind`` is what was asked for, ``fault`` the name of the fault that is done.  ``page`` and ``version`` say which
    copy the crawler has once all of it is sent; -1: none.
    """

    status: int
    headers: str = ""
    body: bytes = b""
    kind: str = "other"
    fault: str = ""
    page: int = -1
    version: int = -1
    chunked: bool = False
    script: Script | None = None
    close: bool = False

    def wire(self, date: str, head_only: bool, keep: bool) -> bytes:
        """The bytes of it."""
        body, length = self.body, f"Content-Length: {len(self.body)}\r\n"
        if self.chunked and body:
            cut = len(body) // 2 or 1
            parts = [part for part in (body[:cut], body[cut:]) if part]
            body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
            length = "Transfer-Encoding: chunked\r\n"
        if self.status == 304:
            body, length = b"", ""
        connection = "" if keep else "Connection: close\r\n"
        head = (
            f"HTTP/1.1 {self.status} {REASONS[self.status]}\r\nDate: {date}\r\n{length}{connection}{self.headers}\r\n"
        )
        return head.encode("latin-1") + (b"" if head_only else body)
