"""A folder that is only read: also one that a crash left, without changing a byte of it."""

import signal
import sys

import pytest

from recrawl.errors import DataError, InUseError
from recrawl.store import Group, SqliteStore, reading
from tests.processes import finished

PROGRAM = """
import os, sys
from recrawl.store import SqliteStore
store = SqliteStore(sys.argv[1])
for number in range(1, 61):
    store.append(b"%d" % number)
    if number in (20, 30, 40):
        store.snapshot(store.rotate(), [("upto", b"%d" % number)])
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def folder(tmp_path):
    assert finished([sys.executable, "-c", PROGRAM, str(tmp_path / "data")]).returncode == -signal.SIGKILL
    return tmp_path / "data"


def groups(first, last):
    return [Group(number, b"%d" % number) for number in range(first, last + 1)]


def test_what_a_kill_left_is_read_and_not_changed(folder):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with reading(folder) as store:
        assert (store.last, store.latest()) == (60, (40, {"upto": b"40"}))
        assert list(store.read(40)) == groups(41, 60)
        assert list(store.read(35)) == groups(36, 60)
        assert list(store.history()) == groups(1, 60)
        assert store.notes == []
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_torn_tail_is_left_out_with_a_word(folder):
    log = next(folder.glob("*.db-wal"))
    log.write_bytes(log.read_bytes()[:-1000])
    with reading(folder) as store:
        assert store.last == 59
        assert list(store.read(40)) == groups(41, 59)
        assert ["torn" in note for note in store.notes] == [True]


def test_nobody_opens_it_meanwhile_and_nobody_has_it_open(folder):
    with reading(folder), reading(folder), pytest.raises(InUseError):
        SqliteStore(folder)
    store = SqliteStore(folder)
    with pytest.raises(InUseError), reading(folder):
        pass
    store.close()


def test_damage_is_refused_by_name(folder):
    path = folder / "journal-000000000030.db"
    path.write_bytes(path.read_bytes().replace(b"35", b"36"))
    with reading(folder) as store:
        assert list(store.read(40)) == groups(41, 60)
        with pytest.raises(DataError, match=r"journal-000000000030.db: is damaged"):
            list(store.read(30))


def test_what_is_no_store_is_said(tmp_path):
    with pytest.raises(DataError, match="is no folder"), reading(tmp_path / "nowhere"):
        pass
    with pytest.raises(DataError, match="holds no frontier"), reading(tmp_path):
        pass
