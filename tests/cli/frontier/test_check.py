"""`recrawl check` and `recrawl backup`."""

import signal
import sys
import threading

import pytest

from recrawl.cli.main import main
from recrawl.clock import ManualClock
from recrawl.frontier import Frontier
from recrawl.frontier.checking import problems
from tests.processes import finished


def content(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def spoil(path):
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 255
    path.write_bytes(whole)


def test_a_good_folder_is_whole_and_not_changed(data, capsys):
    before = content(data)
    assert main(["check", str(data)]) == 0
    out = capsys.readouterr().out
    assert "pages: 24, hosts: 4, leased: 0" in out
    assert out.endswith(f"{data} is whole\n")
    assert "kept for 'recrawl export'" in out
    assert content(data) == before


def test_a_damaged_snapshot_is_told_and_nothing_is_lost(data, tmp_path, capsys):
    newest = max(data.glob("snapshot-*"))
    spoil(newest)
    assert main(["check", str(data)]) == 1
    out = capsys.readouterr().out
    assert f"{newest.name}: DAMAGED: " in out
    assert "nothing is lost: all " in out
    assert main(["check", str(data), "--save-to", str(tmp_path / "saved")]) == 1
    assert f"to {tmp_path / 'saved'}" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "saved")]) == 0


def test_lost_groups_are_counted(data, capsys):
    for path in data.glob("snapshot-*"):
        spoil(path)
    assert main(["check", str(data)]) == 1
    assert "nothing can be saved: no snapshot is good, and the first groups are gone" in capsys.readouterr().out


def test_what_a_newer_recrawl_wrote_is_not_called_damaged(data, capsys, monkeypatch):
    monkeypatch.setattr("recrawl.store.journal_file.FORMAT", 1)  # that of the files is one more
    assert main(["check", str(data)]) == 1
    out = capsys.readouterr().out
    assert "was written by a newer recrawl; nothing is wrong with that" in out
    assert "DAMAGED" not in out


def test_a_folder_in_use_is_status_2(data, capsys):
    with Frontier.open(data):
        assert main(["check", str(data)]) == 2
        assert main(["backup", str(data), str(data.parent / "copy")]) == 2
    assert capsys.readouterr().err.count("is in use by process") == 2


def test_an_empty_folder_is_no_frontier(tmp_path, capsys):
    assert main(["check", str(tmp_path)]) == 1
    assert f"{tmp_path} is no frontier" in capsys.readouterr().out
    assert main(["backup", str(tmp_path), str(tmp_path / "copy")]) == 2
    assert "holds no frontier" in capsys.readouterr().err


def test_leases_hosts_and_urls_are_looked_at():
    frontier = Frontier(clock=ManualClock(1e6))
    frontier.add([f"https://h{k % 2}.example/{k}" for k in range(10)])
    batch = frontier.lease(4)
    state = frontier._state
    assert problems(state) == []
    state.hosts.pages[0] += 1
    assert problems(state) == ["host h0.example counts 6 pages, and has 5"]
    state.hosts.pages[0] -= 1
    state.leases.end(batch.tokens[0])
    assert any("4 pages are in flight, 3 are leased" in problem for problem in problems(state))


def test_a_copy_opens_and_is_the_same(data, tmp_path, capsys):
    before = content(data)
    assert main(["backup", str(data), str(tmp_path / "copy")]) == 0
    assert content(data) == before
    assert not (tmp_path / "copy" / "history").exists()
    with Frontier.open(data) as one, Frontier.open(tmp_path / "copy") as other:
        assert [page.url for page in one.pages()[0]] == [page.url for page in other.pages()[0]]
        assert one.statistics == other.statistics


def test_a_damaged_folder_is_not_copied(data, tmp_path, capsys):
    spoil(max(data.glob("snapshot-*")))
    assert main(["backup", str(data), str(tmp_path / "copy")]) == 2
    assert "--save-to" in capsys.readouterr().err
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_frontier_copies_itself_while_it_runs(tmp_path, on_disk):
    clock = ManualClock(1e6)
    frontier = Frontier.open(tmp_path / "data", clock=clock) if on_disk else Frontier(clock=clock)
    with frontier:
        frontier.add([f"https://a.example/{k}" for k in range(100)])
        thread = threading.Thread(target=frontier.backup, args=(tmp_path / "copy",))
        thread.start()
        for k in range(50):
            frontier.add(f"https://b.example/{k}")
        thread.join()
    with Frontier.open(tmp_path / "copy", clock=clock) as copy:
        assert 100 <= len(copy) <= 150
    assert main(["check", str(tmp_path / "copy")]) == 0


KILLED = """
import os, sys
from recrawl.frontier import Frontier
frontier = Frontier.open(sys.argv[1], rate=1000.0)
frontier.add([f"https://a.example/{k}" for k in range(50)])
batch = frontier.lease(30)
frontier.complete(batch.tokens[:1], status=200, digest="x")
os.kill(os.getpid(), 9)
"""


def test_after_a_kill_it_is_whole_and_can_be_exported(tmp_path, capsys):
    folder = tmp_path / "data"
    assert finished([sys.executable, "-c", KILLED, str(folder)]).returncode == -signal.SIGKILL
    assert main(["check", str(folder)]) == 0
    assert "pages: 50, hosts: 1, leased: " in capsys.readouterr().out
    assert main(["export", str(folder), "--out", str(tmp_path / "tables")]) == 0
    assert len((tmp_path / "tables" / "crawls.csv").read_text().splitlines()) == 2
    assert main(["backup", str(folder), str(tmp_path / "copy")]) == 0
    assert main(["check", str(tmp_path / "copy")]) == 0
