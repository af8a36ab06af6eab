"""A saved scheduler goes on where it stopped; a file that is not exactly what was saved is refused."""

import os
import struct

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.engine import Scheduler
from recrawl.errors import DataError
from recrawl.model.sources import Sources
from recrawl.sim import Exponential

M = 300
PLAIN = {}
HOSTS = {"hosts": np.arange(M) % 7 - 1}
AGES = {"max_age": np.where(np.arange(M) % 3 == 0, 2.0, np.inf)}
DISCARD = {"discard": np.where(np.arange(M) % 2 == 0, 0.05, 0.0)}
SOURCES = {"sources": np.array([0.2, 1.5]), "source_discard": [0.0, 0.1]}
LATE = {"latency": Exponential(0.5)}
CLASSES = {
    "sources": Sources([[0.6, 0.3], [0.2, 0.9]], [[0.4, 0.5], [1.0, 0.1]]),
    "source_class": np.arange(M) % 3 - 1,
    "coincidence": 0.06,
}
ALL = HOSTS | AGES | DISCARD | SOURCES


def used(settings=PLAIN, policy="greedy-ncis"):
    """A scheduler with some life behind it: signals, crawls, leases in flight, pages waiting, removed and added."""
    s = Scheduler(paper_mix(M, seed=3), policy, 1.7e9, **settings)
    if "hosts" in settings:
        s.set_host(0, gap=0.3, max_in_flight=2)
        s.set_host(3, gap=0.01)
        s.host_ready(4, 1.7e9 + 3.0)
    live(s, 1.7e9, 50, np.random.default_rng(1))
    s.lease(6, 1.7e9 + 2.6)
    held = s.lease(3, 1.7e9 + 2.6)
    s.signal(held, 1.7e9 + 2.7)
    s.release(held, 1.7e9 + 2.8, not_before=1.7e9 + 4.0)
    extra = {"sources": settings["sources"]} if "sources" in settings else {}
    if "source_class" in settings:
        extra = {"source_class": [0, 1]}
    s.remove([10, 20, 30])
    s.add(paper_mix(2, seed=4), 1.7e9 + 2.8, **extra)
    return s


def live(s, start, ticks, rng):
    """Signals and takes, one tick every 1/20; the ids taken and the signals dropped."""
    alive = np.setdiff1d(np.arange(M), [10, 20, 30])
    sources = max(s._weights.shape[1], s._beliefs.sources)
    got = []
    for k in range(ticks):
        now = start + (k + 1) * 0.05
        got.append(s.signal(rng.choice(alive, 4), now, source=int(rng.integers(sources))))
        got += s.take(int(rng.integers(1, 4)), now).tolist()
    return got


@pytest.mark.parametrize(
    "settings",
    [PLAIN, HOSTS, AGES, DISCARD, SOURCES, LATE, CLASSES, ALL],
    ids=["plain", "hosts", "ages", "discard", "sources", "latency", "classes", "all"],
)
def test_a_loaded_scheduler_goes_on_as_its_twin(settings, tmp_path):
    twin = used(settings)
    twin.save(str(tmp_path / "state"))
    loaded = Scheduler.load(str(tmp_path / "state"))
    loaded.check()
    assert (len(loaded), loaded.level, loaded.nbytes) == (len(twin), twin.level, twin.nbytes)
    assert loaded.statistics == twin.statistics
    got = live(loaded, 1.7e9 + 3.0, 200, np.random.default_rng(2))
    assert got == live(twin, 1.7e9 + 3.0, 200, np.random.default_rng(2))
    loaded.check()


def test_leases_in_flight_come_back_in_the_loaded_one(tmp_path):
    twin = Scheduler(paper_mix(M))
    held = twin.lease(5, 1.0)
    twin.signal(held[:2], 1.1)
    twin.save(str(tmp_path / "state"))
    loaded = Scheduler.load(str(tmp_path / "state"))
    for s in (twin, loaded):
        s.crawled(held[:3], 1.2)
        s.release(held[3:], 1.3)
    assert loaded.staleness(held, 2.0).tolist() == twin.staleness(held, 2.0).tolist()
    assert loaded.take(20, 2.0).tolist() == twin.take(20, 2.0).tolist()


