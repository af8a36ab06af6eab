"""Who may ask: programs on this machine, or whoever has a token; and no web page that a browser happens to show.

A browser can be made to send requests here by any page it shows.  Such a request says where it comes from (Origin,
Sec-Fetch-Site), or names another host than ours (a name that was made to point here).  Both are refused.  Where a token
is asked for, the host's name does not matter: pages of others do not have the token.  A link that somebody follows to
the dashboard is another thing: what is shown then has no data in it, and is in nobody's frame.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Any

from litestar import Request, Response
from litestar.types import ASGIApp

from recrawl.errors import DataError, InputError
from recrawl.server.problems import FAILED, REJECTED, TYPE, document, problem
from recrawl.server.tokens import SCOPES, Tokens

FOREIGN = ("/indexnow", "/websub/")
"""Paths that sites and hubs ask, by whatever name they know this server."""
OPEN = ("/healthz", "/readyz", "/", "/static/", "/docs", "/openapi", *FOREIGN)
"""Paths that need no token: they show nothing of the frontier, or check for themselves who asks."""
LINKED = ("/", "/docs", "/static/")
"""Those of them that pages of others may link to."""
ADMIN = frozenset(
    {("PUT", "/v1/rate"), ("PUT", "/v1/hosts"), ("POST", "/v1/pages/forget"), ("POST", "/v1/subscriptions")}
)
"""What changes how all pages are treated."""
WAITING = "/v1/lease"
"""The call that may take its time: a token can be revoked meanwhile."""
AGAIN = "recrawl.again"
"""Where in the scope of such a request stands what asks once more whether it would be let in."""


def listen_address(text: str, name: str = "listen") -> tuple[str, int]:
    """Host and port; `name` is the option that they were given with.

    >>> listen_address("127.0.0.1:8700"), listen_address("[::1]:80"), listen_address("localhost:0")
    (('127.0.0.1', 8700), ('::1', 80), ('127.0.0.1', 0))
    """
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    host = "127.0.0.1" if host == "localhost" else host
    try:
        ip_address(host)
    except ValueError:
        raise InputError(f"{name} must be ADDRESS:PORT, such as 127.0.0.1:8700, got {text!r:.80}", name) from None
    if not colon or not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65535:
        raise InputError(f"{name} must end in a port from 0 to 65535, got {text!r:.80}", name)
    return host, int(port)


def is_here(host: str) -> bool:
    """Whether an address is of this machine alone."""
    return ip_address(host).is_loopback


def check_tokens(host: str, tokens: Tokens | None) -> None:
    """Refuse to serve others where there are no tokens."""
    if not is_here(host) and (tokens is None or not tokens.wanted):
        raise InputError(
            f"listen must be an address of this machine, such as 127.0.0.1, where there are no tokens, got {host}; "
            "recrawl token makes one",
            "listen",
        )


def is_ours(name: str, names: frozenset[str]) -> bool:
    """Whether a Host header names this server.

    >>> is_ours("LOCALHOST:8700", frozenset({"localhost"})), is_ours("evil.example", frozenset({"localhost"}))
    (True, False)
    """
    host = name.lower()
    if host.startswith("["):
        return host.partition("]")[0][1:] in names
    return host.partition(":")[0] in names


PORTS = {"http": "80", "https": "443"}


def is_same(origin: str, host: str, schemes: frozenset[str]) -> bool:
    """Whether an Origin is the server that a request was sent to, by its Host header and the schemes it may have.

    >>> http = frozenset({"http"})
    >>> is_same("http://localhost:8700", "LOCALHOST:8700", http), is_same("http://localhost", "localhost:80", http)
    (True, True)
    >>> is_same("http://localhost:3000", "localhost:8700", http), is_same("https://localhost", "localhost", http)
    (False, False)
    """
    scheme, found, place = origin.lower().partition("://")
    usual = PORTS.get(scheme)
    return bool(found and usual and scheme in schemes) and _with_port(place, usual) == _with_port(host.lower(), usual)


def _with_port(place: str, usual: str | None) -> tuple[str, str | None]:
    """Host and port, which is the usual one where none is named."""
    host, colon, port = place.rpartition(":")
    if not colon or "]" in port:  # of an IPv6 address
        return place, usual
    return host, port or usual


def one_spelling(path: str) -> str:
    """A path without empty steps and without a slash at its end.

    >>> one_spelling("//v1//rate/"), one_spelling("/"), one_spelling("/static/app.js")
    ('/v1/rate', '/', '/static/app.js')
    """
    return "/" + "/".join(step for step in path.split("/") if step)


def needed(method: str, path: str) -> str | None:
    """The scope that a request needs; None where it needs none.

    >>> needed("GET", "/v1/rate"), needed("PUT", "/v1/rate"), needed("POST", "/v1/lease"), needed("GET", "/")
    ('read', 'admin', 'work', None)
    """
    path = path.lower()
    if _is_among(path, OPEN):
        return None
    if (method, path) in ADMIN:
        return "admin"
    return "read" if method in ("GET", "HEAD", "OPTIONS") else "work"


def _is_among(path: str, some: tuple[str, ...]) -> bool:
    return any(path == each or (each != "/" and path.startswith(each)) for each in some)


def _is_link(method: str, path: str, header: Callable[[bytes], str | None]) -> bool:
    """Whether somebody follows a link, or enters an address, to a page that shows nothing by itself."""
    shown = (header(b"sec-fetch-mode"), header(b"sec-fetch-dest")) == ("navigate", "document")
    return shown and method in ("GET", "HEAD") and _is_among(path.lower(), LINKED)


@dataclass(frozen=True)
class Refusal:
    """Why somebody may not ask."""

    status: int
    title: str
    why: str
    outcome: str = REJECTED


Look = Callable[[], Refusal | None]


class RefusedError(Exception):
    """Somebody was let in, and would not be any more."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.why)
        self.refusal = refusal


