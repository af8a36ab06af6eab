"""What the writer writes, by the word of our own reader."""

import gzip
import os
import subprocess
import sys
import zlib

import pytest

from recrawl.clock import ManualClock
from recrawl.errors import InputError, InUseError
from recrawl.outputs.warc import Writer, files
from recrawl.outputs.warc.http_head import as_stored

REQUEST = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
URL = "http://a.example/"
START = 1_700_000_000.0


def writer(folder, **options):
    return Writer(folder, clock=ManualClock(START), **options)


def contents(path):
    """The members of a gzip file, inflated, by the offset they begin at."""
    data, at, found = path.read_bytes(), 0, {}
    while at < len(data):
        inflater = zlib.decompressobj(31)
        content = inflater.decompress(data[at:])
        assert inflater.eof
        found[at] = content
        at = len(data) - len(inflater.unused_data)
    return found


def kinds(folder):
    return [
        content.split(b"WARC-Type: ")[1].split(b"\r\n")[0].decode()
        for path in sorted(folder.iterdir())
        for content in contents(path).values()
    ]


def test_an_exchange_is_a_response_a_request_and_metadata(tmp_path):
    with writer(tmp_path) as warc:
        written = warc.append(URL, START, REQUEST, OK, b"hello", metadata=[("via", "http://b.example/")])
    (path,) = tmp_path.iterdir()
    assert path.name == written.file == "recrawl-000001-20231114221320.warc.gz"
    assert kinds(tmp_path) == ["warcinfo", "response", "request", "metadata"]
    record = contents(path)[written.offset]
    assert b"WARC-Type: response" in record
    assert record.endswith(b"Content-Length: 5\r\n\r\nhello\r\n\r\n")
    assert b"via: http://b.example/" in list(contents(path).values())[3]


def test_the_file_is_one_that_gzip_reads(tmp_path):
    with writer(tmp_path) as warc:
        warc.append(URL, START, REQUEST, OK, b"hello" * 1000)
    (path,) = tmp_path.iterdir()
    assert gzip.decompress(path.read_bytes()).count(b"WARC/1.1\r\n") == 3


def test_the_same_payload_again_is_a_revisit_of_the_first(tmp_path):
    with writer(tmp_path) as warc:
        first = warc.append(URL, START, REQUEST, OK, b"hello")
        second = warc.append(URL, START + 60, REQUEST, OK, b"hello", before=first.original)
        third = warc.append(URL, START + 120, REQUEST, OK, b"other", before=second.original)
    assert [first.kind, second.kind, third.kind] == ["response", "revisit", "response"]
    assert second.original == first.original
    assert third.original.date == "2023-11-14T22:15:20Z"
    record = contents(next(tmp_path.iterdir()))[second.offset].decode()
    assert "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n" in record
    assert f"WARC-Refers-To: <{first.original.record}>\r\n" in record
    assert "WARC-Refers-To-Target-URI: http://a.example/\r\n" in record
    assert "WARC-Refers-To-Date: 2023-11-14T22:13:20Z\r\n" in record
    assert "hello" not in record


def test_not_modified_is_a_revisit(tmp_path):
    with writer(tmp_path) as warc:
        first = warc.append(URL, START, REQUEST, OK, b"hello")
        not_modified = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
        second = warc.append(URL, START + 60, REQUEST, not_modified, b"", before=first.original)
        unknown = warc.append(URL, START + 60, REQUEST, not_modified, b"")
    assert (second.kind, second.original, unknown.kind, unknown.original) == (
        "revisit",
        first.original,
        "response",
        None,
    )
    record = contents(next(tmp_path.iterdir()))[second.offset]
    assert b"revisit/server-not-modified" in record
    assert b"\r\n\r\n" + not_modified + b"\r\n\r\n" in record


def test_empty_and_truncated_payloads_are_not_referred_to(tmp_path):
    with writer(tmp_path) as warc:
        empty = warc.append(URL, START, REQUEST, OK, b"")
        cut = warc.append(URL, START, REQUEST, OK, b"hel", truncated="length")
        with pytest.raises(InputError, match="truncated must be one of length, time"):
            warc.append(URL, START, REQUEST, OK, b"hel", truncated="because")
    assert (empty.original, cut.original) == (None, None)
    assert b"WARC-Truncated: length\r\n" in contents(next(tmp_path.iterdir()))[cut.offset]


@pytest.mark.parametrize(
    ("received", "stored"),
    [
        ([b"Content-Length: 5"], [b"Content-Length: 5"]),
        ([b"content-length:5"], [b"content-length:5"]),
        ([b"Content-Length: 9"], [b"X-Orig-Content-Length: 9", b"Content-Length: 5"]),
        ([b"Content-Length: 5", b"Content-Length: 5"], [b"Content-Length: 5", b"X-Orig-Content-Length: 5"]),
        ([b"TRANSFER-ENCODING: gzip, chunked"], [b"X-Orig-TRANSFER-ENCODING: gzip, chunked", b"Content-Length: 5"]),
        ([b"A: b", b"  folded"], [b"A: b folded", b"Content-Length: 5"]),
        ([b"X: caf\xe9"], [b"X: caf\xe9", b"Content-Length: 5"]),
        ([b"Content-Encoding: br"], [b"Content-Encoding: br", b"Content-Length: 5"]),
    ],
)
def test_heads_are_true_of_the_payload(received, stored):
    for end in (b"\r\n", b"\n"):
        got = as_stored(end.join((b"HTTP/1.1 200 OK", *received, b"", b"")), 5)
        assert got == b"\r\n".join((b"HTTP/1.1 200 OK", *stored, b"", b""))


