# ruff: noqa: E501 - documents stand as they are
"""Links of HTML pages."""

import pytest

from recrawl.signals import html, links

AT = "https://example.org/dir/page"


def found(text):
    return [(link.url, link.nofollow) for link in links.find(text.encode(), AT)]


def urls(text):
    return [url for url, _ in found(text)]


def test_links_are_complete_normalised_and_come_once():
    text = '<a href="a">1</a><A HREF=" /b#x ">2</A><a href="/b">3</a><area href="//other.org"><a name=n><a href>'
    assert urls(text) == ["https://example.org/dir/a", "https://example.org/b", "https://other.org/"]


@pytest.mark.parametrize(
    "href", ["mailto:a@b.c", "javascript:void(0)", "tel:1", "ftp://a.b/", "data:,x", "http://", "http://u:p@a.b/"]
)
def test_what_cannot_be_crawled_is_left_out(href):
    assert urls(f'<a href="{href}">') == []


def test_the_first_base_counts():
    assert urls('<head><base href="/x/"><base href="/y/"></head><a href="a">') == ["https://example.org/x/a"]


def test_a_base_that_is_none():
    assert urls('<base href="mailto:a"><a href="a">') == ["https://example.org/dir/a"]


def test_nofollow():
    text = '<a href="/a" rel="noopener NoFollow">1</a><a href="/b" rel=nofollow>2</a><a href="/b">3</a>'
    assert found(text) == [("https://example.org/a", True), ("https://example.org/b", False)]


@pytest.mark.parametrize("content", ["nofollow", "NOINDEX, NOFOLLOW", "none"])
def test_a_page_may_ask_for_all_of_its_links(content):
    assert found(f'<meta name="Robots" content="{content}"><a href="/a">') == [("https://example.org/a", True)]


def test_encodings():
    page = '<meta charset="iso-8859-1"><a href="/é">'.encode("latin-1")
    assert [link.url for link in links.find(page, AT)] == ["https://example.org/%C3%A9"]


def test_comments_and_scripts_have_no_links():
    assert urls("<!-- <a href=/a> --><script>'<a href=/b>'</script><noscript><a href=/c></noscript>") == [
        "https://example.org/c"
    ]


@pytest.mark.parametrize(
    "before",
    ["<script>var a = '<!--', b = 1 < 2;</script>", "<SCRIPT type=x>if (a<b) '<a href=/n>'</SCRIPT >", "<!-- <script> -->", "<!-- > <a href=/n> -->",
     "<style>a > b {}</style>", "<title>a <b> <a href=/n></title>", "<textarea><a href=/n></textarea>", "<!-->", "<p title='>'>", '<p title="<a href=/n>">'],
)  # fmt: skip
def test_what_looks_like_links_and_is_none(before):
    assert urls(before + "<a href=/a>") == ["https://example.org/a"]


def test_no_more_than_a_page_can_sensibly_have():
    assert len(urls("".join(f"<a href=/{k}>" for k in range(links.MOST_LINKS + 5)))) == links.MOST_LINKS


def test_deep_nesting():
    assert urls("<div>" * 5_000 + "<a href=/a>") == ["https://example.org/a"]


def test_feeds():
    text = """<link rel="alternate" type="application/rss+xml" title="x" href="/rss">
    <link rel="ALTERNATE" type="application/atom+xml; charset=utf-8" href="atom">
    <link rel="alternate" type="application/feed+json" href="/feed.json">
    <link rel="alternate" type="application/json" href="/wp-json/1">
    <link rel="alternate" hreflang="de" href="/de"><link rel="stylesheet" href="/s.css">
    <link rel="alternate" type="application/rss+xml" href="/rss">"""
    got = list(links.feeds(text.encode(), AT))
    assert got == ["https://example.org/rss", "https://example.org/dir/atom", "https://example.org/feed.json"]


def test_hubs():
    text = '<link rel="hub" href="https://hub.example/"><link rel="hub" href="/h2"><link rel="self" href="/s"><link rel="self" href="/t">'
    got = links.hubs(text.encode(), AT)
    assert got == (("https://hub.example/", "https://example.org/h2"), "https://example.org/s")


@pytest.mark.parametrize("data", [b"", b"\0\0", b"<", b"\xff" * 100])
def test_no_page(data):
    assert list(links.find(data, AT)) == []
    assert list(links.feeds(data, AT)) == []
    assert links.hubs(data, AT) == ((), None)


@pytest.mark.parametrize(
    "page",
    ["<div>" * 100_000, "<div>" * 50_000 + "</div>" * 50_000, f"<a {' '.join(f'a{k}=1' for k in range(50_000))}>", f"<a {'b' * 500_000}>",
     "<script>1</script>" * 30_000, "<!---->" * 50_000, "<a name=x>" * 40_000, f"<a {' ' * 500_000}>", f"<a {'=' * 500_000}>"],
)  # fmt: skip
def test_no_page_takes_hours(page):
    text = "<script>'<a href=/no>'</script>" + page + "<a rel=nofollow href='/a'>"
    assert found(text) == [("https://example.org/a", True)]


def test_a_page_of_brackets_is_read_to_a_bound():
    most = html.MOST_EVENTS
    assert found("<a href=/a>" + "<" * (most - 1) + "<a href=/b>") == [("https://example.org/a", False)]
    assert len(found("<a href=/a>" + "<" * (most - 2) + "<a href=/b>")) == 2
