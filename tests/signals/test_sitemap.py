# ruff: noqa: E501 - documents stand as they are
"""Sitemaps as they are found."""

import gzip
import io
import time
import tracemalloc
import zlib
from datetime import UTC, datetime

import pytest

from recrawl.signals import sitemap
from recrawl.signals.markup import MOST_IDLE

AT = "https://example.org/sitemap.xml"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def parse(data, url=AT):
    return list(sitemap.parse(data if isinstance(data, bytes) else data.encode(), url))


def urls(data, url=AT):
    return [entry.url.removeprefix("https://example.org") for entry in parse(data, url)]


def of(*paths):
    return "".join(f"<url><loc>https://example.org{path}</loc></url>" for path in paths)


def whole(*paths):
    return f"{HEAD}<urlset {NAMESPACE}>{of(*paths)}</urlset>"


def test_an_entry_with_all_it_may_have():
    text = f"""{HEAD}
    <urlset {NAMESPACE}><url>
      <loc> https://example.org/a </loc><lastmod>2024-05-01T12:00:00+02:00</lastmod>
      <changefreq>Daily</changefreq><priority>0.8</priority>
    </url></urlset>"""
    moment = datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert parse(text) == [sitemap.Entry("https://example.org/a", moment, True, False, "daily", 0.8)]


def test_a_date_without_time():
    [entry] = parse("<urlset><url><loc>/a</loc><lastmod>2024-05-01</lastmod></url></urlset>")
    assert (entry.modified, entry.dated) == (datetime(2024, 5, 1, tzinfo=UTC), False)


@pytest.mark.parametrize("value", ["", "yesterday", "2024-13-45", "0000-00-00T00:00:00Z"])
def test_a_date_that_is_none(value):
    [entry] = parse(f"<urlset><url><loc>/a</loc><lastmod>{value}</lastmod></url></urlset>")
    assert (entry.modified, entry.dated) == (None, False)


def test_an_index():
    text = f"<sitemapindex {NAMESPACE}><sitemap><loc>/1.xml.gz</loc><lastmod>2024</lastmod></sitemap></sitemapindex>"
    [entry] = parse(text)
    assert (entry.url, entry.is_sitemap, entry.modified.year) == ("https://example.org/1.xml.gz", True, 2024)


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>/a</loc></url></urlset>",
        '<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>/a</loc></url></urlset>',
        '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>/a</sm:loc></sm:url></sm:urlset>',
        "<sm:urlset><sm:url><sm:loc>/a</sm:loc></sm:url></sm:urlset>",
        "<URLSET><URL><LOC>/a</LOC></URL></URLSET>",
        "\n\n  <?xml version='1.0'?><urlset><url><loc>/a</loc></url></urlset>",
        "<br>Warning: line 1\n<urlset><url><loc>/a</loc></url></urlset>",
        "<urlset><url><loc><![CDATA[ /a ]]></loc></url></urlset>",
        "<urlset><url><loc>\n\t/a\n</loc></url></urlset>",
        "<urlset><url><loc>https://EXAMPLE.org:443/./a#b</loc></url></urlset>",
        "<urlset><!-- <url><loc>/b</loc></url> --><url><loc>/a</loc></url></urlset>",
        "<urlset><url><loc>/a</loc></urlset>",
        "<urlset><url><loc>/a</lo",
        "<urlset><url><loc><url><![CDATA[/a]]></url></loc></url></urlset>",
        "<urlset><url><!-- none --></url><url><loc>/a</loc></url></url></urlset>",
        "<urlset><url><loc>/a<lastmod>2024</lastmod></url></urlset>",
        "<urlset><url><loc>/a</loc></url><url></url><url><loc></loc></url><url><loc>mailto:a@b</loc></url></urlset>",
        "<urlset><url/><url><loc>/a</loc></url></urlset>",
        "<urlset><url><loc/><loc>/a</loc></url></urlset>",
        "<urlset>\ufeff<url><loc>\ufeffhttps://example.org/a\u200b</loc></url></urlset>",
        '<urlset><url><xhtml:link rel="alternate" hreflang="de" href="/de"/><loc>/a</loc></url></urlset>',
        "<urlset><url><image:image><image:loc>/i.png</image:loc></image:image><loc>/a</loc></url></urlset>",
        "<urlset><url><loc>/a</loc><image:image><image:loc>/i.png</image:loc></image:image></url></urlset>",
        "<urlset><url><image><loc>/i.png</loc></image><loc>/a</loc></url></urlset>",
        "<urlset><url><loc>/a</loc><video:video><video:title>a & b</video:title></video:video></url></urlset>",
        "<!DOCTYPE urlset SYSTEM 'x.dtd'><urlset><url><loc>/a</loc></url></urlset>",
        '<?xml-stylesheet type="text/xsl" href="s.xsl"?><urlset><url><loc>/a</loc></url></urlset>',
    ],
)
def test_spellings_of_one_entry(text):
    assert urls(text) == ["/a"]


