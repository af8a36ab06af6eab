"""Folders of older recrawls open, and say so."""

import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from recrawl import DataError
from recrawl.store import Group, SqliteStore, journal_file, snapshot_file
from tests.processes import finished

FORMAT_1 = Path(__file__).parent / "format_1"
"""A snapshot of group 2 and groups 3 to 5; the process was killed, so that these are in SQLite's log."""

SNAPSHOT = 2, {"pages": b"p" * 1000, "clock": b"", "names": b'{"a": 1}\n'}
GROUPS = [Group(3, b"333"), Group(4, b"4444"), Group(5, b"55555")]
NOTES = [
    "snapshot-000000000002: format 1 upgraded to 2",
    "journal-000000000002.db: format 1 upgraded to 2",
]


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(FORMAT_1, tmp_path / "data"))


def content(folder):
    store = SqliteStore(folder)
    found = store.last, store.latest(), list(store.read(2)), store.notes
    store.close()
    return found


def test_format_1_is_upgraded_once(folder):
    assert content(folder) == (5, SNAPSHOT, GROUPS, NOTES)
    assert content(folder) == (5, SNAPSHOT, GROUPS, [])


def test_an_upgraded_file_says_when_it_was_written(folder):
    content(folder)
    with snapshot_file.reading(str(folder / "snapshot-000000000002")) as (head, _):
        assert (head.version, head.upto) == (2, 2)
        assert head.written > 1_600_000_000


@pytest.mark.parametrize("before", [0, 1])
def test_an_upgrade_that_was_killed_goes_on(folder, before):
    program = f"""
import os, sys
from recrawl.store import SqliteStore
left = {before}
replace = os.replace
def replace_or_die(*paths):
    global left
    if not left:
        os.kill(os.getpid(), 9)
    left -= 1
    replace(*paths)
os.replace = replace_or_die
SqliteStore(sys.argv[1])
"""
    assert finished([sys.executable, "-c", program, str(folder)]).returncode == -signal.SIGKILL
    assert content(folder) == (5, SNAPSHOT, GROUPS, NOTES[before:])
    assert not list(folder.glob("*.tmp*"))


def test_an_upgrade_does_not_make_damage_look_good(folder):
    with sqlite3.connect(folder / "journal-000000000002.db") as journal:
        journal.execute("UPDATE groups SET data = 'text' WHERE number = 3")
        journal.execute("UPDATE groups SET data = ? WHERE number = 4", (b"4445",))
    journal.close()
    store = SqliteStore(folder)
    for after, number in ((2, 3), (3, 4)):
        with pytest.raises(DataError, match=f"checksum of group {number} does not match"):
            list(store.read(after))
    assert list(store.read(4)) == GROUPS[2:]
    store.close()


def test_a_journal_that_cannot_be_read_is_not_upgraded(folder):
    path = folder / "journal-000000000002.db"
    path.write_bytes(path.read_bytes()[:4096])
    (folder / "journal-000000000002.db-wal").unlink()
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"journal-000000000002\.db: is damaged"):
        SqliteStore(folder)
    assert path.read_bytes() == before


def test_a_damaged_spare_is_no_hindrance(folder):
    content(folder)
    store = SqliteStore(folder)
    store.snapshot(store.rotate(), [("state", b"s")])
    store.close()
    (folder / "snapshot-000000000002").write_bytes(b"{}")
    store = SqliteStore(folder)
    assert store.latest() == (5, {"state": b"s"})
    store.close()


@pytest.mark.parametrize(("version", "words"), [(99, "newer"), (0, "older")])
def test_a_journal_of_an_unknown_format_is_refused(tmp_path, version, words):
    SqliteStore(tmp_path).close()
    with sqlite3.connect(tmp_path / "journal-000000000000.db") as journal:
        journal.execute(f"PRAGMA user_version = {version}")
    journal.close()
    expected = rf"journal-0+\.db: was written by {words} recrawl \(format {version}, this one reads"
    with pytest.raises(DataError, match=expected):
        SqliteStore(tmp_path)


def test_a_snapshot_of_a_newer_format_is_refused(tmp_path, monkeypatch):
    store = SqliteStore(tmp_path)
    with monkeypatch.context() as later:
        later.setattr(snapshot_file, "FORMAT", 3)
        store.snapshot(0, [])
    store.close()
    with pytest.raises(DataError, match=r"snapshot-0+: was written by newer recrawl \(format 3, this one reads 2\)"):
        SqliteStore(tmp_path)


def test_the_formats_are_those_that_can_be_upgraded_to():
    assert (journal_file.FORMAT, snapshot_file.FORMAT) == (2, 2)
