# ruff: noqa: E501 - documents stand as they are
"""IndexNow as senders really send it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.signals import indexnow

KEY = "0123456789abcdef"
SITE = "https://example.org"


def get(**fields):
    from urllib.parse import urlencode

    return indexnow.answer("GET", "/indexnow", urlencode(fields))


def post(label="application/json; charset=utf-8", path="/indexnow", **fields):
    return indexnow.answer("POST", path, "", [("Content-Type", label)], json.dumps(fields).encode())


def test_one_url():
    got = get(url=f"{SITE}/a?b=1&c=2", key=KEY)
    assert got == indexnow.Ask("example.org", (f"{SITE}/a?b=1&c=2",), KEY, (f"{SITE}/{KEY}.txt",))


def test_several_urls():
    got = post(
        host="example.org", key=KEY, keyLocation=f"{SITE}/{KEY}.txt", urlList=[f"{SITE}/a", f"{SITE}/b", f"{SITE}/a#x"]
    )
    assert got == indexnow.Ask("example.org", (f"{SITE}/a", f"{SITE}/b"), KEY, (f"{SITE}/{KEY}.txt",))


@pytest.mark.parametrize(
    "label", ["text/plain", "", "application/x-www-form-urlencoded", "application/json;charset=UTF-8"]
)
def test_json_by_any_label(label):
    assert post(label, host="example.org", key=KEY, urlList=[f"{SITE}/a"]).urls == (f"{SITE}/a",)


@pytest.mark.parametrize("path", ["/indexnow", "/IndexNow", "/INDEXNOW", "/indexnow/"])
def test_paths(path):
    assert post(path=path, host="example.org", key=KEY, urlList=[f"{SITE}/a"]).urls == (f"{SITE}/a",)


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/", 404), ("GET", "/indexnow/meta.json", 404), ("PUT", "/indexnow", 405)]
)
def test_other_paths_and_methods(method, path, status):
    assert indexnow.answer(method, path, f"url={SITE}/a&key={KEY}").status == status


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "EXAMPLE.org",
        "https://example.org",
        "https://example.org/",
        "http://example.org:80",
        " example.org ",
        "//example.org",
    ],
)
def test_hosts(host):
    assert post(host=host, key=KEY, urlList=[f"{SITE}/a"]).host == "example.org"


def test_no_host_is_that_of_the_urls():
    assert post(key=KEY, urlList=[f"{SITE}/a"]).host == "example.org"


def test_a_host_without_the_port_its_urls_have():
    got = post(host="example.org", key=KEY, urlList=["http://example.org:8080/a"])
    assert got.key_urls == (f"http://example.org:8080/{KEY}.txt",)


def test_a_host_with_another_port_than_its_urls():
    assert post(host="example.org:81", key=KEY, urlList=["http://example.org:8080/a"]).status == 422


def test_mixed_schemes():
    urls = [f"{SITE}/a", "http://example.org/b"]
    assert post(host="example.org", key=KEY, urlList=urls).urls == tuple(urls)


def test_a_key_location_that_is_always_https():
    got = post(host="example.org", key=KEY, keyLocation=f"{SITE}/{KEY}.txt", urlList=["http://example.org:8080/a"])
    assert got.key_urls == (f"{SITE}/{KEY}.txt", f"http://example.org:8080/{KEY}.txt")


def test_a_key_location_without_txt():
    got = post(host="example.org", key=KEY, keyLocation=f"{SITE}/{KEY}", urlList=[f"{SITE}/a"])
    assert got.key_urls == (f"{SITE}/{KEY}", f"{SITE}/{KEY}.txt")


def test_a_key_location_without_its_scheme():
    got = post(host="example.org", key=KEY, keyLocation=f"example.org/x/{KEY}.txt", urlList=[f"{SITE}/x/b"])
    assert got.key_urls == (f"{SITE}/x/{KEY}.txt",)


def test_a_key_location_that_is_relative():
    assert (
        post(host="example.org", key=KEY, keyLocation=f"/{KEY}.txt", urlList=[f"{SITE}/a/b"]).key_urls[0]
        == f"{SITE}/{KEY}.txt"
    )


@pytest.mark.parametrize(
    "place",
    ["https://other.org/k.txt", "http://sub.example.org/k.txt", "ftp://example.org/k", "https://u:p@example.org/k"],
)
def test_a_key_location_on_another_host(place):
    assert post(host="example.org", key=KEY, keyLocation=place, urlList=[f"{SITE}/a"]).status == 422


@pytest.mark.parametrize(
    ("place", "url", "status"),
    [
        ("/shop/k.txt", "/shop/a", None),
        ("/shop/k.txt", "/shop/b/c?d", None),
        ("/shop/k.txt", "/shop", 422),
        ("/shop/k.txt", "/shopping", 422),
        ("/shop/k.txt", "/a", 422),
        ("/shop/../k.txt", "/a", None),
        ("/k.txt", "/a", None),
        ("/?k", "/a", None),
    ],
)
def test_a_key_speaks_for_its_folder(place, url, status):
    got = post(host="example.org", key=KEY, keyLocation=SITE + place, urlList=[SITE + url])
    assert getattr(got, "status", None) == status


def test_a_key_on_an_unusual_port_speaks_for_that_port():
    place = f"http://example.org:8080/{KEY}.txt"
    assert post(host="example.org", key=KEY, keyLocation=place, urlList=[f"{SITE}/a"]).status == 422
    assert post(host="example.org", key=KEY, keyLocation=place, urlList=["http://example.org:8080/a"]).urls


def test_urls_of_another_host():
    assert post(host="example.org", key=KEY, urlList=[f"{SITE}/a", "https://other.org/b"]).status == 422
    assert post(key=KEY, urlList=[f"{SITE}/a", "https://www.example.org/b"]).status == 422


def test_urls_that_are_none_are_named():
    got = post(host="example.org", key=KEY, urlList=[f"{SITE}/a", "/b", 5, "mailto:a@b.c"])
    assert (got.urls, got.refused) == ((f"{SITE}/a",), ("/b", "5", "mailto:a@b.c"))


@pytest.mark.parametrize(
    "fields",
    [{}, {"key": KEY}, {"urlList": [f"{SITE}/a"]}, {"key": KEY, "urlList": []}, {"key": KEY, "urlList": 5}, {"key": KEY, "urlList": ["/a"]},
     {"key": 5, "urlList": [f"{SITE}/a"]}, {"key": "", "urlList": [f"{SITE}/a"]}, {"host": "//", "key": KEY, "urlList": [f"{SITE}/a"]}],
)  # fmt: skip
def test_what_cannot_be_understood(fields):
    assert post(**fields).status == 400


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff\xff", b"[" * 100_000, b"a=b", b"x" * 100])
def test_bodies_that_are_none(body):
    assert indexnow.answer("POST", "/indexnow", "", [], body).status == 400


@pytest.mark.parametrize("query", ["", "url=", "key=", f"url={SITE}/a", "&" * 1000, "%"])
def test_queries_that_are_none(query):
    assert indexnow.answer("GET", "/indexnow", query).status == 400


@pytest.mark.parametrize("key", ["short12", "x" * 129, "with space", "under_score", "schlüssel"])
def test_keys_that_are_none(key):
    assert get(url=f"{SITE}/a", key=key).status == 422


@pytest.mark.parametrize("key", ["x" * 8, "x" * 128, "A-b-0-1-2"])
def test_keys(key):
    assert get(url=f"{SITE}/a", key=key).key == key


def test_too_many_urls():
    urls = [f"{SITE}/{k}" for k in range(10_001)]
    assert post(host="example.org", key=KEY, urlList=urls).status == 400
    assert len(post(host="example.org", key=KEY, urlList=urls[:10_000]).urls) == 10_000


def test_names_of_fields_in_any_case():
    assert post(HOST="example.org", Key=KEY, keylocation=f"{SITE}/x/k.txt", UrlList=[f"{SITE}/x/a"]).key_urls == (
        f"{SITE}/x/k.txt",
    )
    assert get(URL=f"{SITE}/x/a", KEY=KEY, keylocation=f"{SITE}/x/k.txt").key_urls == (f"{SITE}/x/k.txt",)


def test_a_post_with_its_fields_in_the_query_or_a_form():
    query = f"url={SITE}/a&key={KEY}"
    assert indexnow.answer("POST", "/indexnow", query).urls == (f"{SITE}/a",)
    assert indexnow.answer("POST", "/indexnow", "", [], query.encode()).urls == (f"{SITE}/a",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings(encoding):
    body = json.dumps({"key": KEY, "urlList": [f"{SITE}/é"]}, ensure_ascii=False).encode(encoding)
    assert indexnow.answer("POST", "/indexnow", "", [], body).urls == (f"{SITE}/%C3%A9",)


@pytest.mark.parametrize(
    ("body", "got"),
    [
        (KEY.encode(), True),
        (b"\xef\xbb\xbf" + KEY.encode() + b"\r\n", True),
        (b"  " + KEY.encode() + b"\n\n", True),
        (KEY.encode("utf-16"), True),
        (KEY.upper().encode(), False),
        (KEY.encode() + b"0", False),
        (b"<html>" + KEY.encode(), False),
        (b"", False),
        (KEY.encode() + b" " * 10_000, False),
    ],
)
def test_what_verifies_a_key(body, got):
    assert indexnow.verifies(KEY, body) == got


@pytest.mark.parametrize(
    ("status", "body", "got"), [(200, KEY, 200), (200, "x", 403), (404, KEY, 403), (None, "", 403), (500, KEY, 403)]
)
def test_what_is_answered_after_the_file_was_asked_for(status, body, got):
    assert indexnow.judged(get(url=f"{SITE}/a", key=KEY), status, body.encode()).status == got


def test_other_answers():
    assert (indexnow.received().status, indexnow.pending().status) == (200, 202)
    assert indexnow.too_many(60.5) == indexnow.Answer(429, "too many requests", (("Retry-After", "60"),))


@given(st.sampled_from(["GET", "POST", "HEAD", "x"]), st.text(max_size=40), st.binary(max_size=100))
def test_any_request_has_an_answer(method, query, body):
    assert indexnow.answer(method, "/indexnow", query, [("content-type", query)], body)


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "host": VALUES,
            "key": VALUES | st.just(KEY),
            "keyLocation": VALUES,
            "urlList": VALUES | st.just([f"{SITE}/a"]),
        },
    )
)
def test_any_json_has_an_answer(fields):
    assert post(**fields)