def test_values_cannot_begin_a_field_of_their_own(tmp_path):
    with writer(tmp_path, info={"operator": "me\r\nWARC-Type: x"}) as warc:
        written = warc.append(
            "http://a.example/\r\nWARC-Type: conversion", START, REQUEST, OK, b"", ip="1.2.3.4\r\nX: y"
        )
    record = contents(next(tmp_path.iterdir()))[written.offset]
    assert b"WARC-Target-URI: http://a.example/ WARC-Type: conversion\r\n" in record
    assert b"WARC-IP-Address: 1.2.3.4 X: y\r\n" in record


def test_files_are_rotated_by_size_and_finished_ones_never_change(tmp_path):
    finished = {}
    for _ in range(3):  # also when it is opened again
        with writer(tmp_path, max_bytes=3_000) as warc:
            for _ in range(10):
                warc.append(URL, START, REQUEST, OK, os.urandom(500))
                names = sorted(path.name for path in tmp_path.iterdir())
                for name in names[:-1]:
                    data = (tmp_path / name).read_bytes()
                    assert finished.setdefault(name, data) == data
    assert [name.split("-")[1] for name in names] == [f"{n:06d}" for n in range(1, len(names) + 1)]
    assert len(names) > 8
    for name in names:
        assert next(iter(contents(tmp_path / name).values())).startswith(b"WARC/1.1\r\nWARC-Type: warcinfo")
        # It ends with the first record beyond the size.
        assert (tmp_path / name).stat().st_size < 3_000 + 2_000


@pytest.mark.parametrize("cut", [1, 8, 30, 200, 700, 10**6])
def test_a_torn_tail_is_cut_and_writing_goes_on(tmp_path, cut):
    with writer(tmp_path) as warc:
        warc.append(URL, START, REQUEST, OK, b"first")
        last = warc.append(URL, START, b"", OK, os.urandom(600))
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    path.write_bytes(data[: max(0, len(data) - cut)])
    with writer(tmp_path) as warc:
        assert len(warc.notes) == (cut < 10**6)
        warc.append(URL, START, REQUEST, OK, b"after")
    after = contents(path)
    assert next(iter(after.values())).startswith(b"WARC/1.1\r\nWARC-Type: warcinfo")
    assert (last.offset in after) == (cut <= 700)
    assert any(b"after" in record for record in after.values())


@pytest.mark.parametrize("tail", [bytes(5000), b"\x1f\x8b\x08\x04", os.urandom(3000)])
def test_what_a_loss_of_power_leaves_at_the_end_is_cut(tmp_path, tail):
    with writer(tmp_path) as warc:
        warc.append(URL, START, REQUEST, OK, b"first")
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    path.write_bytes(data + tail)
    with writer(tmp_path) as warc:
        assert warc.notes == [f"a torn record at the end of {path.name} was cut: {len(tail):,} bytes"]
    assert path.read_bytes() == data


def test_a_damaged_last_record_whose_length_is_right_is_cut(tmp_path):
    with writer(tmp_path) as warc:
        warc.append(URL, START, b"", OK, b"first")
        last = warc.append(URL, START, b"", OK, os.urandom(600))
    (path,) = tmp_path.iterdir()
    data = bytearray(path.read_bytes())
    data[-300] ^= 1
    path.write_bytes(data)
    writer(tmp_path).close()
    assert path.stat().st_size == last.offset


def test_a_second_writer_is_refused(tmp_path):
    with writer(tmp_path), pytest.raises(InUseError, match="is in use"):
        writer(tmp_path)
    writer(tmp_path).close()


def test_a_closed_writer_says_so(tmp_path):
    warc = writer(tmp_path)
    warc.close()
    warc.close()
    with pytest.raises(InputError, match="is closed; open it again"):
        warc.append(URL, START, REQUEST, OK, b"")


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(InputError, match="prefix must be of letters"):
        Writer(tmp_path, prefix="../x")
    with pytest.raises(InputError, match="max_bytes must be positive"):
        Writer(tmp_path, max_bytes=0)
    with writer(tmp_path) as warc, pytest.raises(InputError, match="date must be seconds since 1970"):
        warc.append(URL, float("inf"), REQUEST, OK, b"")


def test_a_full_disk_refuses_and_leaves_no_part_of_a_record(tmp_path):
    program = """
import os, resource, signal, sys
from recrawl.errors import StoreFullError
from recrawl.outputs.warc import Writer, files
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
warc = Writer(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
count = 0
try:
    while True:
        warc.append("http://a.example/", 0.0, b"", b"HTTP/1.1 200 OK", os.urandom(9_000))
        count += 1
except StoreFullError as error:
    assert "disk is full" in str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
warc.append("http://a.example/", 0.0, b"", b"HTTP/1.1 200 OK", b"after")
print(count)
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert kinds(tmp_path) == ["warcinfo"] + ["response"] * (int(done.stdout) + 1)


def test_of_a_large_file_only_the_end_is_inflated(tmp_path, monkeypatch):
    with writer(tmp_path) as warc:
        for _ in range(50):
            warc.append(URL, START, REQUEST, OK, os.urandom(900))
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    path.write_bytes(data + data[:100])
    inflated = []
    ends = files.inflated_end
    monkeypatch.setattr(files, "VERIFIED_BYTES", 5_000)
    monkeypatch.setattr(files, "inflated_end", lambda file, at: inflated.append(at) or ends(file, at))
    assert files.whole_bytes(str(path)) == len(data)
    assert inflated[0] > len(data) - 7_000
