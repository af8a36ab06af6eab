"""What documents are, whatever their label."""

import gzip

import pytest

from recrawl.signals import sniff


@pytest.mark.parametrize(
    ("data", "label", "kind"),
    [
        (b"<?xml version='1.0'?><urlset>", "text/html", "sitemap"),
        (b"\xef\xbb\xbf  <sitemapindex/>", "", "sitemap"),
        (b"<!-- by a plugin --><?xml-stylesheet href='a'?><sm:urlset>", "text/plain", "sitemap"),
        ("<urlset>".encode("utf-16"), "", "sitemap"),
        (gzip.compress(b"<urlset>", mtime=0), "application/octet-stream", "sitemap"),
        (b"<br />Notice: x<urlset>", "text/html", "sitemap"),
        (b"Notice: x\n<rss>", "text/html", "feed"),
        (b"<rss version='2.0'>", "text/html", "feed"),
        (b"<?xml version='1.0'?><!DOCTYPE rss SYSTEM 'x'><rss>", "", "feed"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'>", "text/xml", "feed"),
        (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel>", "", "feed"),
        (b"<rdf:RDF><foaf:Person>", "application/rdf+xml", "other"),
        (b'{"version": "https://jsonfeed.org/version/1.1"}', "application/json", "feed"),
        (b'{"a": 1}', "application/json", "other"),
        (b"https://example.org/a\nhttps://example.org/b\n", "text/plain", "text-sitemap"),
        (b"\xef\xbb\xbfhttp://example.org/a", "application/octet-stream", "text-sitemap"),
        (b"https://example.org/a is a page", "text/plain", "other"),
        (b"User-agent: *\nSitemap: https://example.org/s.xml", "text/plain", "other"),
        (b"<!doctype html><html><head>", "text/plain", "html"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'>", "application/xml", "html"),
        (b"<p>Hello", "text/html", "html"),
        (b"Hello", "text/html", "html"),
        (b"<svg>", "image/svg+xml", "other"),
        (b"", "text/html", "html"),
        (b"", "", "other"),
        (b"\x89PNG\r\n", "image/png", "other"),
    ],
)
def test_kinds(data, label, kind):
    assert sniff.kind(data, label) == kind
