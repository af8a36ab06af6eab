"""What is news in a sitemap or a feed."""

from datetime import UTC, date, datetime

from recrawl.crawler.sources.memory import pack, unpack
from recrawl.crawler.sources.news import of_feed, of_sitemap
from recrawl.signals import feed, sitemap

NOW = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
URL = "https://a.example/sitemap.xml"


def read(entries, before=None):
    urls = "".join(f"<url><loc>{loc}</loc><lastmod>{mod}</lastmod></url>" for loc, mod in entries.items())
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
