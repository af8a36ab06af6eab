"""What the shelf on disk does on a bad day."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

from recrawl.errors import DataError, InputError, InUseError
from recrawl.store import Shelf

WRITER = """
import sys
from recrawl.store import Shelf
shelf = Shelf(sys.argv[1])
number = int(shelf.get("count", "last") or 0)
while True:
    number += 1
    data = b"%d" % number
    shelf.put([("page", f"{number % 50}", data * 200), ("again", f"{number % 50}", data), ("count", "last", data)])
    print(number, flush=True)
"""


def numbers(shelf):
    """The last of each page, under both names."""
    last = int(shelf.get("count", "last") or 0)
    expected = {f"{n % 50}": b"%d" % n for n in range(max(1, last - 49), last + 1)}
    assert dict(shelf.items("again")) == expected
    assert {key: data[: len(data) // 200] for key, data in shelf.items("page")} == expected
    return last


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path):
    acknowledged = 0
    for turn in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE) as writer:
            for _ in range(3 + 17 * turn):
                line = writer.stdout.readline()
                assert line, "the writer died by itself"
                acknowledged = int(line)
            with Shelf(tmp_path, read_only=True) as reader:
                assert int(reader.get("count", "last")) >= acknowledged
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split()
            acknowledged = int(rest[-1]) if rest else acknowledged
        with Shelf(tmp_path, read_only=True) as reader:
            assert numbers(reader) >= acknowledged
        with Shelf(tmp_path) as shelf:
            assert numbers(shelf) >= acknowledged


def test_a_second_process_is_refused(tmp_path):
    with Shelf(tmp_path):
        with pytest.raises(InUseError, match=f"is in use by process {os.getpid()}"):
            Shelf(tmp_path)
        program = "import sys; from recrawl.store import Shelf; Shelf(sys.argv[1])"
        done = subprocess.run([sys.executable, "-c", program, tmp_path], check=False, capture_output=True, text=True)
        assert f"is in use by process {os.getpid()}" in done.stderr
    Shelf(tmp_path).close()


def test_it_is_read_while_a_process_has_it_open(tmp_path):
    with Shelf(tmp_path) as shelf, Shelf(tmp_path, read_only=True) as reader:
        shelf.put([("page", "a", b"1")])
        assert reader.get("page", "a") == b"1"
        shelf.put([("page", "a", b"2")])
        assert reader.get("page", "a") == b"2"
        with pytest.raises(InputError, match="is open for reading only"):
            reader.put([("page", "a", b"3")])
    with Shelf(tmp_path, read_only=True) as reader:
        assert reader.get("page", "a") == b"2"


def test_a_copy_of_an_open_one_is_read(tmp_path):
    with Shelf(tmp_path / "one") as shelf:
        shelf.put([("page", "a", b"1")])
        shutil.copytree(tmp_path / "one", tmp_path / "two", ignore=shutil.ignore_patterns("*-shm"))
    with Shelf(tmp_path / "two", read_only=True) as reader:
        assert reader.get("page", "a") == b"1"
    with Shelf(tmp_path / "two") as shelf:
        assert shelf.get("page", "a") == b"1"


def test_reading_where_there_is_nothing_is_refused_and_makes_nothing(tmp_path):
    with pytest.raises(DataError, match=r"facts\.db: is not there"):
        Shelf(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()


def filled(tmp_path):
    with Shelf(tmp_path) as shelf:
        shelf.put([("page", "a", b"1" * 9000), ("page", "b", b"2"), ("host", "a", b"3")])
    return tmp_path / "facts.db"


def test_a_damaged_fact_is_refused_by_name(tmp_path):
    path = filled(tmp_path)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE facts SET data = ? WHERE key = 'b'", (b"9",))
    file.close()
    with Shelf(tmp_path) as shelf:
        assert shelf.get("host", "a") == b"3"
        for call in (lambda: shelf.get("page", "b"), lambda: list(shelf.items("page"))):
            with pytest.raises(DataError, match=r"facts\.db: is damaged: the checksum of page 'b' does not match; put"):
                call()


def test_facts_that_changed_places_are_refused(tmp_path):
    path = filled(tmp_path)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE facts SET key = 'c' WHERE key = 'b'")
    file.close()
    with Shelf(tmp_path) as shelf, pytest.raises(DataError, match="the checksum of page 'c' does not match"):
        shelf.get("page", "c")


@pytest.mark.parametrize("damage", ["no database", "empty", "cut", "zeros"])
def test_a_damaged_file_is_refused_by_name(tmp_path, damage):
    path = filled(tmp_path)
    data = path.read_bytes()
    path.write_bytes(
        {
            "no database": b"no database at all" * 500,
            "empty": b"",
            "cut": data[:5000],
            "zeros": data[:4096] + bytes(len(data) - 4096),
        }[damage]
    )

    def use():
        with Shelf(tmp_path) as shelf:
            shelf.get_all("page", ["a", "b"])

    with pytest.raises(DataError, match=r"facts\.db: is damaged"):
        use()


def test_a_format_of_the_future_is_refused(tmp_path):
    path = filled(tmp_path)
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 9")
    file.close()
    with pytest.raises(DataError, match=r"was written by newer recrawl \(format 9, this one reads 1\)"):
        Shelf(tmp_path)


FULL = """
import resource, signal, sys
from recrawl.errors import StoreFullError
from recrawl.store import Shelf
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
shelf = Shelf(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
last = 0
try:
    while True:
        shelf.put([("page", f"{last:05d}", b"x" * 5_000), ("again", f"{last:05d}", b"y" * 5_000)])
        last += 1
except StoreFullError as error:
    assert "disk is full" in str(error)
assert len(list(shelf.items("page"))) == len(list(shelf.items("again"))) == last
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
shelf.put([("page", "after", b"")])
print(last + 1)
"""


def test_a_full_disk_refuses_and_loses_nothing(tmp_path):
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with Shelf(tmp_path) as shelf:
        assert len(list(shelf.items("page"))) == int(done.stdout)


def test_it_opens_on_a_full_disk(tmp_path):
    filled(tmp_path)
    program = """
import resource, signal, sys
from recrawl.store import Shelf
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
print(len(Shelf(sys.argv[1]).get("page", "a")))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("9000\n", 0), done.stderr


def test_a_forked_process_does_not_write(tmp_path):
    program = """
import os, sys
from recrawl.errors import InUseError
from recrawl.store import Shelf
shelf = Shelf(sys.argv[1])
if os.fork() == 0:
    try:
        shelf.put([("page", "a", b"of the child")])
    except InUseError:
        os._exit(7)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.wait()[1]), shelf.get("page", "a"))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("7 None\n", "")
