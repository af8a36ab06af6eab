"""One spelling a URL, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl import InputError
from recrawl.urls import host_of, normalise, normalise_all


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP://Example.ORG:80/", "http://example.org/"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        (" \thttps://example.org/a\nb ", "https://example.org/ab"),
        ("https://example.org/a/./b/../c", "https://example.org/a/c"),
        ("https://münchen.example/ä?ü=1", "https://xn--mnchen-3ya.example/%C3%A4?%C3%BC=1"),
        ("https://example.org/#top", "https://example.org/"),
        ("https://example.org/?", "https://example.org/?"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("https://example.org\\a", "https://example.org/a"),
        ("https://example.org/^%5e?^#^", "https://example.org/%5E%5e?^"),
    ],
)
def test_has_one_spelling(text, expected):
    got = normalise(text)
    assert (got, normalise(got)) == (expected, expected)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("example.org/a", "be a complete URL"),
        ("", "be a complete URL"),
        ("//example.org/", "be a complete URL"),
        ("javascript:alert(1)", "begin with http"),
        ("ftp://example.org/", "begin with http"),
        ("http://me:secret@example.org/", "no user name or password"),
        ('http://exa"mple.org/', "a host that can exist"),
        ("http://a..b/", "a host that can exist"),
        (f"http://{'a' * 64}.org/", "63 between dots"),
        ("https://example.org/" + "a" * 9000, "at most 8,192 characters"),
        ("https://example.org/" + "a" * 10_000_000, "at most 8,192 characters"),
        ("https://example.org/\ud800", "UTF-8"),
        (None, "be text"),
        (b"https://example.org/", "be text"),
    ],
)
def test_is_refused_with_the_reason(text, reason):
    with pytest.raises(InputError, match=reason) as caught:
        normalise(text)
    assert caught.value.argument == "url"
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("../c", "https://example.org/c"),
        ("//other.example/x", "https://other.example/x"),
        ("?q=1", "https://example.org/a/b?q=1"),
        ("https://third.example", "https://third.example/"),
        ("\\\\other.example\\x", "https://other.example/x"),
        (" c\\d\n?e\\f", "https://example.org/a/c/d?e\\f"),
        ("https:c", "https://example.org/a/c"),
        ("", "https://example.org/a/b"),
        ("#part", "https://example.org/a/b"),
    ],
)
def test_relative_to_a_base(text, expected):
    assert normalise(text, base="https://example.org/a/b") == expected


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("x.html", "https://web.example/2020/http://b.example/dir/page", "https://web.example/2020/http://b.example/dir/x.html"),
        ("p", "https://h//a//b/", "https://h//a//b/p"),
        ("../p", "https://h/a//b", "https://h/a/p"),
        ("a//b", "https://h/x", "https://h/a//b"),
        ("/a//../b", "https://h/x", "https://h/a/b"),
        ("../../..//p", "https://h/a/b", "https://h//p"),
        ("%2e%2E/p", "https://h/a/b/", "https://h/a/p"),
        ("?", "https://h/search?q=1", "https://h/search?"),
        ("a?", "https://h/x", normalise("https://h/a?")),
        ("/", "https://h?q=1", "https://h/"),
        ("http:\\\\b.example\\", "http://h/x/y", "http://b.example/"),
        ("http:/b.example/", "https://h/x", "http://b.example/"),
        ("https:/b", "https://h/x", "https://h/b"),
        ("a;b/../c", "https://h/x;y?z", "https://h/c"),
        ("a:b", "https://h/x", None),
        ("./a:b", "https://h/x", "https://h/a:b"),
        ("//", "https://h/x", None),
        ("///b.example/", "https://h/x", "https://b.example/"),
        ("//[", "https://h/x", None),
        ("\ud800", "https://h/x", None),
        ("x", "mailto:me@b.example", None),
    ],
)  # fmt: skip
def test_relative_ones_are_resolved_as_browsers_do(text, base, expected):
    if expected is None:
        with pytest.raises(InputError):
            normalise(text, base)
    else:
        assert normalise(text, base) == expected


def test_many_at_once_say_which_was_refused():
    got, refused = normalise_all(["https://a.example", "b.example", "HTTP://C.example/"])
    assert got == ["https://a.example/", None, "http://c.example/"]
    assert [(r.item, r.url) for r in refused] == [(1, "b.example")]


@given(st.text(max_size=60))
def test_nothing_raises_anything_else_and_one_spelling_is_enough(text):
    try:
        got = normalise("http://example.org/" + text)
    except InputError:
        return
    assert normalise(got) == got


@pytest.mark.parametrize(
    ("url", "expected"),
    [("http://a.example/", "a.example"), ("https://a.example:1/x", "a.example:1"), ("http://[::1]/?/", "[::1]")],
)
def test_host_of(url, expected):
    assert host_of(url) == expected
