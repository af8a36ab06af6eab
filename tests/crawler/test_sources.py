"""How often sitemaps and feeds are asked for, when they are dropped, and what is passed on of them."""

import math
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from recrawl import Frontier
from recrawl.clock import ManualClock
from recrawl.crawler.counts import Counts
from recrawl.crawler.scope import Scope
from recrawl.crawler.sources.pace import Pace, first_pace, usual
from recrawl.crawler.sources.registry import Source
from recrawl.crawler.sources.sources import GIVEN, Sources
from recrawl.fetch.fetched import Fetched
from recrawl.signals import robots
from recrawl.store import MemoryShelf

BASE = "https://a.example/"
ELSEWHERE = "https://b.example/"
"""Where the pages are: the crawl does not want them, and only sources count here."""
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
BEGAN = 1_750_000_000.0
BROKEN = "broken"


def feed(entries):
    items = "".join(f"<item><link>{ELSEWHERE}{name}</link><guid>{name}</guid></item>" for name in entries)
    return f"<rss><channel>{items}</channel></rss>".encode()


def sitemap(entries):
    """Each entry a name, or a name and its lastmod."""
    urls = "".join(
        f"<url><loc>{ELSEWHERE}{name}</loc>{f'<lastmod>{w3c(at)}</lastmod>' if at else ''}</url>"
        for name, at in entries
    )
    return f"<urlset>{urls}</urlset>".encode()


def index(names, at=None):
    dated = f"<lastmod>{w3c(at)}</lastmod>" if at else ""
    return (
        "<sitemapindex>"
        + "".join(f"<sitemap><loc>{BASE}{name}</loc>{dated}</sitemap>" for name in names)
        + "</sitemapindex>"
    ).encode()


def w3c(at):
    return datetime.fromtimestamp(at, UTC).isoformat()


class Ages:
    """What a frontier does for sources, without pages and without a budget: each is asked for when its age is over."""

    def __init__(self, rate, clock):
        self.rate, self._clock = rate, clock
        self._ages, self._read, self._failed, self._not_before = {}, {}, {}, {}
        self.signalled = []

    def __contains__(self, url):
        return url in self._ages

    def __len__(self):
        return len(self._ages)

    def add(self, urls, max_age, **_):
        self._ages.update(dict.fromkeys([urls] if isinstance(urls, str) else urls, max_age))
        return SimpleNamespace(new=0)

    def signal(self, urls, **_):
        self.signalled += urls
        return SimpleNamespace(heard=len(urls), old=0, repeated=0, unknown=[])

    def forget(self, url):
        self._ages.pop(url, None)

    def look(self, _):
        """Nothing is put off here."""
        return []

    def due(self, url):
        """When it is to be asked for."""
        return max(self._read.get(url, 0.0) + self._ages[url], self._not_before.get(url, 0.0))

    def next(self):
        """What is asked for next."""
        return min(self._ages, key=self.due)

    def complete(self, url, well):
        self._read[url] = now = self._clock.wall()
        self._failed[url] = failed = 0 if well else self._failed.get(url, 0) + 1
        self._not_before[url] = now + min(MINUTE * 2.0 ** (failed - 1), DAY) if failed else now


class Site:
    """Sources of one site, read when they are due, on a clock that jumps; `says` has what each answers."""

    def __init__(self, says, rate=10.0, share=0.05):
        self.clock = ManualClock(BEGAN)
        self.shelf, self.says = MemoryShelf(), says
        self.frontier = Ages(rate, self.clock)
        self.read = []
        self._share = share
        self.begin()

    def begin(self):
        """A run begins, maybe not the first."""
        self.sources = Sources(self.frontier, self.shelf, Scope([BASE]), Counts(), self.clock.wall, share=self._share)

    @property
    def now(self):
        return self.clock.wall()

    @property
    def listed(self):
        return sorted(source.url.removeprefix(BASE) for source in self.sources.registry)

    def robots(self, *names):
        text = "".join(f"Sitemap: {BASE}{name}\n" for name in names)
        self.sources.robots_said(BASE.rstrip("/"), robots.parse(text.encode()))

    def answer(self, url, body, **more):
        source = self.sources.registry.get(url)
        if body is None or body == BROKEN:
            self.sources.failed(source, gone=body is None)
        else:
            self.sources.came(source, Fetched(url, url, 200, body=body, **more), whole="error" not in more)
        self.frontier.complete(url, body != BROKEN)
        self.sources.set_interval(source)
        self.shelf.put(self.sources.changes())

    def go(self, seconds):
        """Read what is due, until so many seconds have passed."""
        end = self.now + seconds
        while (due := self.frontier.due(url := self.frontier.next())) < end:
            self.clock.advance(max(due - self.now, 0.0))
            said = self.says[url.removeprefix(BASE)]
            self.read.append((self.now - BEGAN, url.removeprefix(BASE)))
            self.answer(url, said(self.now) if callable(said) else said)
        self.clock.advance(end - self.now)

    def times(self, name):
        return [at for at, read in self.read if read == name]


