"""What can be told, and saved, of a folder that is damaged."""

import hashlib
import random
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from recrawl import DataError, InputError
from recrawl.errors import InUseError
from recrawl.store import Group, SqliteStore, check, salvage, snapshot_file
from tests.processes import finished

FORMAT_1 = Path(__file__).parent / "format_1"


def data(number):
    return b"%06d" % number * (1 + number * 37 % 1000)  # of a few bytes, and of several pages


def state(number):
    return {"upto": b"%d" % number, "pages": b"%d" % number * 3000}


PROGRAM = """
import os, sys
from recrawl.store import SqliteStore
def data(number):
    return b"%06d" % number * (1 + number * 37 % 1000)
def state(number):
    return {"upto": b"%d" % number, "pages": b"%d" % number * 3000}
store = SqliteStore(sys.argv[1])
for number in range(1, 101):
    store.append(data(number))
    if number in (20, 40, 60):
        store.snapshot(store.rotate(), state(number).items())
    if number == 80:
        store.rotate()
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Snapshots of groups 40 and 60, journals after 40, 60 and 80, the last of them still in SQLite's log."""
    folder = tmp_path_factory.mktemp("killed")
    assert finished([sys.executable, "-c", PROGRAM, str(folder)]).returncode == -signal.SIGKILL
    (folder / "lock").unlink()
    return folder


@pytest.fixture
def folder(killed, tmp_path):
    return Path(shutil.copytree(killed, tmp_path / "data"))


def fingerprint(folder):
    return {
        path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest())
        for path in folder.rglob("*")
        if path.is_file()
    }


def overwrite(path, at, text):
    whole = bytearray(path.read_bytes())
    whole[at : at + len(text)] = text
    path.write_bytes(whole)


def rebuilt(folder):
    """Last group of the state in a folder, after a look at all of it."""
    with closing(SqliteStore(folder)) as store:
        upto, parts = store.latest() or (0, {})
        assert dict(parts) == (state(upto) if upto else {})
        assert list(store.read(upto)) == [Group(n, data(n)) for n in range(upto + 1, store.last + 1)]
        return store.last


def test_a_good_folder_is_told_in_full_and_not_touched(folder):
    before = fingerprint(folder)
    report = check(folder)
    assert fingerprint(folder) == before
    assert (report.is_good, report.last, report.savable, report.snapshot) == (True, 100, 100, 60)
    assert [(s.number, s.version, s.parts, s.damage) for s in report.snapshots] == [(40, 2, 2, ""), (60, 2, 2, "")]
    assert [s.bytes for s in report.snapshots] == [Path(s.path).stat().st_size for s in report.snapshots]
    assert all(s.written > 1_600_000_000 for s in report.snapshots)
    got = [(j.begins, j.version, j.groups, j.good, j.damaged, j.missing, j.torn, j.damage) for j in report.journals]
    assert got == [
        (40, 2, 20, [(41, 60)], [], [], False, ""),
        (60, 2, 20, [(61, 80)], [], [], False, ""),
        (80, 2, 20, [(81, 100)], [], [], False, ""),
    ]
    assert (report.leftovers, report.strangers) == ([], [])


def test_an_older_format_is_told(tmp_path):
    report = check(shutil.copytree(FORMAT_1, tmp_path / "data"))
    assert (report.is_good, report.last, report.snapshots[0].version, report.journals[0].version) == (True, 5, 1, 1)
    assert (report.snapshots[0].written, report.journals[0].good) == (None, [(3, 5)])


def test_an_older_format_is_saved_in_the_present_one(tmp_path):
    salvage(FORMAT_1, tmp_path / "new")
    assert [file.version for file in check(tmp_path / "new").snapshots + check(tmp_path / "new").journals] == [2, 2]


def test_what_a_crash_or_somebody_else_left_is_told(folder):
    for name in (".snapshot-000000000090.1-a.tmp", "journal-000000000007.db-wal", "notes.txt"):
        (folder / name).touch()
    report = check(folder)
    assert report.leftovers == [".snapshot-000000000090.1-a.tmp", "journal-000000000007.db-wal"]
    assert (report.strangers, report.is_good) == (["notes.txt"], True)


def test_a_folder_in_use_is_refused(tmp_path):
    store = SqliteStore(tmp_path / "data")
    for look in (check, lambda folder: salvage(folder, tmp_path / "new")):
        with pytest.raises(InUseError):
            look(tmp_path / "data")
    store.close()
    assert check(tmp_path / "data").is_good
    with pytest.raises(DataError, match="is no folder"):
        check(tmp_path / "nowhere")


