"""What is news in a sitemap or a feed."""

from datetime import UTC, date, datetime

from recrawl.crawler.sources.memory import pack, unpack
from recrawl.crawler.sources.news import of_feed, of_sitemap
from recrawl.signals import feed, sitemap

NOW = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
URL = "https://a.example/sitemap.xml"


def read(entries, before=None):
    pairs = entries.items() if isinstance(entries, dict) else entries
    urls = "".join(f"<url><loc>{loc}</loc><lastmod>{mod}</lastmod></url>" for loc, mod in pairs)
    return of_sitemap(sitemap.parse(f"<urlset>{urls}</urlset>".encode(), URL), before, NOW)


def test_a_first_reading_finds_pages_and_no_news():
    news = read({"/a": "2026-05-01", "/b": "2026-05-02"})
    assert (news.pages, news.changed) == (["https://a.example/a", "https://a.example/b"], [])


def test_an_advanced_date_is_news_with_its_moment():
    first = read({"/a": "2026-05-01", "/b": "2026-05-02T10:00:00Z", "/c": "2026-05-03"})
    again = read({"/a": "2026-05-04", "/b": "2026-05-02T11:00:00Z", "/c": "2026-05-02"}, unpack(pack(first.said)))
    assert again.changed == ["https://a.example/a", "https://a.example/b"]
    assert again.happened == [date(2026, 5, 4), datetime(2026, 5, 2, 11, tzinfo=UTC)]


def test_dates_that_go_back_and_forth_are_news_once():
    first = read({"/a": "2026-05-03"})
    back = read({"/a": "2026-05-01"}, first.said)
    forth = read({"/a": "2026-05-03"}, back.said)
    assert back.changed == forth.changed == []


def test_dates_in_the_future_say_nothing():
    first = read({"/a": "2026-05-01"})
    again = read({"/a": "2027-05-01"}, first.said)
    assert (again.changed, again.future) == ([], 1)
    assert read({"/a": "2026-05-20"}, again.said).changed == ["https://a.example/a"]


def test_what_left_is_counted():
    first = read({"/a": "2026-05-01", "/b": "2026-05-01"})
    assert read({"/a": "2026-05-01"}, first.said).left == 1


def test_a_feed_entry_with_other_words_is_news():
    def entries(text):
        data = f"<rss><channel><item><link>/a</link><guid>1</guid><title>{text}</title></item></channel></rss>"
        return feed.parse(data.encode(), "https://a.example/feed")

    first = of_feed(entries("one"), None, NOW)
    assert of_feed(entries("one"), first.said, NOW).changed == []
    assert of_feed(entries("two"), first.said, NOW).changed == ["https://a.example/a"]


def test_a_page_that_a_sitemap_lists_twice_is_one_with_its_latest_date():
    twice = [("/a", "2025-01-01"), ("/a", "2024-01-01"), ("/b", "2024-01-01"), ("/b", "2025-01-01")]
    first = read(twice)
    assert first.pages == ["https://a.example/a", "https://a.example/b"]
    assert first.dates == [date(2025, 1, 1)] * 2
    assert read(twice, first.said).changed == []
    assert read([*twice, ("/a", "2025-02-01")], first.said).happened == [date(2025, 2, 1)]


def test_a_file_that_an_index_lists_twice_advances_once():
    def index(*dates):
        files = "".join(f"<sitemap><loc>/1.xml</loc><lastmod>{day}</lastmod></sitemap>" for day in dates)
        return sitemap.parse(f"<sitemapindex>{files}</sitemapindex>".encode(), URL)

    first = of_sitemap(index("2022-01-01", "2021-01-01"), None, NOW)
    again = of_sitemap(index("2022-01-01", "2021-01-01"), first.said, NOW)
    assert (first.sitemaps, again.advanced) == (["https://a.example/1.xml"], [])
    later = of_sitemap(index("2021-01-01", "2023-01-01"), again.said, NOW)
    assert later.advanced == ["https://a.example/1.xml"]


def items(*found):
    text = "".join(f"<item><link>{link}</link><guid>1</guid><title>{title}</title></item>" for link, title in found)
    return feed.parse(f"<rss><channel>{text}</channel></rss>".encode(), "https://a.example/feed")


def test_items_with_one_id_are_one_entry():
    first = of_feed(items(("/a", "one"), ("/a", "two")), None, NOW)
    assert first.pages == ["https://a.example/a"]
    assert of_feed(items(("/a", "two"), ("/a", "one")), first.said, NOW).changed == []
    assert of_feed(items(("/a", "one"), ("/a", "three")), first.said, NOW).changed == ["https://a.example/a"]


def test_pages_with_one_id_are_entries_of_their_own():
    first = of_feed(items(("/a", "one"), ("/b", "two")), None, NOW)
    again = of_feed(items(("/c", "new"), ("/a", "one"), ("/b", "three")), first.said, NOW)
    assert again.pages == ["https://a.example/c"]
    assert again.changed == ["https://a.example/b"]