def changing(every):
    return lambda now: feed([f"n{int(now // every) - k}" for k in range(3)])


def test_a_lively_feed_is_read_again_within_hours_and_every_few_minutes_within_a_day():
    site = Site({"feed": changing(10 * MINUTE)})
    site.sources.told([f"{BASE}feed"], GIVEN, "feed")
    site.go(1.5 * DAY)
    read = site.times("feed")
    assert len([at for at in read if at <= 2 * HOUR]) >= 2
    last = [at for at in read if at > DAY]
    assert 3 * MINUTE < (last[-1] - last[0]) / (len(last) - 1) < 10 * MINUTE


def test_a_source_that_never_changes_is_read_ever_less_often_until_it_is_once_a_week():
    site = Site({"feed": feed(["a"]), "sitemap.xml": sitemap([("a", None)])})
    site.sources.told([f"{BASE}feed"], GIVEN, "feed")
    site.sources.told([f"{BASE}sitemap.xml"], GIVEN, "sitemap")
    site.go(60 * DAY)
    for name, most in (("feed", 22), ("sitemap.xml", 14)):
        read = site.times(name)
        assert len(read) < most, name
        assert read[-1] - read[-2] == pytest.approx(7 * DAY, rel=0.05), name


def test_a_run_that_begins_anew_goes_on_at_the_same_pace():
    def read(restarts):
        site = Site({"feed": changing(10 * MINUTE), "sitemap.xml": sitemap([("a", None)])})
        site.sources.told([f"{BASE}feed"], GIVEN, "feed")
        site.sources.told([f"{BASE}sitemap.xml"], GIVEN, "sitemap")
        for _ in range(6):
            site.go(4 * HOUR)
            if restarts:
                site.begin()
                site.sources.told([f"{BASE}feed"], GIVEN, "feed")
        return site.read

    assert read(restarts=True) == read(restarts=False)


def test_sources_take_no_more_than_their_share_of_the_budget():
    names = [f"feed{k}" for k in range(10)]
    site = Site({name: changing(10 * MINUTE) for name in names}, rate=0.05, share=0.1)  # a reading each 200 s
    site.sources.told([f"{BASE}{name}" for name in names], GIVEN, "feed")
    site.go(1.5 * DAY)
    late = [at for at, _ in site.read if at > DAY]
    assert 0.7 < len(late) / (0.5 * DAY * 0.05 * 0.1) < 1.1


def test_where_years_take_a_minute_the_share_holds_too():
    site = Site({"feed": changing(10 * MINUTE)}, rate=4e-5)  # one request in seven hours, one in twenty for sources
    site.sources.told([f"{BASE}feed"], GIVEN, "feed")
    site.go(365 * DAY)
    assert len(site.read) < 1.1 * 365 * DAY * 4e-5 * 0.05 + 2


def test_an_index_whose_dates_always_advance_has_its_sitemaps_read_within_the_share():
    names = [f"s{k}.xml" for k in range(50)]
    says = {name: lambda now: sitemap([("a", now)]) for name in names}
    site = Site({**says, "index.xml": lambda now: index(names, now)}, rate=1.0)
    site.robots("index.xml")
    site.go(8 * DAY)
    late = [at for at, _ in site.read if at > 6 * DAY]
    assert len(late) < 1.2 * 2 * DAY * 0.05


def test_dates_of_the_latest_entries_say_how_often_to_read_before_anything_was_learned():
    now = BEGAN
    every_ten_minutes = [int(now - k * 600.0) for k in range(20)]
    assert first_pace("feed", 0.0, every_ten_minutes, now).rate == pytest.approx(1.0 / 600.0)
    assert first_pace("sitemap", 0.0, every_ten_minutes, now).rate == pytest.approx(1.0 / 600.0)
    assert first_pace("feed", 0.0, [int(now - 365 * DAY), int(now - 366 * DAY)], now) == usual("feed")
    assert first_pace("feed", 300.0, [], now).rate == pytest.approx(0.5 / 300.0)
    assert first_pace("feed", 0.0, [int(now)], now) == usual("feed")


