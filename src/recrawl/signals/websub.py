"""WebSub for a subscriber: find a hub, subscribe, answer its questions, check what it delivers.

Plain functions: who calls sends the requests and keeps, for each subscription, its topic, its hub, a secret, the lease
and a callback URL that no one can guess.

1. `discover` in a page or feed; `subscription` is the form to post to the hub, which answers 202.
2. The hub asks the callback with a GET whether we mean it: `verification`.  It may say there that it denies.
3. It posts what is new to the callback: `delivery`.
4. Leases end: subscribe again after `renewal` seconds.  Hubs die silently, so feeds are polled all the same.
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, urlencode

from recrawl.errors import InputError
from recrawl.signals import feed, link_header, links, sniff

Mode = Literal["subscribe", "unsubscribe"]
Headers = Iterable[tuple[str, str]]

LEASE = 10 * 86400.0
"""Seconds to ask for, and to assume where a hub does not say."""
SHORTEST_LEASE, LONGEST_LEASE = 300.0, 14 * 86400.0
"""What a lease is clamped to: renewing more often is a burden, more rarely trusts a hub too much."""
MOST_SECRET = 200
"""A secret has fewer bytes than this."""

_HASHES = ("sha1", "sha256", "sha384", "sha512")


@dataclass(frozen=True, slots=True)
class Discovered:
    """Where to subscribe, and to what."""

    hubs: tuple[str, ...]
    topic: str


@dataclass(frozen=True, slots=True)
class Form:
    """A request to a hub: POST `body` with this content type."""

    body: bytes
    content_type: str = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Verified:
    """How to answer a hub that asks, and what that means for the subscription."""

    status: int
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    outcome: Literal["subscribed", "unsubscribed", "denied", "refused"] = "refused"
    lease: float | None = None
    """Seconds from now, of a subscription."""
    reason: str = ""
    """Why the hub denies."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """How to answer a hub that delivers, and whether to believe it."""

    status: int
    genuine: bool
    kind: sniff.Kind = "other"
    """What was delivered: entries of a feed are signals for their pages, and all is one for the topic."""


def discover(
    url: str, headers: Headers, body: bytes, content_type: str = "", *, said: feed.Links | None = None
) -> Discovered | None:
    """The hubs of a document and its own URL; None where it has no hub.  Headers count before elements.

    Hubs that are reached by https come first.  A document that does not say its own URL is known by the one it has.
    `said` is what a feed says of itself, where that was read already.

    >>> discover("https://example.org/a", [("Link", '<https://hub.example/>; rel="hub"')], b"")
    Discovered(hubs=('https://hub.example/',), topic='https://example.org/a')
    """
    found = list(link_header.links(headers, url))
    hubs = [target for rels, target in found if "hub" in rels]
    topic = next((target for rels, target in found if "self" in rels), None)
    if not hubs or topic is None:
        inner_hubs, inner_topic = _inside(url, body, content_type) if said is None else (said.hubs, said.self_url)
        hubs = hubs or list(inner_hubs)
        topic = topic or inner_topic
    if not hubs:
        return None
    return Discovered(tuple(sorted(dict.fromkeys(hubs), key=lambda hub: not hub.startswith("https:"))), topic or url)


def _inside(url: str, body: bytes, content_type: str) -> tuple[tuple[str, ...], str | None]:
    kind = sniff.kind(body, content_type)
    if kind == "feed":
        of_feed = feed.links(body, url)
        return of_feed.hubs, of_feed.self_url
    if kind == "html":
        return links.hubs(body, url)
    return (), None


def subscription(
    topic: str, callback: str, *, secret: str = "", lease: float | None = LEASE, mode: Mode = "subscribe"
) -> Form:
    """The form to post to a hub.  Give a secret only to a hub that is reached by https.

    >>> subscription("https://example.org/a", "https://me.example/cb/x1", lease=60).body[:34]
    b'hub.mode=subscribe&hub.topic=https'
    """
    if len(secret.encode()) >= MOST_SECRET:
        raise InputError(
            f"secret must have fewer than {MOST_SECRET} bytes, got {len(secret.encode())}; take 32 random ones in hex",
            argument="secret",
        )
    fields = {"hub.mode": mode, "hub.topic": topic, "hub.callback": callback}
    if mode == "subscribe" and lease is not None:
        fields["hub.lease_seconds"] = str(int(lease))
    if secret:
        fields["hub.secret"] = secret
    return Form(urlencode(fields).encode())


def verification(query: str, wanted: Mapping[str, Mode], lease: float = LEASE) -> Verified:
    """The answer to a GET of a callback.

    `query` is what stands after the question mark, and `wanted` says for which topics we asked the hub of this callback
    for what; `lease` is what we asked for.  A question we have no part in is answered with 404.

    >>> query = "hub.mode=subscribe&hub.topic=t&hub.challenge=c&hub.lease_seconds=600"
    >>> answer = verification(query, {"t": "subscribe"})
    >>> answer.status, answer.body, answer.outcome, answer.lease
    (200, b'c', 'subscribed', 600.0)
    """
    try:
        fields = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=50))
    except ValueError:
        return Verified(404)
    mode, topic, challenge = (fields.get(f"hub.{name}", "") for name in ("mode", "topic", "challenge"))
    if topic not in wanted:
        return Verified(404)
    if mode == "denied":
        return Verified(200, outcome="denied", reason=fields.get("hub.reason", "")[:1000])
    if mode != wanted[topic] or not challenge:
        return Verified(404)
    body = challenge.encode("utf-8", "replace")
    if mode == "unsubscribe":
        return Verified(200, body, outcome="unsubscribed")
    return Verified(200, body, outcome="subscribed", lease=clamped(fields.get("hub.lease_seconds", ""), lease))


def clamped(text: str, otherwise: float = LEASE) -> float:
    """Seconds of a lease as a hub writes them, within what is sensible.

    >>> clamped("1"), clamped("99999999999"), clamped("a while", 3600.0)
    (300.0, 1209600.0, 3600.0)
    """
    text = text.strip()
    seconds = float(text) if text.isascii() and text.isdecimal() and len(text) < 16 and int(text) else otherwise
    return min(max(seconds, SHORTEST_LEASE), LONGEST_LEASE)


def renewal(lease: float) -> float:
    """Seconds after which to subscribe again: before the lease ends, with time for several tries."""
    return 0.8 * lease


def accepted(status: int | None) -> bool:
    """Whether a hub took a subscription; 202 is right, and other hubs say 200 or 204."""
    return status is not None and 200 <= status < 300


def delivery(body: bytes, headers: Headers, secret: str = "", active: bool = True) -> Delivered:
    """The answer to a POST to a callback, and whether to believe it.

    Where a secret was set, only what is signed with it is genuine; what is not is answered all the same, so that no one
    can find out.  To a callback of a subscription that has ended, 410 says that there is nothing to push to.

    >>> delivery(b"x", [("X-Hub-Signature", "sha1=0")], "secret").genuine
    False
    """
    if not active:
        return Delivered(410, False)
    named = {name.lower(): value for name, value in headers}
    if secret and not signed(body, named.get("x-hub-signature", ""), secret):
        return Delivered(202, False)
    return Delivered(200, True, sniff.kind(body, named.get("content-type", "")))


def signed(body: bytes, signature: str, secret: str) -> bool:
    """Whether the signature is that of the body: ``method=hex`` with sha1, sha256, sha384 or sha512."""
    method, _, digest = signature.strip().partition("=")
    method = method.strip().lower()
    if method not in _HASHES:
        return False
    expected = hmac.new(secret.encode(), body, method).hexdigest()
    return hmac.compare_digest(expected.encode(), digest.strip().lower().encode("utf-8", "replace"))