class Door:
    """Stands in front of an application; `names` are those it may be called by."""

    def __init__(self, app: ASGIApp, names: frozenset[str], tokens: Tokens | None, always: bool) -> None:
        self._app, self._names, self._tokens, self._always = app, names, tokens, always

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let in, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = one_spelling(scope["path"])
        if path != scope["path"]:  # the router would find the same call under several spellings
            scope = {**scope, "path": path, "raw_path": path.encode()}
        look = partial(self._looked, scope["method"], path, _headers(scope))
        refusal = look()
        if refusal is None:
            known: Any = {**scope, AGAIN: self._again(look)} if path == WAITING else scope
            await self._app(known, receive, send)
        else:
            await _refused(refusal, send)

    def _looked(self, method: str, path: str, header: Callable[[bytes], str | None]) -> Refusal | None:
        try:
            return self._refusal(method, path, header)
        except DataError as error:  # nobody is let in while it is not known who may come in
            return Refusal(503, "not possible now", str(error), FAILED)

    def _again(self, look: Look) -> Look:
        """For who waits: the same question later, answered at once where no token was made or revoked since."""
        tokens = self._tokens
        if tokens is None:
            return lambda: None
        before = tokens.version

        def again() -> Refusal | None:
            with suppress(DataError):
                if tokens.version == before:
                    return None
            return look()

        return again

    def _refusal(self, method: str, path: str, header: Callable[[bytes], str | None]) -> Refusal | None:
        wanted = needed(method, path)
        guarded = self._guarded(wanted)
        foreign = path.lower().startswith(FOREIGN)
        if not guarded and not foreign and not is_ours(header(b"host") or "", self._names):
            return Refusal(403, "forbidden", "the Host header does not name this server")
        origin = header(b"origin")
        if origin is not None and not is_same(origin, header(b"host") or "", _schemes(header, guarded)):
            return Refusal(403, "forbidden", "pages of other sites may not ask this server")
        here = (header(b"sec-fetch-site") or "none") in ("none", "same-origin")
        if not here and not _is_link(method, path, header):
            return Refusal(403, "forbidden", "pages of other sites may not ask this server")
        if not guarded or wanted is None:
            return None
        return self._without(wanted, header(b"authorization") or "")

    def _guarded(self, wanted: str | None) -> bool:
        """Whether tokens are asked for; raises DataError where that is not known, and matters for what is wanted."""
        try:
            return self._tokens is not None and (self._always or self._tokens.wanted)
        except DataError:
            if wanted is None:  # there is a file, so there are tokens
                return True
            raise

    def _without(self, wanted: str, given: str) -> Refusal | None:
        """Why this token is not enough."""
        assert self._tokens is not None
        kind, _, token = given.partition(" ")
        scope = self._tokens.scope(token.strip()) if kind.lower() == "bearer" else None
        if scope is None:
            why = "give a token that was made here, as Authorization: Bearer TOKEN"
            return Refusal(401, "no token" if not given else "not a token", why)
        if SCOPES.index(scope) < SCOPES.index(wanted):
            return Refusal(403, "forbidden", f"this needs a token of scope {wanted}, and the one given is for {scope}")
        return None


def _schemes(header: Callable[[bytes], str | None], guarded: bool) -> frozenset[str]:
    """By which a browser may have come here.  We speak http; a proxy in front may speak https, and most say so.

    Pages cannot: a browser asks before it sends such a header for them, and is told no.
    """
    return frozenset({"http", "https"} if guarded else {header(b"x-forwarded-proto") or "http"})


def _headers(scope: Any) -> Callable[[bytes], str | None]:
    def header(name: bytes) -> str | None:
        for each, value in scope["headers"]:
            if each == name:
                text: str = value.decode("latin-1")
                return text
        return None

    return header


async def _refused(refusal: Refusal, send: Any) -> None:
    headers = [(b"content-type", TYPE.encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in _challenge(refusal).items()]
    body = document(refusal.status, refusal.title, refusal.why, refusal.outcome)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def of_refused(_: Request[Any, Any, Any], error: RefusedError) -> Response[bytes]:
    """The same from within."""
    refusal = error.refusal
    answer = problem(refusal.status, refusal.title, refusal.why, refusal.outcome)
    answer.headers.update(_challenge(refusal))
    return answer


def _challenge(refusal: Refusal) -> dict[str, str]:
    return {"WWW-Authenticate": 'Bearer realm="recrawl"'} if refusal.status == 401 else {}