def test_the_loaded_one_can_grow(tmp_path):
    twin = used(ALL)
    twin.save(str(tmp_path / "state"))
    loaded = Scheduler.load(str(tmp_path / "state"))
    for s in (twin, loaded):
        s.add(paper_mix(1000, seed=9), 1.7e9 + 3.0, hosts=np.arange(1000) % 20, sources=np.array([0.1, 0.3]))
    assert loaded.take(50, 1.7e9 + 9.0).tolist() == twin.take(50, 1.7e9 + 9.0).tolist()


@pytest.mark.parametrize("policy", ["greedy", "greedy-cis", "greedy-cis+(0.5,0.4)", "ncis-approx-2"])
def test_the_policy_is_kept(policy, tmp_path):
    used(policy=policy).save(str(tmp_path / "state"))
    loaded = Scheduler.load(str(tmp_path / "state"))
    assert loaded.policy.name == policy


def test_a_scheduler_of_no_pages(tmp_path):
    Scheduler(paper_mix(1)[:0]).save(str(tmp_path / "state"))
    loaded = Scheduler.load(str(tmp_path / "state"))
    assert (len(loaded), loaded.take(1, 1.0).tolist()) == (0, [])


def test_paths_may_be_path_objects(tmp_path):
    used().save(tmp_path / "state")
    assert len(Scheduler.load(tmp_path / "state")) == M - 1


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "state"
    used(ALL).save(str(path))
    return path


@pytest.mark.parametrize("content", [b"", b"RECRAWL\0", b"id,rate\n1,2\n" * 10, b"PK\x03\x04" + bytes(100)])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "state"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a saved scheduler") as error:
        Scheduler.load(str(path))
    assert error.value.path == str(path)


@pytest.mark.parametrize("kept", [48, 49, 100, 5000, -1])
def test_a_truncated_file_is_refused(kept, saved):
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(DataError, match="damaged"):
        Scheduler.load(str(saved))


def test_bytes_too_many_are_refused(saved):
    saved.write_bytes(saved.read_bytes() + b"\0")
    with pytest.raises(DataError, match="damaged"):
        Scheduler.load(str(saved))


# Magic 0-7, version 8-11, length of the header 12-15, checksum 16-47, header and arrays from 48.
@pytest.mark.parametrize("bit", [1, 128])
@pytest.mark.parametrize("offset", [0, 7, 8, 9, 11, 12, 13, 15, 16, 47, 48, 60, 200, 10_000, -1000, -1])
def test_one_flipped_bit_is_refused_wherever_it_is(offset, bit, saved):
    content = bytearray(saved.read_bytes())
    content[offset] ^= bit
    saved.write_bytes(content)
    with pytest.raises(DataError):
        Scheduler.load(str(saved))


def test_a_newer_format_is_refused_and_said_to_be_newer(saved):
    content = bytearray(saved.read_bytes())
    (version,) = struct.unpack_from("<I", content, 8)
    struct.pack_into("<I", content, 8, version + 1)
    saved.write_bytes(content)
    with pytest.raises(DataError, match=f"written by a newer recrawl \\(format {version + 1}"):
        Scheduler.load(str(saved))


def test_an_older_format_is_refused_and_said_to_be_older(saved):
    content = bytearray(saved.read_bytes())
    (version,) = struct.unpack_from("<I", content, 8)
    struct.pack_into("<I", content, 8, version - 1)
    saved.write_bytes(content)
    with pytest.raises(DataError, match=f"written by an older recrawl \\(format {version - 1}.*build it anew"):
        Scheduler.load(str(saved))


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Scheduler.load(str(tmp_path / "nowhere"))


def failing(*arguments, **keywords):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", ["replace", "fsync"])
def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(step, saved, monkeypatch):
    before = saved.read_bytes()
    s = used()
    monkeypatch.setattr(os, step, failing)
    with pytest.raises(OSError, match="No space left"):
        s.save(str(saved))
    monkeypatch.undo()
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_a_save_replaces_the_old_file_and_leaves_nothing_beside_it(saved):
    before = saved.read_bytes()
    used().save(str(saved))
    assert saved.read_bytes() != before
    assert os.listdir(saved.parent) == [saved.name]


def test_the_same_state_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        used(ALL).save(str(tmp_path / name))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_saving_changes_nothing(tmp_path):
    s, twin = used(ALL), used(ALL)
    s.save(str(tmp_path / "state"))
    assert live(s, 1.7e9 + 3.0, 20, np.random.default_rng(2)) == live(twin, 1.7e9 + 3.0, 20, np.random.default_rng(2))