def test_learning_is_near_the_truth_and_believes_short_waits_more():
    for every in (10 * MINUTE, DAY):
        pace, since = usual("sitemap"), 0.0
        for _ in range(300):
            wait = 0.5 / pace.rate
            since += wait
            news = since >= every
            since %= every
            pace = pace.heard(wait, news)
        assert 0.6 < pace.rate * every < 1.6, every
    short, long = (Pace(1.0, DAY).heard(wait, news=True).rate for wait in (MINUTE, 7 * DAY))
    assert short > 1.9 / DAY
    assert long < 1.2 / DAY


def test_of_an_index_that_breaks_off_nothing_is_taken_to_have_left():
    site = Site({})
    site.robots("index.xml")
    site.answer(f"{BASE}index.xml", index(["s1.xml", "s2.xml", "s3.xml"]))
    site.clock.advance(10 * DAY)
    for _ in range(3):
        site.answer(f"{BASE}index.xml", index(["s1.xml", "s2.xml"])[:70], error="truncated")
        site.clock.advance(10 * DAY)
    assert site.listed == ["index.xml", "s1.xml", "s2.xml", "s3.xml"]


def test_one_missing_robots_txt_drops_no_sitemap():
    site = Site({})
    site.robots("index.xml")
    site.clock.advance(DAY)
    site.robots()
    site.clock.advance(DAY)
    assert "index.xml" in site.listed
    site.robots("index.xml")
    site.clock.advance(5 * DAY)
    site.robots()
    assert "index.xml" in site.listed


def test_one_empty_index_drops_none_of_its_sitemaps():
    site = Site({})
    site.robots("index.xml")
    for body in (index(["s1.xml", "s2.xml"]), index([]), index(["s1.xml", "s2.xml"]), index(["s2.xml"])):
        site.answer(f"{BASE}index.xml", body)
        site.clock.advance(7 * DAY)
    assert site.listed == ["index.xml", "s1.xml", "s2.xml"]


def test_a_sitemap_that_is_not_listed_for_days_is_dropped_and_is_back_at_once_when_it_is_listed_again():
    site = Site({})
    site.robots("index.xml")
    site.answer(f"{BASE}index.xml", index(["old.xml", "new.xml"]))
    for _ in range(2):
        site.answer(f"{BASE}index.xml", index(["new.xml"]))
        site.clock.advance(4 * DAY)
    site.sources.unchanged(site.sources.registry.get(f"{BASE}index.xml"))
    assert site.listed == ["index.xml", "new.xml"]
    site.answer(f"{BASE}index.xml", index(["old.xml", "new.xml"]))
    assert site.listed == ["index.xml", "new.xml", "old.xml"]


def test_sitemaps_of_a_new_name_each_day_do_not_pile_up():
    site = Site({})
    site.robots("index.xml")
    for day in range(30):
        site.answer(f"{BASE}index.xml", index([f"s{day}.xml"]))
        site.clock.advance(DAY)
    assert len(site.listed) <= 6
    assert site.sources.registry.told(f"{BASE}s1.xml", "index x", site.now)  # nothing is left of it


def test_a_sitemap_that_is_gone_stays_so_for_a_week_although_it_is_listed():
    site = Site({})
    site.robots("s.xml")
    for _ in range(3):
        site.answer(f"{BASE}s.xml", None)
    site.clock.advance(6 * DAY)
    site.robots("s.xml")
    assert site.listed == []
    site.clock.advance(2 * DAY)
    site.robots("s.xml")
    assert site.listed == ["s.xml"]


def test_a_day_without_answers_costs_no_sitemap_and_it_is_read_soon_after():
    site = Site({"s.xml": lambda now: BROKEN if HOUR < now - BEGAN < DAY else sitemap([("a", now)])})
    site.robots("s.xml")
    site.go(3 * DAY)
    assert site.listed == ["s.xml"]
    assert min(at for at in site.times("s.xml") if at >= DAY) < 2.5 * DAY


def test_a_hub_that_only_the_headers_name_is_known():
    site = Site({})
    site.sources.told([f"{BASE}feed"], GIVEN, "feed")
    link = ("Link", f'<https://hub.example/>; rel="hub", <{BASE}topic>; rel="self"')
    site.answer(f"{BASE}feed", feed(["a"]), headers=(link,))
    source = site.sources.registry.get(f"{BASE}feed")
    assert (source.hub, source.topic) == ("https://hub.example/", f"{BASE}topic")


def test_a_delivery_is_a_signal_for_its_topic_where_that_is_a_page():
    site = Site({})
    site.sources.told([f"{BASE}feed"], GIVEN, "feed")
    site.frontier.add([f"{BASE}page"], max_age=math.inf)
    for topic in (f"{BASE}page", f"{BASE}feed", f"{BASE}unknown"):
        site.sources.delivered(topic, b"<html>new</html>")
    assert site.frontier.signalled == [f"{BASE}page"]


