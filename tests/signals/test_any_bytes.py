# ruff: noqa: E501, ISC004 - documents stand as they are
"""No bytes make a parser fail, or take long: any bytes, and documents that something happened to."""

import gzip
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recrawl.signals import feed, links, robots, sitemap, sniff
from recrawl.signals.encoding import decoded

AT = "https://example.org/a"
DOCUMENTS = [
    b'<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE x [<!ENTITY y "z">]><urlset xmlns="http://www.sitemaps.org/schemas/'
    b'sitemap/0.9"><url><loc>https://example.org/a?b=1&amp;c=2</loc><lastmod>2024-05-01T10:00:00Z</lastmod><image:image>'
    b"<image:loc>/i</image:loc></image:image><priority>0.5</priority></url><!-- x --><url><loc><![CDATA[/b]]></loc></url>"
    b"</urlset>",
    b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>",
    b'<rss version="2.0"><channel><title>T &amp; t</title><atom:link rel="hub" href="/h"/><ttl>5</ttl><item><title>A</title>'
    b"<link>/a</link><guid isPermaLink='false'>7</guid><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x/"><entry><link href="a"/><id>i</id><updated>2024-05-01T10:00:00Z'
    b'</updated><content type="xhtml"><div>a<br/>b</div></content></entry></feed>',
    b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "7", "url": "/a"}], "hubs": [{"url": "/h"}]}',
    b"https://example.org/a\nhttps://example.org/b\n",
    b'<!doctype html><html><head><base href="/b/"><link rel="alternate" type="application/rss+xml" href="/f"></head><body>'
    b'<a href="c" rel="nofollow">c</a></body></html>',
    b"User-agent: *\nDisallow: /a*b$\nAllow: /c\nCrawl-delay: 2\nSitemap: https://example.org/s.xml\n",
]
FEW = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read_all(data):
    """Everything that reads strangers' bytes; and that what comes of it is as promised."""
    for entry in sitemap.parse(data, AT):
        assert entry.url.startswith(("http://", "https://"))
        assert entry.modified is None or entry.modified.tzinfo is not None
    for entry in feed.parse(data, AT):
        assert entry.url.startswith(("http://", "https://"))
        assert entry.id
    feed.links(data, AT)
    list(links.find(data, AT))
    list(links.feeds(data, AT))
    links.hubs(data, AT)
    sniff.kind(data, "")
    rules = robots.parse(data)
    rules.allowed("FooBot", AT)
    rules.crawl_delay("FooBot")


@FEW
@given(st.binary(max_size=400))
def test_any_bytes(data):
    read_all(data)
    read_all(gzip.compress(data))


PIECES = [
    b"<",
    b">",
    b"&",
    b'"',
    b"'",
    b"/",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"<?",
    b"<url>",
    b"</url>",
    b"<loc>",
]
PIECES += [
    b"<item>",
    b"</item>",
    b"<entry>",
    b"<link",
    b"href=",
    b"<!DOCTYPE [",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"a",
    b" ",
    b"\n",
    b"&#",
    b";",
]


@FEW
@given(st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join))
def test_pieces_of_documents_in_any_order(data):
    read_all(data)


@FEW
@given(st.sampled_from(DOCUMENTS), st.data())
def test_documents_that_something_happened_to(document, draw):
    data = bytearray(document)
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, len(data)))
        end = draw.draw(st.integers(at, min(len(data), at + 20)))
        data[at:end] = draw.draw(st.binary(max_size=3) | st.sampled_from(PIECES))
    read_all(bytes(data))


@FEW
@given(st.sampled_from(DOCUMENTS), st.data())
def test_packed_documents_that_something_happened_to(document, draw):
    data = bytearray(gzip.compress(document, mtime=0))
    data[draw.draw(st.integers(2, len(data) - 1))] ^= draw.draw(st.integers(1, 255))
    read_all(bytes(data[: draw.draw(st.integers(2, len(data)))]))


