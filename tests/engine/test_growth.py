"""Schedulers that grow a little at a time: in place, by halving ticks, and still exactly as the definition says."""

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.engine import Scan, Scheduler, growth
from recrawl.engine.core.layout import LINE, PAGES, QUANTUM


def test_growing_by_halved_ticks_decides_as_the_definition(monkeypatch):
    monkeypatch.setattr(growth, "SAMPLE", 64)  # from here on pages are not put into the wheel anew
    rng, pages = np.random.default_rng(1), paper_mix(600, seed=5)
    fast, slow = Scheduler(pages[:60]), Scan(pages[:60])
    ticks = [fast._core.pool_numbers[0, QUANTUM]]
    for step in range(300):
        now = 0.02 * (step + 1)
        if step % 3 == 0:
            for twin in (fast, slow):
                twin.add(pages[60 + 5 * (step // 3) : 65 + 5 * (step // 3)], now, max_age=[1.0, np.inf, 2.0, 0.5, 9.0])
        ids = rng.integers(0, len(slow), 3)
        fast.signal(ids, now), slow.signal(ids, now)
        assert fast.take(2, now).tolist() == slow.take(2, now).tolist(), step
        ticks.append(fast._core.pool_numbers[0, QUANTUM])
        if step % 30 == 0:
            fast.check()
    assert 4.0 <= ticks[0] / ticks[-1] <= 16.0


def test_a_scheduler_in_use_halves_its_ticks_soundly(monkeypatch):
    monkeypatch.setattr(growth, "SAMPLE", 64)
    pages = paper_mix(20_000, seed=6)
    s, now = Scheduler(pages[:1000]), 0.0
    for start in range(1000, 20_000, 500):
        for _ in range(20):
            now += 1e-3
            s.signal(np.arange(start // 2, start // 2 + 50), now)
            s.take(5, now)
        s.add(pages[start : start + 500], now)
        s.check()
    values = s.value(np.arange(20_000), now)
    assert s.peek(20, now).tolist() == np.lexsort((np.arange(20_000), -values))[:20].tolist()


@pytest.mark.parametrize("m", [100, 40_000])
def test_rows_begin_with_a_line_and_are_no_more_than_needed(m):
    pages = paper_mix(m, seed=1)
    s = Scheduler(pages[:10])
    for start in range(10, m, max(m // 50, 10)):
        s.add(pages[start : start + max(m // 50, 10)], 0.0, max_age=5.0, hosts=start % 100)
        assert s._core.numbers.ctypes.data % LINE == 0
        assert len(s._core.numbers) <= 1.07 * s._core.rest[PAGES] + 32
    assert np.all(s._core.max_age[10 : s.ids_given] == 5.0)
    assert np.all(s._core.max_age[:10] == np.inf)
    s.check()


def test_large_tables_do_not_move():
    pages = paper_mix(1000, seed=1)
    s = Scheduler(pages[np.arange(40_000) % 1000], max_age=3.0)
    places = [array.ctypes.data for array in (s._core.numbers, s._core.links)]
    for _ in range(20):
        s.add(pages, 0.0)
    got = [array.ctypes.data for array in (s._core.numbers, s._core.links)]
    assert got == places


def test_many_hosts_come_a_few_at_a_time():
    pages = paper_mix(10, seed=1)
    s = Scheduler(pages)
    for k in range(0, 30_000, 100):
        s.set_host(k, gap=float(k))
    s.add(pages, 1.0, hosts=np.arange(10) * 100)
    got = s.common_columns()["host_gap"][:30_000:100]
    assert got.tolist() == list(np.arange(0.0, 30_000.0, 100.0))
    assert len(s.take(20, 1.0)) == 20
    s.check()


def test_many_new_pages_that_were_never_crawled_come_in_order_of_their_worth():
    m = 20_000
    pages, s = paper_mix(m, seed=3), Scheduler(paper_mix(10, seed=3))
    for start in range(0, m, 1000):  # heaps gather what is put in, long before the first is taken out
        s.signal(s.add(pages[start : start + 1000], 1.0), 1.0, weight=np.inf)
        s.check()
    values = s.value(np.arange(m + 10), 1.0)
    expected = np.lexsort((np.arange(m + 10), -values))
    got = np.concatenate([s.lease(500, 1.0) for _ in range(10)])
    assert got.tolist() == expected[:5000].tolist()
    s.check()
