"""Each change is told once, whatever happens between the shelf and the feed."""

from recrawl.crawler.told import Last, Told
from recrawl.outputs.changes import Change, Feed, read
from recrawl.store import MemoryShelf

URL = "https://a.example/"


def version(digest, at=1.0):
    return Change(URL, at, "new", digest=digest)


def test_a_crash_before_the_feed_is_written_loses_nothing(tmp_path):
    shelf, path = MemoryShelf(), tmp_path / "changes.ndjson"
    with Feed(path) as feed:
        told = Told(shelf, feed)
        told.version(version("v1"))
        shelf.put(told.items())  # killed here
    with Feed(path) as feed:
        assert Told(shelf, feed).recover() == 1
        assert Told(shelf, feed).recover() == 0
    assert [(change.kind, change.digest) for change in read(path)] == [("new", "v1")]


def test_a_crash_after_it_tells_nothing_twice(tmp_path):
    shelf, path = MemoryShelf(), tmp_path / "changes.ndjson"
    with Feed(path) as feed:
        told = Told(shelf, feed)
        told.version(version("v1"))
        shelf.put(told.items())
        told.tell()  # killed here, before the frontier is answered
    with Feed(path) as feed:
        assert Told(shelf, feed).recover() == 0
        assert Told(shelf, feed).last(URL) == Last("v1")


def test_gone_and_back(tmp_path):
    shelf, path = MemoryShelf(), tmp_path / "changes.ndjson"
    with Feed(path) as feed:
        told = Told(shelf, feed)
        here, away = lambda: told.version(version("v1")), lambda: told.gone(version(""))
        for step in (here, away, away, here):
            step()
            shelf.put(told.items())
            told.tell()
    assert [change.kind for change in read(path)] == ["new", "gone", "new"]