@pytest.mark.parametrize(
    ("loc", "got"),
    [
        ("/?a=1&amp;b=2", "/?a=1&b=2"),
        ("/?a=1&b=2", "/?a=1&b=2"),
        ("/?a=1&copy=2", "/?a=1&copy=2"),
        ("/&#233;", "/%C3%A9"),
        ("/&eacute;", "/%C3%A9"),
        ("/é", "/%C3%A9"),
        ("/a b", "/a%20b"),
        ("../x/./y", "/x/y"),
        ("?q", "/sitemap.xml?q"),
        ("//other.org/a", "https://other.org/a"),
    ],
)
def test_urls(loc, got):
    assert urls(f"<urlset><url><loc>{loc}</loc></url></urlset>") == [got]


def test_an_index_without_loc_elements():
    text = "<sitemapindex><sitemap>\nhttps://example.org/a?b&amp;c\n</sitemap><sitemap>no url</sitemap></sitemapindex>"
    assert urls(text) == ["/a?b&c"]


def test_news_are_dated_by_their_publication_where_they_have_no_other_date():
    news = "<news:news><news:publication_date>2024-05-01T10:00Z</news:publication_date><news:title>A</news:title></news:news>"
    first, second = parse(
        f"<urlset><url><loc>/a</loc>{news}</url><url><loc>/b</loc>{news}<lastmod>2024-06</lastmod></url></urlset>"
    )
    assert (first.modified.month, second.modified.month) == (5, 6)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_by_mark_or_pattern(encoding):
    assert urls(f"{HEAD}<urlset>{of('/é')}</urlset>".encode(encoding)) == ["/%C3%A9"]


@pytest.mark.parametrize(
    ("declared", "real"),
    [("iso-8859-1", "iso-8859-1"), ("utf-8", "iso-8859-1"), ("utf-16", "utf-8"), ("iso-8859-1", "utf-8"), ("nonsense", "utf-8"),
     ("zip", "utf-8"), ("windows-1251", "cp1252"), ("", "utf-8")],
)  # fmt: skip
def test_declared_encodings_that_are_right_and_wrong(declared, real):
    data = f'<?xml version="1.0" encoding="{declared}"?><urlset>{of("/é")}</urlset>'.encode(real)
    expected = "/%D0%B9" if declared == "windows-1251" else "/%C3%A9"
    assert urls(data) == [expected]


def test_text():
    text = "\ufeffhttps://example.org/a\r\n\r\n  http://example.org/b \rnot a url\n/c\nftp://example.org/d\nhttps://example.org/e"
    assert urls(text) == ["/a", "http://example.org/b", "/e"]


def test_what_stands_behind_a_url_in_a_text_is_not_part_of_it():
    text = "https://example.org/a\t2024-01-01\nhttps://example.org/b 0.5 daily\n\thttps://example.org/c\u00a0x\n \n\t\n"
    assert urls(text) == ["/a", "/b", "/c"]