@pytest.mark.parametrize(
    "unit",
    [b"<", b"<a", b"<a ", b'<a "', b"<a b='>", b"<!", b"<!x", b"<!--", b"<![CDATA[", b"<?", b"&", b"&#", b"&a", b"<!DOCTYPE [", b"</", b"</a",
     b"<url>", b"<url><loc>", b"<item>", b"<item><link>a", b"<entry><link href=", b"<feed xml:base='a/'>", b"<title>", b"<a='", b"\n", b" ", b"http://a.b/\n",
     b"<item><title>", b"</item>", b"<link href='a' rel='hub'/>", b"*", b"Disallow: /*a\n", b"User-agent: a\n", b"<div>", b"\xff", b"\0<"],
)  # fmt: skip
@pytest.mark.parametrize("root", [b"", b"<urlset>", b"<rss><channel><item>"])
def test_nothing_takes_long_by_repetition(root, unit):
    data = root + unit * (40_000 // len(unit))
    began = time.perf_counter()
    for _ in sitemap.parse(data, AT):
        pass
    for _ in feed.parse(data, AT):
        pass
    feed.links(data, AT)
    list(links.find(data, AT))
    sniff.kind(data, "")
    robots.parse(data).allowed("a", AT)
    assert time.perf_counter() - began < 10.0  # takes below half a second


@pytest.mark.parametrize("unit", [b"<", b"<a ", b"</", b"\xffa", b"<url>", b"<item>", b"</url>"])
@pytest.mark.parametrize("root", [b"<urlset>", b"<rss><channel><item>"])
def test_small_files_that_unpack_to_large_ones_take_no_time(root, unit):
    packed = gzip.compress(root + unit * ((3 << 20) // len(unit)), 1)
    began = time.process_time()
    assert list(sitemap.parse(packed, AT)) == list(feed.parse(packed, AT)) == []
    assert time.process_time() - began < 3.0  # takes one second; reading all would take five


def test_what_comes_in_small_pieces_is_not_looked_at_anew_with_each():
    began = time.process_time()
    for head in (b"<urlset><a ", b""):
        assert list(sitemap.parse(gzip.compress(head + b"x" * 900_000) + gzip.compress(b"y") * 9000, AT)) == []
    assert list(links.find(b'<a b="' + b"x<!---->" * 100_000, AT)) == []
    assert time.process_time() - began < 5.0  # takes half a second


def test_a_feed_has_no_more_entries_than_a_sitemap():
    items = b"<rss><channel>" + b"<item><link>/a</link></item>" * (feed.MOST_ENTRIES + 10)
    assert sum(1 for _ in feed.parse(items, AT)) == feed.MOST_ENTRIES
    listed = b'{"items": [' + b'{"url": "/a"},' * (feed.MOST_ENTRIES + 10) + b"0]}"
    assert sum(1 for _ in feed.parse(listed, AT)) == feed.MOST_ENTRIES


def test_json_of_next_to_nothing_takes_no_memory():
    began = time.process_time()
    assert list(feed.parse(b'{"items": [{"url": "/a"},' + b"{}," * (1 << 21) + b"0]}", AT)) == []
    assert time.process_time() - began < 1.0  # takes a tenth


def test_bytes_that_are_no_utf_8_stand_between_others_and_at_the_edges_of_pieces():
    text = "".join(decoded((b"<\xc3", b"\xa9\xe9\xe2\x82", b"\xac\x81\xed\xa0\x80\xf0\x9f")))
    assert text == "<é" + "é€" + "\ufffdí\xa0€ð\u0178"


@pytest.mark.parametrize(
    "encoding", ["iso-2022-jp", "iso-2022-jp-2", "hz", "shift_jis", "euc-jp", "gb18030", "big5", "johab"]
)
@pytest.mark.parametrize("end", [b"\x1b" + b"$" * 10, b"\x1b$(" + b"(" * 20, b"\x1b", b"~{\x81", b"\x81", b"\x8f\xa1"])
def test_an_end_that_no_decoder_likes_costs_no_entry(encoding, end):
    head = f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
    data = head + b"<rss><channel><item><link>/b</link></item>" + end
    read_all(data)
    assert [entry.url for entry in feed.parse(data, AT)] == ["https://example.org/b"]
    pieces = [head, *(data[at : at + 1] for at in range(len(head), len(data)))]
    assert "<link>/b</link></item>" in "".join(decoded(pieces))
