# ruff: noqa: E501 - documents stand as they are
"""Feeds as they are found."""

import gzip
from datetime import UTC, datetime

import pytest

from recrawl.signals import feed

AT = "https://example.org/blog/feed"


def parse(text, url=AT):
    return list(feed.parse(text if isinstance(text, bytes) else text.encode(), url))


def one(text, url=AT):
    [entry] = parse(text, url)
    return entry


def rss(*inner):
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><link>/</link>{"".join(inner)}</channel></rss>'


def item(inner):
    return rss(f"<item>{inner}</item>")


def atom(inner, attributes=""):
    return f'<feed xmlns="http://www.w3.org/2005/Atom" {attributes}><id>f</id><link href="/"/><updated>2001-01-01T00:00:00Z</updated><entry>{inner}</entry></feed>'


def url(text, at=AT):
    return one(text, at).url.removeprefix("https://example.org")


def test_an_item_of_rss_2():
    got = one(
        item(
            "<title>A</title><link>https://example.org/a</link><guid isPermaLink='false'>7</guid><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate><description>D</description>"
        )
    )
    moment = datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert (got.url, got.id, got.modified, got.published, got.timed) == (
        "https://example.org/a",
        "7",
        moment,
        moment,
        True,
    )


def test_an_entry_of_atom():
    got = one(
        atom(
            '<title>A</title><link href="/a"/><id>tag:a</id><published>2024-05-01T10:00:00Z</published><updated>2024-05-02T10:00:00Z</updated>'
        )
    )
    assert (got.url, got.id) == ("https://example.org/a", "tag:a")
    assert (got.published, got.modified) == (datetime(2024, 5, 1, 10, tzinfo=UTC), datetime(2024, 5, 2, 10, tzinfo=UTC))


