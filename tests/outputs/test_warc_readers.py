"""What readers of others say of our files."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import warnings

import brotli
import pytest
from warcio.archiveiterator import ArchiveIterator

from recrawl.clock import ManualClock
from recrawl.outputs.warc import Writer

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # fastwarc warns of itself when it is imported
    from fastwarc.warc import ArchiveIterator as FastIterator
    from fastwarc.warc import WarcRecordType

START = 1_700_000_000.0
TEXT = "<title>Grüße</title><p>hello".encode() * 50
GZIP = gzip.compress(TEXT, mtime=0)
REQUEST = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
HTML = b"Content-Type: text/html; charset=utf-8"

# What was received, the payload without its chunks, and the bytes that a reader should come to in the end.
EXCHANGES = {
    "plain": ([HTML, b"Content-Length: %d" % len(TEXT)], TEXT, TEXT),
    "chunked": ([HTML, b"Transfer-Encoding: chunked"], TEXT, TEXT),
    "gzip": ([HTML, b"Content-Encoding: gzip", b"Content-Length: %d" % len(GZIP)], GZIP, TEXT),
    "gzip-chunked": ([HTML, b"Content-Encoding: gzip", b"Transfer-Encoding: chunked"], GZIP, TEXT),
    "br": ([HTML, b"Content-Encoding: br", b"Transfer-Encoding: chunked"], brotli.compress(TEXT), TEXT),
    "no-length": ([HTML], TEXT, TEXT),
    "wrong-length": ([HTML, b"Content-Length: 99999"], TEXT, TEXT),
    "looks-chunked": ([HTML, b"Transfer-Encoding: chunked"], b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n"),
    "binary": ([b"Content-Type: application/octet-stream"], bytes(range(256)) * 9, bytes(range(256)) * 9),
    "ends": ([HTML], b"\r\n\r\nWARC/1.1\r\n\r\n", b"\r\n\r\nWARC/1.1\r\n\r\n"),
    "empty": ([HTML], b"", b""),
    "latin": ([HTML, b"X-Name: caf\xe9", b"X-Folded: a", b"  b"], TEXT, TEXT),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two files with everything in them."""
    place = tmp_path_factory.mktemp("warc")
    with Writer(place, max_bytes=6_000, clock=ManualClock(START), software="recrawl/test") as warc:
        for n, (name, (headers, payload, _)) in enumerate(EXCHANGES.items()):
            url = f"http://a.example/{name}"
            head = b"\r\n".join((b"HTTP/1.1 200 OK", *headers, b"", b""))
            more = {"ip": "127.0.0.1", "metadata": [("fetchTimeMs", str(n))]}
            more["decoded"] = TEXT if name == "br" else None
            first = warc.append(url, START + n, REQUEST, head, payload, **more)
            again = warc.append(url, START + 1000 + n, REQUEST, head, payload, before=first.original, **more)
            unmodified = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
            warc.append(url, START + 2000 + n, REQUEST, unmodified, b"", before=again.original)
        warc.append("http://a.example/cut", START, REQUEST, b"HTTP/1.1 200 OK\r\n\r\n", TEXT[:99], truncated="length")
    return place


@pytest.fixture(scope="module")
def paths(folder):
    found = sorted(folder.iterdir())
    assert len(found) > 2
    return found


def tool(*arguments):
    return subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)], check=False, capture_output=True, text=True, timeout=120
    )


def test_warcio_check_accepts_every_file(paths):
    done = tool("-m", "warcio.cli", "check", "-v", *paths)
    assert done.returncode == 0, done.stdout + done.stderr
    records = done.stdout.count("WARC-Record-ID")
    assert records == done.stdout.count("digest pass") + done.stdout.count("not checked (revisit)")
    assert "digest failed" not in done.stdout
    assert records == len(paths) + 3 * len(EXCHANGES) + 3 * len(EXCHANGES) + 2 * len(EXCHANGES) + 2


def test_warcio_finds_the_payloads(paths):
    found = {}
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type == "response":
                    name = record.rec_headers["WARC-Target-URI"].rpartition("/")[2]
                    found[name] = record.content_stream().read()
    del found["cut"]
    # 'looks-chunked' and 'empty' come as they are, too: nothing in the head calls for a transfer coding any more.
    assert found == {name: text for name, (_, _, text) in EXCHANGES.items()}


