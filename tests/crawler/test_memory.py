"""How garbage is looked for while a crawler runs."""

import gc

import pytest

from recrawl.crawler.memory import LOOK_AFTER, settled


def test_garbage_is_looked_for_seldom_and_as_before_afterwards():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with settled():
        assert gc.get_threshold() == (LOOK_AFTER, *before[1:])
        assert gc.get_freeze_count() > frozen
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


@pytest.mark.parametrize("young", [0, LOOK_AFTER + 1])
def test_who_wants_fewer_looks_keeps_them(young):
    before = gc.get_threshold()
    gc.set_threshold(young, *before[1:])
    try:
        with settled():
            assert gc.get_threshold()[0] == young
        assert gc.get_threshold()[0] == young
    finally:
        gc.set_threshold(*before)
