"""What was there stays until the new file is whole."""

import io
import os
import stat
import sys
import threading

import numpy as np
import pytest

from recrawl.cli import picture
from recrawl.files import columns
from recrawl.files import whole as module
from recrawl.files.whole import whole, whole_text
from recrawl.state_file import StateFormat

OLD = b"the good file that was there"
FORMAT = StateFormat(b"RECRAWLT", 1, "thing")


def table(path):
    columns.write(str(path), {"page": [str(k) for k in range(1_000)], "rate": [0.5] * 1_000})


def plot(path):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    figure.add_subplot().plot([1, 2], [3, 4])
    picture.save(str(path), figure)


def state(path):
    FORMAT.save(path, {"a": 1}, {"b": np.arange(1_000)})


WRITERS = {"a.csv": table, "a.parquet": table, "a.png": plot, "a.svg": plot, "a.pdf": plot, "state": state}


@pytest.fixture(params=WRITERS)
def old(request, tmp_path):
    """A file with something good in it, and what writes over it."""
    if request.param.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / request.param
    path.write_bytes(OLD)
    return path, WRITERS[request.param]


def fail_in_the_middle(monkeypatch, error):
    class Failing(io.FileIO):
        def write(self, data):
            super().write(bytes(data)[: len(data) // 2])
            raise error

    monkeypatch.setattr(module, "open", lambda path, mode: io.BufferedWriter(Failing(path, mode), 64), raising=False)


def contents(path):
    return {name: (path.parent / name).read_bytes() for name in os.listdir(path.parent)}


@pytest.mark.parametrize("error", [RuntimeError("bug"), KeyboardInterrupt()])
def test_an_error_in_the_middle_leaves_the_old_file_and_nothing_else(old, error, monkeypatch):
    path, write = old
    fail_in_the_middle(monkeypatch, error)
    with pytest.raises(type(error)):
        write(path)
    assert contents(path) == {path.name: OLD}


def test_a_full_disk_leaves_the_old_file_and_says_its_name(old, monkeypatch):
    path, write = old
    fail_in_the_middle(monkeypatch, OSError(28, "No space left on device"))
    with pytest.raises(OSError, match="No space left") as caught:
        write(path)
    assert (caught.value.filename, contents(path)) == (str(path), {path.name: OLD})


def test_a_file_that_may_not_grow_leaves_the_old_one(old):
    """As a full disk, by the operating system itself."""
    resource = pytest.importorskip("resource")
    path, write = old
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (caught.value.filename, contents(path)) == (str(path), {path.name: OLD})


def test_the_new_file_takes_the_place_of_the_old_one(old):
    path, write = old
    write(path)
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() != OLD


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_the_same_picture_is_the_same_bytes(kind, tmp_path):
    for name in ("one", "two"):
        plot(tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()


def test_the_file_is_on_the_disk_before_it_has_its_name_and_the_folder_after(tmp_path, monkeypatch):
    said = []
    monkeypatch.setattr(os, "fsync", lambda fd: said.append(stat.S_ISDIR(os.fstat(fd).st_mode)))
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda *names: (said.append("replace"), replace(*names)))
    with whole(tmp_path / "a") as file:
        file.write(b"new")
    assert said == [False, "replace", True]


def test_the_mode_of_the_old_file_is_kept(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o640)
    with whole(path) as file:
        file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_mode_of_a_new_file_is_the_usual_one(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    with whole(tmp_path / "a"):
        pass
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a").write_bytes(OLD)
    (tmp_path / "link").symlink_to("there/a")
    with whole(tmp_path / "link") as file:
        file.write(b"new")
    assert (os.readlink(tmp_path / "link"), (tmp_path / "there" / "a").read_bytes()) == ("there/a", b"new")


def test_a_protected_file_stays(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(OLD)
    monkeypatch.setattr(os, "access", lambda place, mode: False)  # root may write anything, tests may run as root
    with pytest.raises(PermissionError), whole(path) as file:
        file.write(b"new")
    assert contents(path) == {"a": OLD}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_written_as_it_is(tmp_path):
    path, got = tmp_path / "pipe.csv", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    columns.write(str(path), {"a": [1]})
    reader.join(timeout=60)
    assert (got, stat.S_ISFIFO(path.stat().st_mode)) == ([b"a\n1\n"], True)


def test_a_long_name_has_room_beside_it(tmp_path):
    path = tmp_path / ("\u00e9" * 125)  # 250 bytes, of at most 255
    with whole_text(path) as file:
        file.write("new")
    assert path.read_text(encoding="utf-8") == "new"


def test_an_error_about_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, whole(tmp_path / "a"):
        (tmp_path / "absent").read_bytes()
    assert caught.value.filename == str(tmp_path / "absent")


def test_a_dash_is_stdout_and_leaves_it_open(capsysbinary):
    columns.write("-", {"url": ["caf\u00e9"], "rate": [1.5]})
    print("more")
    assert (capsysbinary.readouterr().out, sys.stdout.closed) == ("url,rate\ncaf\u00e9,1.5\nmore\n".encode(), False)