def test_fastwarc_accepts_every_record_and_finds_the_payloads(paths):
    found, records = {}, 0
    for path in paths:
        for record in FastIterator(io.BytesIO(path.read_bytes()), parse_http=False):
            records += 1
            assert record.verify_block_digest(), record.headers
        for record in FastIterator(io.BytesIO(path.read_bytes()), record_types=WarcRecordType.response):
            if "WARC-Truncated" not in record.headers:
                assert record.verify_payload_digest(), record.headers
            found[record.headers["WARC-Target-URI"].rpartition("/")[2]] = record.reader.read()
    assert records > 60
    del found["cut"]
    encoded = {name: payload for name, (_, payload, _) in EXCHANGES.items()} | {"br": TEXT}
    assert found == encoded


def test_the_offset_is_that_of_the_record(folder):
    with Writer(folder, clock=ManualClock(START), prefix="other") as warc:
        places = [warc.append(f"http://a.example/{n}", START, REQUEST, b"HTTP/1.1 200 OK", b"%d" % n) for n in range(5)]
    for n, place in enumerate(places):
        with (folder / place.file).open("rb") as file:
            file.seek(place.offset)
            record = next(iter(ArchiveIterator(file)))
            assert (record.rec_headers["WARC-Target-URI"], record.raw_stream.read()) == (
                f"http://a.example/{n}",
                b"%d" % n,
            )
    os.unlink(folder / places[0].file)


def test_the_cdxj_indexer_lists_every_response_and_revisit(paths):
    done = tool("-m", "cdxj_indexer.main", *paths)
    assert done.returncode == 0, done.stderr
    lines = [line.split(" ", 2) for line in done.stdout.splitlines()]
    entries = [(key, stamp, json.loads(rest)) for key, stamp, rest in lines]
    assert len(entries) == 3 * len(EXCHANGES) + 1
    revisits = [entry for entry in entries if entry[2].get("mime") == "warc/revisit"]
    # The empty payload is no original, so nothing refers to it.
    assert len(revisits) == 2 * (len(EXCHANGES) - 1)
    originals = {(key, e["digest"]) for key, _, e in entries if e.get("mime") != "warc/revisit"}
    assert all((key, e["digest"]) in originals for key, _, e in revisits)
    assert ("example,a)/gzip", "20231114221322") in [(key, stamp) for key, stamp, _ in entries]


WRITER = """
import sys
from recrawl.outputs.warc import Writer
warc = Writer(sys.argv[1], max_bytes=2_000_000)
number = int(sys.argv[2])
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\n\\r\\n"
request = b"GET / HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n"
while True:
    number += 1
    payload = b"%d " % number + bytes((number * k) % 251 for k in range(number % 300)) * (number % 50)
    place = warc.append(f"http://a.example/{number}", 1_700_000_000.0 + number, request, head, payload)
    print(number, place.file, place.offset, flush=True)
"""


def payload_of(number):
    return b"%d " % number + bytes((number * k) % 251 for k in range(number % 300)) * (number % 50)


def test_killed_thirty_times_every_record_is_readable_and_none_acknowledged_is_lost(tmp_path):
    acknowledged, number = [], 0
    for turn in range(30):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            lines = [writer.stdout.readline() for _ in range(1 + (turn * 37) % 150)]
            writer.send_signal(signal.SIGKILL)
            lines += writer.stdout.read().splitlines()
        whole = [line.split() for line in lines if len(line.split()) == 3]
        acknowledged += [(int(n), file, int(offset)) for n, file, offset in whole[:-1]]
        # The last line may have been cut in its offset; its record is there whatever it says.
        number = int(whole[-1][0]) + 1
    Writer(tmp_path, max_bytes=2_000_000).close()
    paths = sorted(tmp_path.iterdir())
    done = tool("-m", "warcio.cli", "check", *paths)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = {}
    for path in paths:
        for record in FastIterator(io.BytesIO(path.read_bytes()), record_types=WarcRecordType.response):
            assert record.verify_payload_digest()
            n = int(record.headers["WARC-Target-URI"].rpartition("/")[2])
            found[n] = (path.name, record.stream_pos, record.reader.read())
    assert len(acknowledged) > 1500
    for n, file, offset in acknowledged:
        assert found[n] == (file, offset, payload_of(n))