def test_brackets_in_a_text_do_not_make_it_xml():
    assert urls("https://example.org/a\nhttps://example.org/?b=<c>\n") == ["/a", "/?b=%3Cc%3E"]
    assert urls("https://example.org/a<br>\nhttps://example.org/b<BR />\n") == ["/a", "/b"]


def test_of_two_dates_the_first_that_is_one():
    [entry] = parse("<urlset><url><loc>/a</loc><lastmod></lastmod><lastmod>2024-05-01</lastmod></url></urlset>")
    assert entry.modified == datetime(2024, 5, 1, tzinfo=UTC)


def test_feeds_serve_as_sitemaps():
    rss = "<rss><channel><item><link>/a</link><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item></channel></rss>"
    [entry] = parse(rss)
    assert (entry.url, entry.modified, entry.dated) == (
        "https://example.org/a",
        datetime(2024, 5, 1, 10, tzinfo=UTC),
        True,
    )
    assert urls('<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>') == ["/a"]


def test_packed_whatever_it_is_called():
    packed = gzip.compress(whole("/a").encode())
    assert urls(packed) == ["/a"]
    assert urls(gzip.compress(packed)) == ["/a"]
    assert urls(packed + b"garbage" * 100) == ["/a"]


def test_packed_files_one_after_another():
    text = whole("/a", "/b").encode()
    assert urls(gzip.compress(text[:80]) + gzip.compress(text[80:])) == ["/a", "/b"]


