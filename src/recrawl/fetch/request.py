"""What is sent: a request line, few headers, the same for every page, and nothing that says who reads the copies."""

import re
from collections.abc import Iterable
from functools import lru_cache

from yarl import URL

from recrawl.errors import InputError
from recrawl.urls import host_of

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING = "gzip, deflate, br"

_OURS = frozenset(
    (
        *(
            "host",
            "user-agent",
            "accept-encoding",
            "connection",
            "content-length",
            "transfer-encoding",
            "te",
            "trailer",
        ),
        *("if-none-match", "if-modified-since", "upgrade", "expect", "keep-alive", "proxy-authorization", "range"),
    )
)
_SECRET = frozenset(("authorization", "cookie"))
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def standing(user_agent: str) -> tuple[str, ...]:
    """The headers of every request, in their order, a line each."""
    return f"User-Agent: {user_agent}", f"Accept: {ACCEPT}", f"Accept-Encoding: {ACCEPT_ENCODING}"


class Request:
    """The request of a fetch, as it goes from hop to hop; `more` are its headers besides the standing ones."""

    def __init__(self, always: tuple[str, ...], more: list[tuple[str, str]], body: bytes | None) -> None:
        self.method = "GET" if body is None else "POST"
        self.body = body
        self.more = more
        self.conditional = False
        self._always = always
        if body is not None and not any(name.lower() == "content-type" for name, _ in more):
            more.append(("Content-Type", "application/octet-stream"))

    def validators(self, etag: str, last_modified: str) -> None:
        """Make it conditional: both are sent, word for word.  What cannot be sent that way is not."""
        for name, value in (("If-None-Match", etag), ("If-Modified-Since", last_modified)):
            if value and _sendable(value):
                self.more.append((name, value))
                self.conditional = True

    def moves(self, before: str, place: str) -> None:
        """It goes to another place next: what is secret stays with the origin it was meant for."""
        if _origin(before) != _origin(place):
            self.more = [(name, value) for name, value in self.more if name.lower() not in _SECRET]

    def head(self, origin: str, target: str) -> bytes:
        """The request line and headers, as they are sent."""
        lines = [f"{self.method} {target} HTTP/1.1\r\n{_host_line(origin)}", *self._always]
        lines += [f"{name}: {value}" for name, value in self.more]
        if self.body is not None:
            lines.append(f"Content-Length: {len(self.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


@lru_cache(maxsize=8192)
def _host_line(origin: str) -> str:
    return f"Host: {URL(f'{origin}/', encoded=True).host_port_subcomponent}"


def checked_user_agent(user_agent: str) -> str:
    """A User-Agent that says something."""
    if not isinstance(user_agent, str) or not user_agent.strip() or not _sendable(user_agent):
        raise InputError(
            f"user_agent must be one line of text that names the crawler and a contact, got {user_agent!r}; "
            "such as 'examplebot/1.0 (+https://example.org/bot)'",
            argument="user_agent",
        )
    return user_agent.strip()


def checked_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Headers of the caller's; those that the fetch sets itself are refused."""
    found = list(headers)
    for name, value in found:
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise InputError(
                f"headers must have proper names, and none that a fetch sets itself, got {name!r}", "headers"
            )
        if not _sendable(value):
            raise InputError(f"headers must have values of one line of text, got {value!r} for {name}", "headers")
    return found


def _sendable(value: str) -> bool:
    if _NOT_IN_VALUE.search(value):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # bytes that were no text when they came
        return False
    return True


def _origin(url: str) -> tuple[str, str]:
    return url[: url.index(":")], host_of(url)