def test_damaged_and_missing_groups_are_told_by_number(folder):
    with sqlite3.connect(folder / "journal-000000000060.db") as journal:
        journal.execute("UPDATE groups SET data = 'text' WHERE number IN (65, 66)")
        journal.execute("UPDATE groups SET data = ? WHERE number = 70", (b"x",))
        journal.execute("DELETE FROM groups WHERE number IN (72, 73, 80)")
    journal.close()
    report = check(folder)
    found = report.journals[1]
    assert (found.damaged, found.missing) == ([(65, 66), (70, 70)], [(72, 73), (80, 80)])
    assert (report.is_good, report.last, report.savable, report.snapshot) == (False, 100, 64, 60)


def test_a_missing_journal_is_told(folder):
    (folder / "journal-000000000060.db").unlink()
    for tail in folder.glob("journal-000000000060.db-*"):
        tail.unlink()
    report = check(folder)
    assert (report.journals[0].missing, report.savable, report.snapshot) == ([(61, 80)], 60, 60)


def test_with_a_damaged_snapshot_nothing_is_lost(folder, tmp_path):
    overwrite(folder / "snapshot-000000000060", 1000, b"?")
    before = fingerprint(folder)
    report = salvage(folder, tmp_path / "new")
    assert (report.snapshot, report.savable) == (40, 100)
    assert "part 'pages' does not match" in report.snapshots[1].damage
    assert fingerprint(folder) == before
    assert rebuilt(tmp_path / "new") == 100


def test_a_log_that_is_damaged_further_up_is_saved_up_to_there(folder, tmp_path):
    log = folder / "journal-000000000080.db-wal"
    overwrite(log, log.stat().st_size // 2, b"????")
    report = salvage(folder, tmp_path / "new")
    assert "groups at the end of its log cannot be read" in report.journals[2].damage
    assert not report.is_good
    assert 80 < report.savable < 100
    assert rebuilt(tmp_path / "new") == report.savable


def test_where_nothing_is_good_nothing_is_saved(folder, tmp_path):
    for path in folder.glob("snapshot-*"):
        path.write_bytes(b"")
    with pytest.raises(DataError, match="holds nothing that can be saved"):
        salvage(folder, tmp_path / "new")
    assert not list(tmp_path.glob("new*"))


def test_what_a_newer_recrawl_wrote_is_not_cut(folder, tmp_path, monkeypatch):
    with monkeypatch.context() as later:
        later.setattr(snapshot_file, "FORMAT", 3)
        snapshot_file.write(str(folder / "snapshot-000000000080"), 80, [])
    with pytest.raises(DataError, match="snapshot-000000000080: was written by newer recrawl"):
        salvage(folder, tmp_path / "new")


def test_nothing_is_written_over(folder, tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine").touch()
    with pytest.raises(InputError, match="target must be a new folder, or an empty one"):
        salvage(folder, tmp_path / "new")


def damage(folder, seed):
    """A log is never cut short: where that happens between two commits, nothing tells that there was more."""
    chance = random.Random(seed)
    for _ in range(chance.choice([1, 1, 3, 20])):
        path = chance.choice([path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size])
        size = path.stat().st_size
        at = chance.choice([chance.randrange(size), min(size - 1, chance.randrange(4096))])
        kind = chance.choice(["flip", "zeros", "noise", "cut"])
        length = min(size - at, chance.choice([1, 16, 512, 5000]))
        if kind == "cut" and path.suffix != ".db-wal" and chance.random() < 0.3:
            path.write_bytes(path.read_bytes()[:at])
        elif kind == "flip":
            overwrite(path, at, bytes([path.read_bytes()[at] ^ 1 << chance.randrange(8)]))
        else:
            overwrite(path, at, bytes(length) if kind == "zeros" else chance.randbytes(length))


@pytest.mark.parametrize("seed", range(60))
def test_wherever_bytes_are_damaged_what_is_saved_is_right(folder, tmp_path, seed):
    damage(folder, seed)
    try:
        report = salvage(folder, tmp_path / "new")
    except DataError:
        return
    assert rebuilt(tmp_path / "new") == report.savable


@pytest.mark.parametrize("seed", range(60))
def test_wherever_bytes_are_damaged_they_are_refused_or_all_is_there(folder, seed):
    damage(folder, seed)
    try:
        last = rebuilt(folder)
    except DataError:
        return
    assert last >= 99  # a last group that cannot be read counts as torn