def test_packed_and_cut():
    many = whole(*(f"/{k}" for k in range(5000)))
    packed = gzip.compress(many.encode())
    got = urls(packed[: len(packed) // 2])
    assert 1000 < len(got) < 5000
    assert got == [f"/{k}" for k in range(len(got))]


@pytest.mark.parametrize("at", [-8, -1])
def test_packed_with_a_wrong_checksum_or_length(at):
    packed = bytearray(gzip.compress(whole(*(f"/{k}" for k in range(100))).encode()))
    packed[at] ^= 0xFF
    assert len(parse(bytes(packed))) == 100
    assert len(parse(bytes(packed[:at]))) == 100
    assert len(parse(gzip.compress(bytes(packed)))) == 100
    assert len(parse(bytes(packed) + gzip.compress(whole("/a", "/b").encode()))) == 102


def test_packed_and_broken_within():
    text = whole(*(f"/{k}" for k in range(100))).encode()
    deflater = zlib.compressobj(wbits=31)
    packed = deflater.compress(text[:4000]) + deflater.flush(zlib.Z_FULL_FLUSH) + b"\xff" * 1000
    assert urls(packed) == [f"/{k}" for k in range(text[:4000].count(b"</loc>"))]


def test_all_that_may_stand_in_the_head_of_a_packed_file():
    packed = gzip.compress(whole("/a").encode(), mtime=0)
    head = packed[:3] + bytes((2 | 4 | 8 | 16,)) + packed[4:10] + b"\x03\0abc" + b"name\0" + b"comment\0" + b"\x12\x34"
    assert urls(head + packed[10:]) == ["/a"]
    assert urls(b"".join((head[:20], b"n" * 100_000, head[20:], packed[10:]))) == ["/a"]


def test_packed_files_that_hold_nothing_take_no_time():
    nothing = gzip.compress(b"", mtime=0)
    began = time.perf_counter()
    assert urls(gzip.compress(nothing * 500_000 + gzip.compress(whole("/a").encode()))) == []
    assert time.perf_counter() - began < 10.0  # takes below half a second


@pytest.mark.parametrize("cut", range(1, 40))
def test_what_comes_before_a_break_counts_and_half_a_url_does_not(cut):
    text = f"<urlset>{of('/aaaaaa', '/bbbbbb')}"
    expected = ["/aaaaaa", "/bbbbbb"] if text[:-cut].count("</l") == 2 else ["/aaaaaa"]
    assert urls(text[:-cut]) == expected


def test_half_a_date_is_none():
    [entry] = parse("<urlset><url><loc>/a</loc><lastmod>2024-05-1")
    assert entry.modified is None


@pytest.mark.parametrize(
    "junk", ["<", "<<>>", "&", "&#xFFFFFFF;", "</url></urlset>", "\x01\x02", "<a b='", "]]>", "<?x ?>"]
)
def test_junk_between_entries_costs_no_entry(junk):
    got = urls(f"<urlset>{of('/a')}{junk}{of('/b')}</urlset>")
    assert got == ["/a", "/b"]


def test_entities_are_refused():
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    text = f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{laughs}<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>'
    text += "<url><loc>/&l9;</loc></url><url><loc>/&x;</loc></url><url><loc>/a&amp;b</loc></url></urlset>"
    assert urls(text) == ["/a&b"]


def test_no_more_than_the_protocol_allows():
    data = ("<urlset>" + of("/a") * (sitemap.MOST_ENTRIES + 10)).encode()
    assert len(parse(data)) == sitemap.MOST_ENTRIES
    assert len(parse("https://example.org/a\n\n" * (sitemap.MOST_ENTRIES + 10))) == sitemap.MOST_ENTRIES


def test_entries_full_of_other_things_are_read_to_the_last():
    images = "".join(
        f"<image:image>\n<image:loc>/{k}.jpg</image:loc>\n<image:title>{k}</image:title>" for k in range(1000)
    )
    entry = f"<url>\n<loc>/a</loc>\n{images}<xhtml:link rel='alternate' hreflang='de' href='/b'/>\n</url>\n"
    assert len(parse("<urlset>" + entry * 50)) == 50


def test_where_no_entry_begins_for_long_none_is_looked_for():
    assert urls("<urlset>" + of("/a") + "<a>" * (MOST_IDLE + 1) + of("/b")) == ["/a"]
    assert urls("<urlset>" + of("/a") + "<a>" * (MOST_IDLE - 10) + of("/b")) == ["/a", "/b"]


def test_what_comes_after_the_limit_in_bytes_is_not_read(monkeypatch):
    monkeypatch.setattr(sitemap, "MOST_BYTES", 1000)
    data = gzip.compress(("<urlset>" + of(*(f"/{k:04}" for k in range(100)))).encode())
    assert urls(data) == [f"/{k:04}" for k in range(21)]


@pytest.mark.parametrize(
    "data", [b"", b" ", b"\xff\xfe", b"\x1f\x8b", b"<", b"<html><body>404</body></html>", b"{}", b"\0" * 100]
)
def test_what_is_no_sitemap(data):
    assert parse(data) == []


def test_a_base_that_is_none_serves_for_complete_urls():
    assert urls(f"<urlset><url><loc>/b</loc></url>{of('/a')}", "") == ["/a"]


def bomb(megabytes):
    """A packed sitemap of that size."""
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", compresslevel=1) as file:
        file.write(b"<urlset>")
        entry = b"<url><loc>https://example.org/a</loc><lastmod>2024-05-01</lastmod>" + b" " * 934 + b"</url>"
        for _ in range(megabytes):
            file.write(entry * 1000)
    return made.getvalue()


@pytest.mark.parametrize(
    "hidden", [b"<!--", b"<![CDATA[", b"<a ", b"<a b='", b"", b"<!DOCTYPE a [", b"<urlset><url><loc>"]
)
def test_memory_is_that_of_a_piece_whatever_the_file(hidden):
    data = gzip.compress(hidden + b"x" * (8 << 20), 1)
    tracemalloc.start()
    got = sum(1 for _ in sitemap.parse(data, AT))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert got == 0
    assert peak < 5 << 20  # of 8 MB: a tag of 1 MB, and copies of it


def test_memory_and_entries_of_a_large_sitemap():
    data = bomb(5)
    tracemalloc.start()
    got = sum(1 for _ in sitemap.parse(data, AT))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert got == 5000
    assert peak < 2 << 20  # of 5 MB
