"""What counts as a change is decided by the rule, though a first copy is read no sooner than a body differs from it."""

import pytest

from recrawl.compare import Rules, digest, extract, versions
from recrawl.compare.extract import digest_of_body
from recrawl.crawler import comparing
from recrawl.crawler.comparing import Comparing
from recrawl.crawler.results import PREPARED, Result, prepared
from recrawl.crawler.told import Last, Told
from recrawl.fetch.fetched import Fetched
from recrawl.outputs.changes import Change
from recrawl.store import MemoryShelf

URL, MOVED = "https://a.example/old", "https://a.example/new"
A, A_WITH_AD, B = (
    b"<main><p>One two three four five.</p></main>",
    b"<main><p>One two three four five.</p></main><div class='ad'>Buy</div>",
    b"<main><p>One two three four six.</p></main>",
)


class Crawl:
    """A shelf, and what is compared and told; each page is a group of its own."""

    def __init__(self, **rule):
        self.shelf, self.first = MemoryShelf(), True
        self.told = Told(self.shelf, None)
        self.comparing = Comparing(Rules.parse([{"match": "*", **rule}]), self.shelf, self.told)

    def fetch(self, body, url=URL, content_type="text/html", *, put=True):
        """Whether a body counts as another version."""
        fetched = Fetched(url, url, 200, body=body, content_type=content_type)
        result = prepared(Result(url, 1, self.first, 1.0, fetched))
        self.first = False
        told, differs = self.comparing.judged(result)
        if differs:
            self.told.version(Change(url, 1.0, "new", told.digest), told.compared)
            self.comparing.keep(result)
        if put:
            self.put()
        return differs

    def put(self):
        self.shelf.put(self.comparing.kept() + self.told.items())


@pytest.fixture
def reads(monkeypatch):
    """Bodies that were read under a rule."""
    found = []

    def spy(rule, body, content_type=""):
        found.append(body)
        return extract(rule, body, content_type)

    monkeypatch.setattr(comparing, "extract", spy)
    return found


def test_first_copies_and_equal_bodies_are_not_read(reads):
    crawl = Crawl()
    assert [crawl.fetch(A), crawl.fetch(A), crawl.fetch(A)] == [True, False, False]
    assert reads == []


@pytest.mark.parametrize("put", [True, False])  # in groups of their own, and in one
def test_a_first_copy_is_read_once_when_a_body_differs(reads, put):
    crawl = Crawl()
    got = [crawl.fetch(body, put=put) for body in (A, A_WITH_AD, A_WITH_AD + b" ", B, A)]
    assert got == [True, False, False, True, True]
    assert reads.count(A) == 2  # the first copy, and the last body
    assert crawl.told.last(URL) == Last(digest_of_body(A), digest("One two three four five."))


def test_versions_that_differ_a_little_count_as_the_one_that_was_told():
    crawl = Crawl(tolerance=0.5)
    assert [crawl.fetch(body) for body in (A, B, b"<p>Something else", B)] == [True, False, True, True]


def test_bytes_are_compared_without_what_was_kept(reads):
    crawl = Crawl(compare="bytes")
    assert [crawl.fetch(body) for body in (A, A_WITH_AD, A)] == [True, True, True]
    assert reads == [A_WITH_AD, A]


def test_other_rules_hold_for_first_copies_too():
    crawl = Crawl(compare="json:/a")
    bodies = (b'{"a": 1, "b": 1}', b'{"b": 2, "a": 1}', b'{"a": 2}')
    assert [crawl.fetch(body, content_type="application/json") for body in bodies] == [True, False, True]


def test_a_page_that_moves_takes_along_what_is_compared():
    crawl = Crawl()
    crawl.fetch(A)
    crawl.comparing.moves(URL)
    crawl.told.moved(Change(URL, 2.0, "moved", moved_to=MOVED))
    crawl.put()
    assert [crawl.fetch(body, MOVED) for body in (A_WITH_AD, B)] == [False, True]


def test_a_page_that_was_gone_is_new_when_it_comes_back():
    crawl = Crawl()
    crawl.fetch(A)
    crawl.told.gone(Change(URL, 2.0, "gone"))
    crawl.put()
    assert crawl.fetch(A)


def test_what_was_told_by_its_main_text_still_counts():
    crawl = Crawl()
    crawl.shelf.put([("told", URL, digest("One two three four five.").encode())])
    assert [crawl.fetch(A), crawl.fetch(B)] == [False, True]


def test_first_copies_are_prepared_by_who_fetched_them_unless_they_are_large():
    page = Fetched(URL, URL, 200, body=A)
    first, again = prepared(Result(URL, 1, True, 1.0, page)), prepared(Result(URL, 1, False, 1.0, page))
    assert first.prepared == (digest_of_body(A), versions.deflated(A))
    assert first.size == again.size + len(versions.deflated(A))
    assert again.prepared is None
    for body, ready in ((bytes(PREPARED), True), (bytes(PREPARED + 1), False)):
        large = prepared(Result(URL, 1, True, 1.0, page._replace(body=body)))
        assert (large.prepared is not None) == ready
    assert prepared(Result(URL, 1, True, 1.0, page._replace(error="reset"))).prepared is None


def test_what_an_ignored_pattern_took_from_the_first_copy_is_no_change_where_the_next_has_none():
    crawl = Crawl(compare="bytes", ignore=["<!-- served .*? -->"])
    assert crawl.fetch(b"hello<!-- served by 1 -->")
    assert not crawl.fetch(b"hello")
    assert not crawl.fetch(b"hello<!-- served by 2 -->")
    assert crawl.fetch(b"hello, you<!-- served by 2 -->")
