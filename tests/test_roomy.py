import mmap

import numpy as np
import pytest

from recrawl import roomy


def test_small_arrays_are_copied():
    array = roomy.zeros((10, 3), np.int32)
    array[:] = 7
    got = roomy.longer(array, 20)
    assert got.shape == (20, 3)
    assert np.all(got[:10] == 7)
    assert not got[10:].any()
    assert not np.shares_memory(array, got)


@pytest.mark.parametrize(("shape", "dtype"), [((300_000,), np.float64), ((50_000, 84), np.int16)])
def test_large_arrays_grow_in_place(shape, dtype):
    array = roomy.zeros(shape, dtype)
    array[:] = 7
    got = roomy.longer(roomy.longer(array, 2 * shape[0]), 60 * shape[0])
    assert got.shape == (60 * shape[0], *shape[1:])
    assert got.dtype == dtype
    assert np.all(got[: shape[0]] == 7)
    assert not got[shape[0] : 3 * shape[0]].any()
    assert np.shares_memory(array, got)


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 1000, 1_000_003])
@pytest.mark.parametrize(("narrow", "wide"), [(1, 2), (2, 3), (4, 6), (3, 32)])
def test_columns_are_added_where_the_array_is(rows, narrow, wide):
    array = roomy.longer(roomy.zeros((400_000, narrow, 1), np.uint32), 400_000)[:0]
    array = roomy.longer(array, rows) if rows else np.zeros((0, narrow, 1), np.uint32)
    expected = np.zeros((rows, wide, 1), np.uint32)
    expected[:, :narrow, 0] = np.arange(1, rows * narrow + 1).reshape(rows, narrow)
    array[:] = expected[:, :narrow]
    got = roomy.wider(array, wide)
    assert got.dtype == array.dtype
    assert np.array_equal(got, expected)
    assert rows == 0 or np.shares_memory(array, got)


def test_of_arrays_of_one_size_not_all_cease_to_be_small_at_once():
    made = [roomy.zeros((3 * roomy.SMALL // 4,), np.uint8) for _ in range(20)]
    with_room = sum(array.base is not None for array in made)
    assert 5 <= with_room <= 15


def test_beyond_what_is_reserved_arrays_are_copied(monkeypatch):
    monkeypatch.setattr(roomy, "LEAST", 0)
    array = roomy.zeros((200_000,), np.float64)
    array[:] = 7.0
    got = roomy.longer(array, 65 * 200_000)
    assert np.all(got[:200_000] == 7.0)
    assert not np.shares_memory(array, got)


def test_where_nothing_can_be_reserved_arrays_are_plain(monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("no")

    monkeypatch.setattr(mmap, "mmap", refuse)
    array = roomy.zeros((300_000,), np.float64)
    array[:] = 7.0
    assert array.base is None


def test_arrays_begin_at_different_places_of_a_huge_page():
    """Else columns of one width would all come to the end of a huge page in the same call."""
    starts = sorted(roomy._beginning() for _ in range(16))
    gaps = np.diff([*starts, starts[0] + roomy._HUGE])
    assert all(start % roomy._PAGE == 0 for start in starts)
    assert gaps.min() > roomy._HUGE / 16 / 4
