"""The feed of changes: numbered, durable, readable while it grows."""

import json
import signal
import subprocess
import sys

import pytest

from recrawl.errors import DataError, InputError, InUseError
from recrawl.outputs import changes
from recrawl.outputs.changes import Change, Feed


def change(n, kind="changed"):
    return Change(f"https://a.example/{n}", 1_700_000_000.0 + n, kind, f"sha256:{n}", f"sha256:{n - 1}", 200)


def test_changes_come_back_with_their_ids(tmp_path):
    path = tmp_path / "data" / "changes.ndjson"
    moved = Change(
        "https://a.example/", 5.5, "moved", status=301, warc=("f.warc.gz", 339), moved_to="https://b.example/"
    )
    with Feed(path) as feed:
        assert feed.append([change(1), moved]) == [1, 2]
        assert feed.append([]) == []
        assert feed.append([change(3, "gone")]) == [3]
    with Feed(path) as feed:
        assert (feed.last, feed.notes) == (3, [])
        assert feed.append([change(4, "new")]) == [4]
    got = list(changes.read(path))
    assert [c.id for c in got] == [1, 2, 3, 4]
    assert got[1] == Change(**{**vars(moved), "id": 2})


def test_a_line_is_what_is_promised(tmp_path):
    with Feed(tmp_path / "c") as feed:
        feed.append([Change("https://a.example/ü", 7.0, "new", "sha256:x", status=200, warc=("f", 1))])
    assert json.loads((tmp_path / "c").read_text("utf-8")) == {
        "id": 1,
        "url": "https://a.example/ü",
        "time": 7.0,
        "kind": "new",
        "digest": "sha256:x",
        "previous": "",
        "status": 200,
        "warc": {"file": "f", "offset": 1},
    }


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match="kind must be one of new, changed, gone, moved, got 'odd'"):
        change(1, "odd")


def test_every_place_is_found(tmp_path):
    path = tmp_path / "c"
    with Feed(path) as feed:
        feed.append([Change("u" * (n * n % 997), 0.0, "new") for n in range(200)])
    for since in (-1, 0, 1, 57, 198, 199, 200, 1000):
        assert [c.id for c in changes.read(path, since)] == list(range(max(1, since + 1), 201))


def test_a_feed_that_is_not_there_has_nothing(tmp_path):
    assert list(changes.read(tmp_path / "none")) == []


def test_the_beginning_may_be_cut_off(tmp_path):
    path = tmp_path / "c"
    with Feed(path) as feed:
        feed.append([change(n) for n in range(1, 10)])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[6:]))
    with Feed(path) as feed:
        assert feed.append([change(10)]) == [10]
    assert [c.id for c in changes.read(path, since=2)] == [7, 8, 9, 10]


def test_a_follower_gets_what_comes_and_no_half_lines(tmp_path):
    path = tmp_path / "c"
    got, steps = [], []

    class EnoughError(Exception):
        pass

    def wait():
        steps.append(len(got))
        match len(steps):
            case 1:
                Feed(path).close()
            case 2:
                with Feed(path) as feed:
                    feed.append([change(1), change(2)])
            case 3:
                with path.open("ab") as file:
                    file.write(b'{"id":3,"url":"torn')
            case 4:  # the writer is back, and cuts what it had begun
                with Feed(path) as feed:
                    assert "a torn line" in feed.notes[0]
                    feed.append([change(3)])
            case _:
                raise EnoughError

    def run():
        for each in changes.follow(path, wait, since=1):
            got.append(each.id)  # noqa: PERF401 (wait() looks at what there is so far)

    with pytest.raises(EnoughError):
        run()
    assert (got, steps) == ([2, 3], [0, 0, 1, 1, 2])


def test_a_second_writer_is_refused(tmp_path):
    with Feed(tmp_path / "c"), pytest.raises(InUseError, match="is in use"):
        Feed(tmp_path / "c")


def test_a_damaged_line_is_refused_by_name(tmp_path):
    (tmp_path / "c").write_bytes(b'{"id":1}\nwhat is this\n')
    with pytest.raises(DataError, match="c: is damaged: no change stands in the line 'what is this"):
        Feed(tmp_path / "c")


def test_a_closed_feed_says_so(tmp_path):
    feed = Feed(tmp_path / "c")
    feed.close()
    with pytest.raises(InputError, match="is closed; open it again"):
        feed.append([change(1)])


WRITER = """
import sys
from recrawl.outputs.changes import Change, Feed
feed = Feed(sys.argv[1])
while True:
    ids = feed.append([Change(f"https://a.example/{feed.last + k}", 0.0, "new") for k in (1, 2, 3)])
    print(ids[-1], flush=True)
"""


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path):
    path, acknowledged = tmp_path / "c", 0
    for turn in range(10):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            for _ in range(1 + 11 * turn):
                acknowledged = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split()
            acknowledged = int(rest[-1]) if rest else acknowledged
        with Feed(path) as feed:
            assert feed.last >= acknowledged
        got = list(changes.read(path))
        assert [c.id for c in got] == list(range(1, len(got) + 1))
        assert all(c.url == f"https://a.example/{c.id}" for c in got)


def test_a_full_disk_refuses_and_leaves_no_part_of_a_line(tmp_path):
    program = """
import resource, signal, sys
from recrawl.errors import StoreFullError
from recrawl.outputs.changes import Change, Feed
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
feed = Feed(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, resource.RLIM_INFINITY))
try:
    while True:
        feed.append([Change("https://a.example/", 0.0, "new")] * 3)
except StoreFullError as error:
    assert "disk is full" in str(error)
last = feed.last
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(last, *feed.append([Change("https://a.example/", 0.0, "gone")]))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "c")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    last, after = map(int, done.stdout.split())
    assert (after, [c.id for c in changes.read(tmp_path / "c")]) == (last + 1, list(range(1, after + 1)))