def test_an_older_shelf_is_read():
    shelf = MemoryShelf()
    old = b'{"told_by": "settings", "kind": "feed", "read": 1.0, "looks": 3, "news": 1, "watched": 9.0}'
    shelf.put([("source", f"{BASE}feed", old)])
    sources = Sources(Frontier(rate=1.0), shelf, Scope([BASE]), Counts(), lambda: BEGAN)
    assert sources.registry.get(f"{BASE}feed").pace == usual("feed")


def test_when_a_source_is_early():
    source = Source(f"{BASE}sitemap.xml", "robots", "sitemap", interval=DAY, read=BEGAN)
    assert [source.early(BEGAN + after) for after in (0.0, HOUR, 23 * HOUR, 2 * DAY)] == [DAY, 23 * HOUR, 0.0, 0.0]
    assert source.early(BEGAN - 7 * DAY) == DAY, "a clock that was set back"
    assert Source(f"{BASE}sitemap.xml", "robots", "sitemap").early(BEGAN) == 0.0, "never read"
    assert Source(f"{BASE}sitemap.xml", "robots", "sitemap", read=BEGAN).early(BEGAN) == MINUTE, (
        "read for the first time"
    )


def test_a_sitemap_whose_date_in_the_index_advances_is_asked_for_although_it_was_put_off():
    clock = ManualClock(BEGAN)
    frontier, child = Frontier(clock=clock, gap=0.0), f"{BASE}child.xml"
    sources = Sources(frontier, MemoryShelf(), Scope([BASE]), Counts(), clock.wall)
    sources.told([child], "robots", "sitemap")
    frontier.complete(frontier.lease(1).tokens, status=406, retry_after=7 * DAY)
    clock.advance(DAY)
    assert len(frontier.lease(1)) == 0
    sources.at_once([child])
    assert frontier.lease(1).urls == (child,)


def test_what_is_said_of_a_page_under_its_old_address_is_heard_where_it_lives():
    clock, shelf = ManualClock(BEGAN), MemoryShelf()
    old, home = f"{BASE}page", f"{BASE}page/"
    frontier = Frontier(clock=clock, gap=0.0)
    sources = Sources(frontier, shelf, Scope([BASE]), Counts(), clock.wall)
    frontier.add(home)
    sources.page_moved(old, f"{BASE}between")
    shelf.put(sources.changes())
    sources.page_moved(f"{BASE}between", home)  # not kept yet
    assert sources._homes([old, home, f"{BASE}unknown"]) == [home, home, f"{BASE}unknown"]
    assert sources._homes([]) == []


def test_the_date_of_a_page_that_has_moved_advances():
    clock, counts = ManualClock(BEGAN), Counts()
    frontier = Frontier(clock=clock, gap=0.0)
    sources = Sources(frontier, MemoryShelf(), Scope([BASE]), counts, clock.wall)
    old, home = f"{BASE}page", f"{BASE}page/"
    sources.told([f"{BASE}sitemap.xml"], "robots", "sitemap")

    def read(at):
        body = f"<urlset><url><loc>{old}</loc><lastmod>{w3c(at)}</lastmod></url></urlset>".encode()
        source = sources.registry.get(f"{BASE}sitemap.xml")
        sources.came(source, Fetched(source.url, source.url, 200, body=body))

    read(BEGAN - DAY)
    clock.advance(1.0)
    tokens = {page.url: page.token for page in frontier.lease(2)}
    frontier.complete(tokens[old], status=301, moved_to=home)
    sources.page_moved(old, home)
    clock.advance(MINUTE)
    frontier.complete(frontier.lease(1).tokens, status=200, digest="first")
    clock.advance(DAY)
    read(clock.wall() - HOUR)
    assert (counts.get("signals of sitemap", "heard"), old in frontier) == (1, False)


def test_a_ping_for_a_page_that_has_moved_is_heard_where_it_lives_and_the_old_address_is_looked_at():
    clock, counts = ManualClock(BEGAN), Counts()
    frontier = Frontier(clock=clock, gap=0.0)
    sources = Sources(frontier, MemoryShelf(), Scope([BASE]), counts, clock.wall)
    old, home = f"{BASE}page", f"{BASE}page/"
    frontier.add(home)
    sources.page_moved(old, home)
    assert sources.pinged([old], "indexnow") == 1
    assert (counts.get("signals of indexnow", "heard"), old in frontier) == (2, True)
