"""Bodies are unpacked as browsers would, and never further than allowed."""

import gzip
import tracemalloc
import zlib

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.fetch.decoding import MOST_MEMBERS, decoder_for
from recrawl.fetch.faults import FaultError

MOST = 1 << 20


def raw_deflate(data):
    pack = zlib.compressobj(wbits=-15)
    return pack.compress(data) + pack.flush()


PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}


def unpacked(encodings, data, step=1 << 16, most=MOST):
    decoder, pieces = decoder_for(encodings, most), []
    for k in range(0, len(data), step):
        decoder.feed(data[k : k + step], pieces)
    decoder.finish()
    return b"".join(pieces)


def fault(encodings, data, step=1 << 16, most=MOST):
    with pytest.raises(FaultError) as caught:
        unpacked(encodings, data, step, most)
    return caught.value.name


@given(st.lists(st.sampled_from(list(PACK)), max_size=3), st.binary(max_size=5000), st.integers(1, 3000), st.booleans())
@settings(max_examples=200, deadline=None)
def test_what_was_packed_is_unpacked_however_it_is_cut(encodings, data, step, long):
    data *= 200 if long else 1
    packed = data
    for name in encodings:
        packed = PACK[name](packed)
    got = unpacked(", ".join(encodings), packed, step) if encodings else packed
    assert got == data


@pytest.mark.parametrize("name", ["GZIP", " gzip ", "gzip,", "identity, gzip", "gzip, identity", "utf-8, gzip"])
def test_names_are_read_generously(name):
    assert unpacked(name, gzip.compress(b"hello")) == b"hello"


@pytest.mark.parametrize("step", [1, 2, 1000])
@pytest.mark.parametrize("name", ["gzip", "deflate"])
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_gzip_and_deflate_are_told_apart_by_their_bytes(name, pack, step):
    assert unpacked(name, pack(b"hello" * 100), step) == b"hello" * 100


@pytest.mark.parametrize("step", [1, 2, 1000])
def test_deflate_may_lack_its_wrapper(step):
    assert unpacked("deflate", raw_deflate(b"hello" * 100), step) == b"hello" * 100


@pytest.mark.parametrize("step", [1, 2, 3, 1000])
@pytest.mark.parametrize("body", [b"", b"x", b"<html>", b"\x1fhello"])
def test_a_plain_body_may_be_labelled_gzip(body, step):
    expected = b"" if len(body) < 2 else body
    assert unpacked("gzip", body, step) in (expected, body)


@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_several_gzip_members_are_one_body(step):
    assert unpacked("gzip", gzip.compress(b"one") + gzip.compress(b"") + gzip.compress(b"two"), step) == b"onetwo"


@pytest.mark.parametrize("step", [1, 7, 100_000])
@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_rubbish_after_the_end_does_not_matter(name, step):
    assert unpacked(name, PACK[name](b"hello") + b"\0\0rubbish", step) == b"hello"


@pytest.mark.parametrize("name", ["utf-8", "none", "identity", "binary", "", "*"])
def test_encodings_that_are_none_are_left_alone(name):
    assert decoder_for(name, MOST) is None


@pytest.mark.parametrize("name", ["zstd", "compress", "gzip, zstd"])
def test_encodings_that_nobody_asked_for_are_a_fault(name):
    assert fault(name, b"hello") == "bad-encoding"


def test_many_layers_are_a_fault():
    assert fault(", ".join(["gzip"] * 6), b"hello") == "bad-encoding"


def test_many_empty_members_are_a_fault():
    assert fault("gzip", gzip.compress(b"") * (MOST_MEMBERS + 1)) == "bad-encoding"


@pytest.mark.parametrize("name", PACK)
def test_damage_is_a_fault(name):
    packed = bytearray(PACK[name](bytes(range(256)) * 50))
    packed[len(packed) // 2 :] = b"\xff" * 100
    assert fault(name, bytes(packed)) in ("bad-encoding", "truncated")


@pytest.mark.parametrize("name", PACK)
def test_what_is_cut_short_is_truncated(name):
    packed = PACK[name](bytes(range(256)) * 50)
    decoder, pieces = decoder_for(name, MOST), []
    decoder.feed(packed[: len(packed) - 10], pieces)
    with pytest.raises(FaultError, match="truncated"):
        decoder.finish()


@pytest.mark.parametrize(
    "encodings", ["gzip", "deflate", "br", "gzip, gzip", "br, br", "gzip, br", "br, gzip, deflate"]
)
def test_bombs_are_stopped_before_memory_grows(encodings):
    packed = bytes(200 << 20) if "," not in encodings else bytes(50 << 20)
    for name in encodings.split(", "):
        packed = brotli.compress(packed, quality=1) if name == "br" else PACK[name](packed)
    tracemalloc.start()
    try:
        assert fault(encodings, packed) == "bomb"
        assert tracemalloc.get_traced_memory()[1] < 8 * MOST
    finally:
        tracemalloc.stop()


def test_a_layer_between_may_not_be_large_either():
    """What unpacks to much that unpacks to nothing: empty gzip members, packed."""
    inner = gzip.compress(b"") * 200_000
    assert fault("gzip, gzip", gzip.compress(inner)) in ("bomb", "bad-encoding")


def test_large_but_honest_is_too_large_and_no_bomb():
    import random

    data = random.Random(1).randbytes(2 * MOST)
    assert fault("gzip", gzip.compress(data)) == "too-large"
    assert unpacked("gzip", gzip.compress(data[:MOST])) == data[:MOST]
