"""WebSub, as a subscriber."""

import hashlib
import hmac
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.errors import InputError
from recrawl.signals import link_header, websub

AT = "https://example.org/feed"
HUB = "https://hub.example/"
ATOM = f'<feed><link rel="hub" href="{HUB}"/><link rel="self" href="/self"/></feed>'.encode()
HTML = f'<html><head><link rel="hub" href="{HUB}"><link rel="self" href="/self"></head></html>'.encode()


def test_discovery_in_headers():
    headers = [("Link", f'<{HUB}>; rel="hub", </topic>; rel=self')]
    assert websub.discover(AT, headers, ATOM) == websub.Discovered((HUB,), "https://example.org/topic")


@pytest.mark.parametrize("body", [ATOM, HTML])
def test_discovery_in_elements(body):
    assert websub.discover(AT, [], body) == websub.Discovered((HUB,), "https://example.org/self")


def test_headers_go_before_elements():
    got = websub.discover(AT, [("link", "<https://other.example/>; rel=hub")], ATOM)
    assert got == websub.Discovered(("https://other.example/",), "https://example.org/self")


def test_hubs_by_https_first():
    headers = [("Link", "<http://a.example/>; rel=hub"), ("Link", "<https://b.example/>; rel=hub")]
    assert websub.discover(AT, headers, b"").hubs == ("https://b.example/", "http://a.example/")


def test_a_document_that_does_not_say_its_url():
    assert websub.discover(AT, [("Link", f"<{HUB}>; rel=hub")], b"").topic == AT


@pytest.mark.parametrize("body", [b"", b"<feed/>", b"<html></html>", b"x", b"<urlset/>"])
def test_no_hub(body):
    assert websub.discover(AT, [("Link", "</self>; rel=self")], body) is None


@pytest.mark.parametrize(
    ("value", "got"),
    [
        ('</a>; rel="hub"', [("hub", "https://example.org/a")]),
        ("</a>;rel=HUB", [("hub", "https://example.org/a")]),
        (
            '</a,b>; title="x, <y>; rel=z"; rel=hub, </c>; rel="d"',
            [("hub", "https://example.org/a,b"), ("d", "https://example.org/c")],
        ),
        ("</a>; rel=hub; rel=self", [("hub", "https://example.org/a")]),
        ('</a>; rel="hub"; anchor="/other"', []),
        ("</a>", [("", "https://example.org/a")]),
        ("a; rel=hub", []),
        ("<mailto:a@b>; rel=hub", []),
        ("<" * 1000, []),
    ],
)
def test_link_headers(value, got):
    found = [(" ".join(sorted(rels)), target) for rels, target in link_header.links([("Link", value)], AT)]
    assert found == got


def fields(form):
    return {name: value for name, [value] in parse_qs(form.body.decode()).items()}


def test_the_form():
    form = websub.subscription(AT, "https://me.example/cb/x", secret="s", lease=600.5)
    assert form.content_type == "application/x-www-form-urlencoded"
    assert fields(form) == {
        "hub.mode": "subscribe",
        "hub.topic": AT,
        "hub.callback": "https://me.example/cb/x",
        "hub.lease_seconds": "600",
        "hub.secret": "s",
    }


def test_the_form_to_unsubscribe():
    form = websub.subscription(AT, "https://me.example/cb/x", mode="unsubscribe")
    assert fields(form) == {"hub.mode": "unsubscribe", "hub.topic": AT, "hub.callback": "https://me.example/cb/x"}


def test_a_secret_has_a_limit():
    websub.subscription(AT, "https://me.example/", secret="x" * 199)
    with pytest.raises(InputError, match="fewer than 200 bytes, got 200"):
        websub.subscription(AT, "https://me.example/", secret="x" * 200)


def asked(mode="subscribe", topic=AT, challenge="c123", **more):
    return urlencode(
        {
            "hub.mode": mode,
            "hub.topic": topic,
            "hub.challenge": challenge,
            **{f"hub.{name}": value for name, value in more.items()},
        }
    )


