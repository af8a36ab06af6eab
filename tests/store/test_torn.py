"""What was not written whole is cut with a word; what was, and is damaged, is refused."""

import shutil
import sqlite3
import struct
import sys
from pathlib import Path

import pytest

from recrawl import DataError
from recrawl.store import SqliteStore, wal
from recrawl.store.journal_file import A_CHECKPOINT
from tests.processes import finished

FRAME_BYTES = 24 + 4096
KILLED = """
import os, sys
from recrawl.store import SqliteStore
store = SqliteStore(sys.argv[1])
for k in range(1, 21):
    store.append(b"%d" % k * 100)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Groups 1 to 20 of one frame each (now and then two), all in SQLite's log."""
    folder = tmp_path_factory.mktemp("killed")
    finished([sys.executable, "-c", KILLED, str(folder)])
    return folder


@pytest.fixture
def folder(killed, tmp_path):
    return Path(shutil.copytree(killed, tmp_path / "data"))


def log(folder):
    return folder / "journal-000000000000.db-wal"


def opened(folder):
    store = SqliteStore(folder)
    found = store.last, store.notes
    assert [g.data for g in store.read(0)] == [b"%d" % k * 100 for k in range(1, store.last + 1)]
    store.close()
    return found


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_a_log_as_a_kill_leaves_it_is_good(folder):
    assert wal.tail(str(folder / "journal-000000000000.db")) == wal.NOTHING
    assert opened(folder) == (20, [])


@pytest.mark.parametrize("missing", [1, 4000, 4096 + 1])
def test_a_last_commit_that_was_not_written_whole_is_cut(folder, missing):
    log(folder).write_bytes(log(folder).read_bytes()[:-missing])
    assert opened(folder) == (19, ["a torn group at the end was cut: the one after 19, not whole in the log"])


def test_a_last_commit_whose_checksum_does_not_hold_is_cut(folder):
    flip(log(folder), -1)
    assert opened(folder) == (19, ["a torn group at the end was cut: the one after 19, not whole in the log"])


def test_a_log_that_is_damaged_further_up_is_refused_and_kept(folder):
    flip(log(folder), -1 - 2 * FRAME_BYTES)
    before = log(folder).read_bytes()
    with pytest.raises(DataError, match=r"journal-0+\.db: is damaged: [23] groups at the end of its log cannot"):
        SqliteStore(folder)
    assert log(folder).read_bytes() == before


@pytest.mark.parametrize("at", [0, 20, 28])
def test_a_log_without_a_good_head_is_refused_and_kept(folder, at):
    flip(log(folder), at)
    before = log(folder).read_bytes()
    with pytest.raises(DataError, match="the head of its log cannot be read"):
        SqliteStore(folder)
    assert log(folder).read_bytes() == before


def test_the_log_is_judged_as_sqlite_judges_it(folder):
    """Cut or flipped anywhere, the frames that are not in the tail are those SQLite takes."""
    whole = log(folder).read_bytes()
    for at in range(32, len(whole), 3_001):
        for text in (whole[:at], whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :]):
            log(folder).write_bytes(text)
            got = wal.tail(str(folder / "journal-000000000000.db"))
            copy = Path(shutil.copytree(folder, folder.parent / "copy"))
            journal = sqlite3.connect(copy / "journal-000000000000.db")
            taken = journal.execute("PRAGMA wal_checkpoint").fetchone()[1]
            journal.close()
            shutil.rmtree(copy)
            frames = -(-(len(text) - 32) // FRAME_BYTES)
            dropped = frames - max(taken, 0)
            # A frame cut within its head, or with other salts, may be of an earlier round: it says nothing.
            assert got.frames in (dropped, dropped - 1), (at, len(text))
            assert got.frames or dropped <= 1


def test_a_last_group_that_the_disk_lied_about_is_cut(tmp_path):
    store = SqliteStore(tmp_path)
    for k in range(1, 4):
        store.append(b"%d" % k * 100)
    store.close()
    path = tmp_path / "journal-000000000000.db"
    path.write_bytes(path.read_bytes().replace(b"3" * 100, b"3" * 99 + b"x"))
    assert opened(tmp_path) == (2, ["a torn group at the end was cut: 3, its checksum does not match"])
    assert opened(tmp_path) == (2, [])


def test_a_last_group_that_a_snapshot_has_is_left(tmp_path):
    store = SqliteStore(tmp_path)
    store.append(b"1" * 100)
    store.snapshot(1, [("state", b"s")])
    store.close()
    path = tmp_path / "journal-000000000000.db"
    path.write_bytes(path.read_bytes().replace(b"1" * 100, b"1" * 99 + b"x"))
    store = SqliteStore(tmp_path)
    assert (store.last, store.notes, list(store.read(1)), store.append(b"2")) == (1, [], [], 2)
    store.close()


def test_the_checksum_of_the_log_word_by_word():
    words = [(k * 2_654_435_761) % 2**32 for k in range(64)]
    s0 = s1 = 0
    for x0, x1 in zip(words[::2], words[1::2], strict=True):
        s0 = (s0 + x0 + s1) % 2**32
        s1 = (s1 + x1 + s0) % 2**32
    for order in "<>":
        data = struct.pack(f"{order}64I", *words)
        got = wal._sums(data, f"{order}u4", wal.np.zeros(2, "u4"))
        assert got.tolist() == [s0, s1]


def test_what_is_left_in_the_log_of_earlier_rounds_is_no_torn_tail(tmp_path):
    program = KILLED.replace("range(1, 21)", "range(1, 2501)")  # the log begins anew after that many pages
    finished([sys.executable, "-c", program, str(tmp_path)])
    assert A_CHECKPOINT * FRAME_BYTES < log(tmp_path).stat().st_size < 2500 * FRAME_BYTES
    assert wal.tail(str(tmp_path / "journal-000000000000.db")) == wal.NOTHING
    assert opened(tmp_path) == (2500, [])
