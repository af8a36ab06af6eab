"""Each change is told once, whatever happens between the shelf and the feed."""

import json

from recrawl.crawler.told import UNTOLD, Last, Told
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


def test_what_an_older_version_was_about_to_tell_is_told(tmp_path):
    old = {"after": 1, "changes": [
        {"url": f"https://a.example/{k}", "time": 5.0 + k, "kind": "new", "digest": f"sha256:{k}", "previous": "",
         "status": 200, "warc": ["a.warc.gz", 7] if k else None, "moved_to": "", "id": 0} for k in range(3)
    ]}  # fmt: skip
    shelf = MemoryShelf()
    shelf.put([(UNTOLD, UNTOLD, json.dumps(old).encode())])
    with Feed(tmp_path / "changes.ndjson") as feed:
        feed.append([Change("https://a.example/x", 1.0, "new"), Change("https://a.example/0", 5.0, "new", "sha256:0")])
        assert Told(shelf, feed).recover() == 2
        assert Told(shelf, feed).recover() == 0
        assert feed.last == 4
