"""Rules as they are written, and what is wrong with them said."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.compare import Rule, Rules, alike, diff, difference, digest, extract, extracted, kept_rules, versions
from recrawl.compare.charset import decoded
from recrawl.compare.json_pointer import pointed, steps
from recrawl.errors import InputError
from recrawl.html_shape import is_reasonable
from recrawl.store import MemoryShelf

# RFC 6901, section 5
DOCUMENT = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}
POINTERS = {
    "": DOCUMENT, "/foo": ["bar", "baz"], "/foo/0": "bar", "/": 0, "/a~1b": 1, "/c%d": 2, "/e^f": 3, "/g|h": 4,
    "/i\\j": 5, '/k"l': 6, "/ ": 7, "/m~0n": 8,
}  # fmt: skip


@pytest.mark.parametrize("pointer", list(POINTERS))
def test_pointers_of_the_standard(pointer):
    assert pointed(DOCUMENT, steps(pointer)) == POINTERS[pointer]


@pytest.mark.parametrize("pointer", ["/foo/2", "/foo/01", "/foo/-", "/foo/+1", "/foo/bar", "/nobody", "/foo/0/x"])
def test_places_that_there_are_not(pointer):
    with pytest.raises(LookupError):
        pointed(DOCUMENT, steps(pointer))


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("xpath://p", {}, "compare must be bytes, text, css:SELECTOR, json:/POINTER or auto, got 'xpath://p'"),
        ("", {}, "compare must be bytes"),
        (7, {}, "compare must be bytes"),
        ("bytes:x", {}, "compare must be bytes"),
        ("css:", {}, "compare must have a CSS selector after css:, got ''"),
        ("css:div[", {}, r"got 'div\['; for example css:main"),
        ("json:items", {}, "which is empty or begins with /, got 'items'; for example json:/items/0/price"),
        ("json:/a~2", {}, "~ is written ~0"),
        ("text", {"ignore": ["("]}, r"ignore must have regular expressions as Python reads them, got '\('"),
        ("text", {"ignore": ["@nothing"]}, "names out of @dates, @times, @ago, @counts, got '@nothing'"),
        ("text", {"ignore": "a"}, "ignore must be a list of patterns"),
        ("text", {"tolerance": 2}, r"tolerance must be in \[0, 1\), got 2; 0.02 lets"),
        ("text", {"tolerance": "x"}, r"tolerance must be in \[0, 1\), got 'x'"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said(text, more, said):
    with pytest.raises(InputError, match=said):
        Rule.parse(text, **more)


def test_the_first_site_that_matches_counts():
    rules = Rules.parse(
        [
            {"match": "https://a.example/*/price?x=*", "compare": "json:/price"},
            {"match": ["https://a.example/*", "*.b.example/*"], "compare": "css:main", "ignore": [r"\d+ views"]},
        ],
        usual=Rule.parse("bytes"),
    )
    assert rules.of("https://a.example/7/price?x=1").text == "json:/price"
    assert rules.of("https://a.example/7/price").text == "css:main"
    assert rules.of("https://www.b.example/").ignore == (r"\d+ views",)
    assert rules.of("https://c.example/").text == "bytes"


def test_what_is_wrong_with_a_site_is_said_with_its_name():
    with pytest.raises(InputError, match=r"compare must be .* got 'x'.*\(site 2, https://b\.example/\*\)"):
        Rules.parse([{"match": "*"}, {"match": "https://b.example/*", "compare": "x"}])
    with pytest.raises(InputError, match="match must be a pattern of URLs, or a list of them, got None in site 1"):
        Rules.parse([{"compare": "text"}])


def test_rules_are_kept_on_a_shelf():
    shelf = MemoryShelf()
    assert kept_rules.kept(shelf).of("https://a.example/").text == "auto"
    kept_rules.keep(shelf, [{"match": "https://a.example/*", "compare": "css:main", "tolerance": 0.1}])
    assert kept_rules.kept(shelf).of("https://a.example/").tolerance == 0.1


@pytest.mark.parametrize(
    ("rule", "body", "content_type", "kind", "note"),
    [
        ("css:.none", b"<p>x", "text/html", "text", "nothing matches '.none'"),
        ("css:p", b"%PDF", "application/pdf", "bytes", "it is not HTML"),
        ("text", b"{}", "application/json", "bytes", "it is not HTML"),
        ("json:/a", b"<p>", "text/html", "bytes", "it is not JSON"),
        ("json:/a", b'{"b":1}', "application/json", "json", "there is nothing at '/a'"),
        ("json:/a", b"[" * 100_000, "application/json", "bytes", "it is not JSON"),
        ("text", b"<div>" * 200_000, "text/html", "bytes", "nested too deeply"),
        ("auto", b"\x89PNG", "image/png", "bytes", ""),
        ("auto", b"<!doctype html><p>x", "", "text", ""),
    ],
)
def test_a_rule_that_cannot_be_followed_says_so(rule, body, content_type, kind, note):
    got = extracted(Rule.parse(rule), body, content_type)
    assert got.kind == kind
    assert note in got.note
    assert bool(note) == bool(got.note)


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ("span", "b c\nd"),
        ("b", "c"),
        ("p, p b, span, *", "a b c d"),
        ("p, p", "a b c d"),
        ("b, span", "b c\nd"),
    ],
)
def test_what_is_inside_another_match_is_told_once(selector, text):
    body = b"<p>a <span>b <b>c</b></span> <span>d</span></p>"
    assert extract(Rule.parse(f"css:{selector}"), body, "text/html") == text


@pytest.mark.parametrize("tag", ["a", "time", "del", "code", "span", "td", "li", "h1", "div", "title", "script", "pre"])
def test_an_element_of_any_kind_may_be_asked_for(tag):
    inner = f"<{tag} class=x>17.90</{tag}>"
    body = f"<table><tr>{inner}</tr></table>" if tag == "td" else f"<body>{inner} and more</body>"
    assert extract(Rule.parse("css:.x"), body.encode(), "text/html") == "17.90"


def test_surroundings_within_surroundings_go():
    body = b"<nav><button>x</button><ins class='adsbygoogle ad ads' data-ad-slot=1>y<nav>z</nav></ins></nav><p>words"
    for _ in range(200):
        assert extract(Rule.parse("text"), body * 20, "text/html").split() == ["words"] * 20


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_equal_bytes_alone_have_equal_digests(a, b):
    rule = Rule.parse("bytes")
    assert (digest(extract(rule, a)) == digest(extract(rule, b))) == (a == b)


@given(st.binary(max_size=500), st.sampled_from(["", "text/html", "text/html; charset=utf-16", "application/json"]))
def test_no_bytes_make_a_rule_fail(body, content_type):
    for rule in ("auto", "bytes", "text", "css:p", "json:/a"):
        digest(extract(Rule.parse(rule, ["@dates", "@times"]), body, content_type))


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("é".encode(), "text/html; charset=UTF-8", "é"),
        (b"\xe9", 'text/html; charset="iso-8859-1"', "é"),
        (b"\x93x\x94", "text/html; charset=latin1", "“x”"),
        (b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=iso-8859-1", "é"),
        ("é".encode("utf-16"), "text/html", "é"),
        (b"<meta charset=windows-1251>\xcf", "text/html", "<meta charset=windows-1251>П"),
        (
            b"<meta http-equiv=content-type content='text/html; charset=Shift_JIS'>\x83\x65",
            "text/html",
            "<meta http-equiv=content-type content='text/html; charset=Shift_JIS'>テ",
        ),
        (b"<meta charset=utf-16>\xc3\xa9", "", "<meta charset=utf-16>é"),
        (b"\xc4\xe3", "text/html; charset=gb2312", "你"),
        (b"caf\xe9", "", "café"),
        (b"\xe9", "text/html; charset=rot13", "é"),
        ("ü".encode() * 50 + b"\xc3", "", "ü" * 50 + "\ufffd"),
    ],
)
def test_charsets_are_found_as_browsers_do(body, content_type, text):
    assert decoded(body, content_type) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("@ago", "3 minutes ago"),
        ("@ago", "an hour ago"),
        ("@ago", "just now"),
        ("@dates", "2026-11-18"),
        ("@dates", "November 18th, 2026"),
        ("@dates", "18 Nov 2026"),
        ("@dates", "18.11.2026"),
        ("@times", "10:15:07 UTC"),
        ("@times", "9:05 p.m."),
        ("@counts", "1,204 views"),
        ("@counts", "3.4k likes"),
    ],
)
def test_patterns_by_name(name, text):
    rule = Rule.parse("css:p", [name])
    assert extract(rule, f"<p>Seen {text} here".encode(), "text/html").split() == ["Seen", "here"]


def test_difference_is_a_share():
    words = [f"w{n}" for n in range(100)]
    other = [*words[:50], "x", *words[51:]]
    assert difference(" ".join(words), " ".join(other)) == pytest.approx(2 / 101)
    assert difference("", "") == difference("a  b", "a b") == 0.0
    assert difference("", "a") == 1.0
    assert not alike("a b", "b a", 0.1)


def test_a_diff_of_long_texts_is_bounded():
    old = "\n".join(map(str, range(50_000)))
    lines = list(diff(old, old.replace("\n40000\n", "\nx\n")))
    assert ("-40000" in lines, "+x" in lines, len(lines) < 20) == (True, True, True)
    began = time.process_time()
    assert len(list(diff(old, "\n".join(f"x{n}" for n in range(50_000))))) < 20_000
    assert time.process_time() - began < 20.0


def test_versions_are_the_last_two():
    shelf = MemoryShelf()
    assert (versions.last_two(shelf, "u"), versions.last(shelf, "u")) == ((), None)
    for n in range(4):
        versions.put(shelf, "u", b"%d\n\n" % n * 1000, "text/html", float(n))
        assert versions.last(shelf, "u") == versions.Version(b"%d\n\n" % n * 1000, "text/html", float(n))
    assert [v.time for v in versions.last_two(shelf, "u")] == [2.0, 3.0]
    assert [v.body[:1] for v in versions.last_two(shelf, "u")] == [b"2", b"3"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>x</p>" * 20_000, True),
        ("<div>" * 500 + "</div>" * 500 + "<li>x" * 9_000, True),
        ("<div>" * 100_000, False),
        ("<div><!--</div>-->" * 9_000, False),
        ("<div><object></div></object>" * 9_000, False),
        ("<svg><style><div>" * 9_000, False),
        ("".join(f"<b class={n}>" for n in range(500)) + "<p>x" * 50_000, False),
        ("<div a='" * 100_000, True),
        ("<!--" * 100_000, True),
        ("<" * 500_000, True),
    ],
)
def test_pages_that_would_keep_a_parser_busy_are_recognised_quickly(html, expected):
    began = time.process_time()
    assert is_reasonable(html) == expected
    assert time.process_time() - began < 5.0  # milliseconds; a busy machine is slow