def test_rss_1():
    text = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel rdf:about="https://example.org/"><title>T</title><link>https://example.org/</link>
    <items><rdf:Seq><rdf:li rdf:resource="https://example.org/a"/></rdf:Seq></items></channel>
    <image rdf:about="/i"><title>I</title><link>/image</link></image>
    <item rdf:about="https://example.org/a"><title>A</title><link>https://example.org/a?x</link><dc:date>2024-05-01T10:00:00+00:00</dc:date></item>
    <textinput><title>S</title><link>/search</link></textinput></rdf:RDF>"""
    got = one(text)
    assert (got.url, got.id, got.modified) == (
        "https://example.org/a?x",
        "https://example.org/a",
        datetime(2024, 5, 1, 10, tzinfo=UTC),
    )


def test_rss_0_9():
    text = '<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd"><rss version="0.91"><channel><item><title>&eacute;</title><link>/a</link></item></channel></rss>'
    got = one(text)
    assert (got.url, got.id, got.modified) == ("https://example.org/a", "https://example.org/a", None)


def test_atom_0_3():
    text = '<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><link rel="alternate" type="text/html" href="/a"/><id>i</id><issued>2024-05-01</issued><modified>2024-05-02T00:00:00Z</modified></entry></feed>'
    got = one(text)
    assert (got.url, got.id, got.modified.day, got.published.day) == ("https://example.org/a", "i", 2, 1)


def test_channel_definition_format():
    got = one('<CHANNEL><ITEM HREF="/a" LASTMOD="2001-05-02T10:00:00+02:00"><TITLE>A</TITLE></ITEM></CHANNEL>')
    assert (got.url, got.modified) == ("https://example.org/a", datetime(2001, 5, 2, 8, tzinfo=UTC))


def test_a_zero_before_the_document():
    assert url(b"\0" + item("<link>/a</link>").encode()) == "/a"


def test_json():
    text = '{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": 7, "url": "/a", "date_published": "2024-05-01T10:00:00Z", "date_modified": "2024-05-02T10:00:00Z", "content_text": "x"}, {"id": "https://example.org/b"}, {"id": "c"}, 5]}'
    first, second = parse(text)
    assert (first.url, first.id, first.modified.day, first.published.day) == ("https://example.org/a", "7", 2, 1)
    assert second.url == "https://example.org/b"


@pytest.mark.parametrize("text", ["{", '{"items": 5}', '{"items": [[]]}', "{}", "[" * 100000, '{"items":' * 50000])
def test_json_that_is_no_feed(text):
    assert parse(text) == []


@pytest.mark.parametrize(
    ("inner", "got"),
    [
        ("<link>/a</link><guid>https://example.org/g</guid>", "/a"),
        ("<guid>https://example.org/g</guid><link>/a</link>", "/a"),
        ("<guid>https://example.org/g</guid>", "/g"),
        ("<guid isPermaLink='false'>https://example.org/g</guid>", "/g"),
        ("<link>/a<![CDATA[?b&c]]></link>", "/a?b&c"),
        ("<link></link><guid isPermaLink='true'>https://example.org/g</guid>", "/g"),
        ("<link><![CDATA[ /a?b&c ]]></link>", "/a?b&c"),
        ("<link>/a?b&amp;c</link>", "/a?b&c"),
        ("<link>/a?b&c</link>", "/a?b&c"),
        ("<link>\n a \n</link>", "/blog/a"),
        ("<atom:link rel='alternate' href='/a'/>", "/a"),
        ("<atom:link rel='self' href='/s'/><link>/a</link>", "/a"),
        ("<link>https://feeds.example.com/~r/1</link><feedburner:origLink>/a</feedburner:origLink>", "/a"),
        ("<link xml:base='https://example.org/c/'>a</link>", "/c/a"),
        ("<media:content url='/m'><media:title>M</media:title></media:content><link>/a</link>", "/a"),
        ("<source url='/s'>S</source><link>/a</link>", "/a"),
        ("<image><link>/i</link></image><link>/a</link>", "/a"),
        ("<description><p>unescaped <a href='/x'>x</a><link>/l</link></description><link>/a</link>", "/a"),
        ("<title>A & B <b>c</title><link>/a</link>", "/a"),
        ("<pubDate>Wed<link>/a</link>", "/a"),
        ("<enclosure url='/e.mp3' type='audio/mpeg'/><link>/a</link>", "/a"),
        ("<itunes:title>x</itunes:title><itunes:link>/i</itunes:link><link>/a</link>", "/a"),
    ],
)
def test_the_page_of_an_rss_item(inner, got):
    assert url(item(inner)) == got


@pytest.mark.parametrize(
    ("inner", "got"),
    [
        ('<link rel="self" href="/s"/><link rel="alternate" href="/a"/>', "/a"),
        (
            '<link rel="alternate" type="application/pdf" href="/p"/><link rel="alternate" type="text/html" href="/a"/>',
            "/a",
        ),
        ('<link rel="alternate" type="application/pdf" href="/p"/>', "/p"),
        ('<link rel="enclosure" href="/e"/><link href="/a"/>', "/a"),
        ('<link rel="edit" href="/e"/><id>https://example.org/a</id>', "/a"),
        ('<link href="/a"></link>', "/a"),
        ("<link href='a'/>", "/blog/a"),
        ("<link rel='enclosure'>/e</link><link rel='alternate'>/a</link>", "/a"),
        ("<link rel='enclosure'>/e</link><link>/a</link>", "/a"),
        ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/a'/>", "/a"),
        ('<link xml:base="/c/" href="a"/>', "/c/a"),
        ('<source><id>s</id><link href="/s"/></source><link href="/a"/>', "/a"),
        (
            '<content type="xhtml"><div xmlns="x"><link href="/x"/><a href="/y">y</a></div></content><link href="/a"/>',
            "/a",
        ),
        ('<author><name>N</name><uri>/n</uri></author><link href="/a"/>', "/a"),
    ],
)
def test_the_page_of_an_atom_entry(inner, got):
    assert url(atom(inner)) == got


def test_bases_of_feed_and_entry():
    text = '<feed xml:base="https://example.org/f/"><entry xml:base="e/"><link href="a"/></entry><entry><link href="b"/></entry></feed>'
    assert [entry.url for entry in parse(text)] == ["https://example.org/f/e/a", "https://example.org/f/b"]


def test_items_without_a_page_are_left_out():
    assert (
        parse(
            rss(
                "<item><title>A</title></item>",
                "<item><guid>7</guid></item>",
            )
        )
        == []
    )


def test_a_date_of_publication_stands_in_for_an_update():
    got = one(item("<link>/a</link><pubDate>1 May 2024</pubDate><dcterms:modified>soon</dcterms:modified>"))
    assert (got.modified, got.timed) == (datetime(2024, 5, 1, tzinfo=UTC), False)


def test_updates_come_from_other_namespaces():
    got = one(item("<link>/a</link><pubDate>1 May 2024</pubDate><a10:updated>2024-05-03T00:00:00Z</a10:updated>"))
    assert (got.modified.day, got.published.day) == (3, 1)


def test_the_digest_shows_changes_of_title_and_content_and_no_others():
    base = "<link>/a</link><title>A</title><description>D</description>"
    digest = one(item(base)).digest
    assert one(item(base + "<pubDate>1 May 2024</pubDate><category>c</category>")).digest == digest
    assert one(item(base.replace(">D<", "> D\n<"))).digest == digest
    for change in (
        base.replace(">A<", ">B<"),
        base.replace(">D<", ">E<"),
        base + "<content:encoded>C</content:encoded>",
    ):
        assert one(item(change)).digest != digest


def test_the_digest_shows_changes_inside_xhtml():
    first, second = (
        one(atom(f'<link href="/a"/><content type="xhtml"><div><a href="{x}">x</a></div></content>')).digest
        for x in "ab"
    )
    assert first != second


@pytest.mark.parametrize("cut", [1, 10, 30])
def test_truncated(cut):
    text = rss("<item><link>/a</link></item><item><link>/b</link><description>long and cut off")
    text = text[: text.index("</channel>")]
    assert [entry.url[-1] for entry in parse(text[:-cut])][:1] == ["a"]


def test_half_a_link_is_none():
    assert [entry.url[-2:] for entry in parse("<rss><channel><item><link>/a</link></item><item><link>/b")] == ["/a"]


def test_missing_ends():
    assert [entry.url[-1] for entry in parse("<rss><channel><item><link>/a</link><item><link>/b</link></channel>")] == [
        "a",
        "b",
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1", "koi8-r", "cp857", "maclatin2"])
def test_encodings(encoding):
    letter = "б" if encoding == "koi8-r" else "é"
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?><rss><channel><item><link>/{letter}</link></item></channel></rss>'
    expected = "/%D0%B1" if encoding == "koi8-r" else "/%C3%A9"
    assert url(text.encode(encoding)) == expected


def test_packed():
    assert url(gzip.compress(item("<link>/a</link>").encode())) == "/a"


def test_no_feed():
    assert parse(b"<html><body><a href='/a'>a</a></body></html>") == []


def test_links_of_rss():
    text = rss(
        '<atom:link rel="self" href="/self"/><atom:link rel="hub" href="https://hub.example/"/><atom:link rel="hub" href="https://b.example/"/><ttl>60</ttl><image><link>/i</link></image>',
        "<item><link>/a</link></item>",
    )
    got = feed.links(text.encode(), AT)
    assert got == feed.Links(
        ("https://hub.example/", "https://b.example/"), "https://example.org/self", 3600.0, "https://example.org/"
    )


def test_links_of_atom_after_its_entries():
    text = '<feed><entry><link rel="hub" href="/no"/><link href="/a"/></entry><link rel="hub self" href="/h"/></feed>'
    got = feed.links(text.encode(), AT)
    assert (got.hubs, got.self_url) == (("https://example.org/h",), "https://example.org/h")


def test_links_of_json():
    text = '{"version": "https://jsonfeed.org/version/1", "feed_url": "/feed.json", "hubs": [{"type": "WebSub", "url": "https://hub.example/"}, 5]}'
    got = feed.links(text.encode(), AT)
    assert (got.hubs, got.self_url) == (("https://hub.example/",), "https://example.org/feed.json")


@pytest.mark.parametrize(
    ("inner", "seconds"),
    [
        ("<ttl>5</ttl>", 300.0),
        ("<ttl>0</ttl>", None),
        ("<ttl>soon</ttl>", None),
        ("<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>", 1800.0),
        ("<sy:updatePeriod> daily </sy:updatePeriod>", 86400.0),
        ("", None),
    ],
)
def test_how_long_a_copy_is_good(inner, seconds):
    assert feed.links(rss(inner).encode(), AT).ttl == seconds