def test_verification_of_intent():
    got = websub.verification(asked(lease_seconds="3600"), {AT: "subscribe"})
    assert (got.status, got.body, got.outcome, got.lease) == (200, b"c123", "subscribed", 3600.0)


def test_verification_of_leaving():
    got = websub.verification(asked("unsubscribe"), {AT: "unsubscribe"})
    assert (got.status, got.body, got.outcome, got.lease) == (200, b"c123", "unsubscribed", None)


@pytest.mark.parametrize(
    "query",
    [
        asked(topic="https://other.example/"),
        asked("unsubscribe"),
        asked(challenge=""),
        asked("publish"),
        "",
        "x",
        "&" * 1000,
        "hub.mode=subscribe",
    ],
)
def test_what_we_did_not_ask_for(query):
    got = websub.verification(query, {AT: "subscribe"})
    assert (got.status, got.body, got.outcome) == (404, b"", "refused")


def test_denied():
    got = websub.verification(urlencode({"hub.mode": "denied", "hub.topic": AT, "hub.reason": "no"}), {AT: "subscribe"})
    assert (got.status, got.outcome, got.reason) == (200, "denied", "no")


def test_denied_by_someone_who_does_not_know_the_topic():
    assert websub.verification("hub.mode=denied&hub.topic=x", {AT: "subscribe"}).status == 404


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3600", 3600.0),
        ("1", 300.0),
        ("864000000", 14 * 86400.0),
        ("", 7200.0),
        ("0", 7200.0),
        ("-5", 7200.0),
        ("9" * 400, 7200.0),
        ("1e9", 7200.0),
    ],
)
def test_leases_are_clamped(text, seconds):
    assert websub.clamped(text, 7200.0) == seconds


def test_renewal_comes_before_the_end():
    assert 0 < websub.renewal(1000.0) < 1000.0


@pytest.mark.parametrize(
    ("status", "got"), [(202, True), (204, True), (200, True), (400, False), (307, False), (500, False), (None, False)]
)
def test_what_a_hub_took(status, got):
    assert websub.accepted(status) == got


@pytest.mark.parametrize("method", ["sha1", "sha256", "sha384", "sha512"])
def test_signatures(method):
    body = b"<feed/>\xff"
    digest = hmac.new(b"secret", body, getattr(hashlib, method)).hexdigest()
    for spelled in (f"{method}={digest}", f"{method.upper()}={digest.upper()}", f" {method}={digest} "):
        assert websub.delivery(body, [("x-hub-signature", spelled)], "secret").genuine
    for wrong in (f"{method}={digest[:-1]}0x", f"{method}=", digest, "", f"md5={digest}", f"{method}={digest}é"):
        got = websub.delivery(body, [("X-Hub-Signature", wrong)], "secret")
        assert (got.status, got.genuine) == (202, False)
    assert not websub.delivery(body + b" ", [("X-Hub-Signature", f"{method}={digest}")], "secret").genuine


def test_a_delivery_without_a_secret_is_believed():
    assert websub.delivery(b"x", []) == websub.Delivered(200, True, "other")


def test_a_delivery_to_a_subscription_that_ended():
    assert websub.delivery(ATOM, [], active=False) == websub.Delivered(410, False)


@pytest.mark.parametrize(
    ("body", "label", "kind"),
    [
        (ATOM, "application/atom+xml", "feed"),
        (ATOM, "text/plain", "feed"),
        (HTML, "", "html"),
        (b'{"a": 1}', "application/json", "other"),
        (b"", "text/html", "html"),
    ],
)
def test_content_types(body, label, kind):
    assert websub.delivery(body, [("Content-Type", label)]).kind == kind


@given(st.text(max_size=60), st.binary(max_size=60), st.text(max_size=20))
def test_any_request_has_an_answer(text, body, secret):
    websub.discover(AT, [("Link", text)], body, text)
    assert websub.verification(text, {AT: "subscribe"}).status in (200, 404)
    assert websub.delivery(body, [("x-hub-signature", text)], secret).status in (200, 202)
