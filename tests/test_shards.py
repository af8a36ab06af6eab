import os
import subprocess
import sys

import numpy as np
import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.errors import InputError
from recrawl.shards import Shards, shard_of

URLS = [f"https://example.org/{i}" for i in range(20_000)]


def test_assignments_never_change():
    # Pinned: another answer on another machine or in a later version would scatter every deployed shard.
    got = shard_of(["https://example.org/", "https://example.org/news", "https://example.org/über", ""], 1000)
    assert got.tolist() == [891, 190, 677, 987]
    assert shard_of([0, 1, 2, 3, -1, 10**18], 1000).tolist() == [258, 527, 19, 473, 650, 529]


def test_assignment_does_not_depend_on_the_hash_seed():
    program = "from recrawl.shards import shard_of; print(shard_of(['a', 'b', 'c', 'd'], 1000).tolist())"
    expected = str(shard_of(["a", "b", "c", "d"], 1000).tolist())
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected


def test_strings_hash_as_their_utf8():
    assert shard_of(["é", "x"], 1 << 20).tolist() == shard_of(["é".encode(), b"x"], 1 << 20).tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, object])
def test_whole_numbers_hash_alike_however_they_are_stored(dtype):
    expected = shard_of([0, 1, 7, 1 << 30], 1 << 20).tolist()
    assert shard_of(np.array([0, 1, 7, 1 << 30], dtype=dtype), 1 << 20).tolist() == expected


def test_one_key_and_arrays_of_strings():
    expected = shard_of(["a", "b"], 99).tolist()
    assert [shard_of("a", 99).item(), shard_of(b"b", 99).item()] == expected
    assert shard_of(np.array(["a", "b"]), 99).tolist() == expected
    assert shard_of(iter(["a", "b"]), 99).tolist() == expected
    assert shard_of([], 99).tolist() == []


@pytest.mark.parametrize("keys", [URLS, range(20_000)], ids=["urls", "numbers"])
def test_shards_are_balanced(keys):
    # Counts are Binomial(20000, 1/16): mean 1250, deviation 34.2. Six deviations: false alarm below 1e-7.
    counts = np.bincount(shard_of(keys, 16), minlength=16)
    assert np.abs(counts - 1250).max() < 6 * 34.3


@pytest.mark.parametrize(("old", "new"), [(1, 2), (4, 5), (16, 17), (64, 256)])
def test_growing_moves_few_keys_and_only_to_new_shards(old, new):
    before, after = shard_of(URLS, old), shard_of(URLS, new)
    moved = before != after
    share = 1.0 - old / new
    assert abs(moved.mean() - share) < 6 * (share * (1.0 - share) / len(URLS)) ** 0.5
    assert (after[moved] >= old).all()


@pytest.mark.parametrize("shards", [0, -1, 2.0, True, (1 << 31) + 1])
def test_bad_number_of_shards(shards):
    with pytest.raises(InputError, match="shards must be a whole number"):
        shard_of(["a"], shards)


@pytest.mark.parametrize("keys", [[1.5], ["a", 1], [None], [True], [1 << 64], np.zeros((2, 2), dtype=int)])
def test_bad_keys(keys):
    with pytest.raises(InputError, match="keys must be"):
        shard_of(keys, 4)


def test_every_page_is_in_one_shard():
    split = Shards(paper_mix(1000), URLS[:1000], 7, rate=100.0)
    assert sorted(np.concatenate(split.members).tolist()) == list(range(1000))
    for k, mine in enumerate(split.members):
        assert (split.shard[mine] == k).all()
        assert (np.diff(mine) > 0).all()


def test_rates_are_equal_or_what_the_optimum_spends():
    pages = paper_mix(1000)
    equal = Shards(pages, URLS[:1000], 7, rate=100.0)
    assert equal.rates == pytest.approx(np.full(7, 100.0 / 7))
    shared = Shards(pages, URLS[:1000], 7, rate=100.0, share="optimum")
    spent = recrawl.optimum(pages, 100.0).rates
    assert shared.rates == pytest.approx([spent[mine].sum() for mine in shared.members], rel=1e-9)
    assert shared.rates.sum() == pytest.approx(100.0, rel=1e-12)


def test_shards_at_their_optimal_share_lose_nothing():
    pages = paper_mix(1000)
    split = Shards(pages, URLS[:1000], 7, rate=100.0, share="optimum")
    fresh = [
        recrawl.optimum(pages[mine], rate).freshness for mine, rate in zip(split.members, split.rates, strict=True)
    ]
    got = np.average(fresh, weights=[pages.importance[mine].sum() for mine in split.members])
    assert got == pytest.approx(recrawl.optimum(pages, 100.0).freshness, rel=1e-9)


def test_pages_that_need_no_crawl_share_equally():
    still = recrawl.Pages.from_rates(change_rate=np.zeros(4), importance=1.0)
    assert Shards(still, [0, 1, 2, 3], 2, rate=1.0, share="optimum").rates.tolist() == [0.5, 0.5]


def test_schedulers_hold_the_members_pages():
    pages = paper_mix(60)
    split = Shards(pages, URLS[:60], 3, rate=6.0, policy="greedy", now=5.0, max_age=np.arange(60) + 1.0)
    assert [len(s) for s in split.schedulers] == [len(mine) for mine in split.members]
    for scheduler, mine in zip(split.schedulers, split.members, strict=True):
        alone = recrawl.Scheduler(pages[mine], "greedy", 5.0, max_age=mine + 1.0)
        assert scheduler.take(5, 9.0).tolist() == alone.take(5, 9.0).tolist()


def test_more_shards_than_pages_leaves_some_empty():
    split = Shards(paper_mix(2), [0, 1], 5, rate=1.0)
    assert sorted(len(s) for s in split.schedulers) == [0, 0, 0, 0, 2]
    assert sum(len(s.take(3, 1.0)) for s in split.schedulers) == 2


def test_pages_are_found_again():
    split = Shards(paper_mix(50), URLS[:50], 4, rate=5.0)
    shards, ids = split.locate(np.arange(50))
    assert [split.members[k][i] for k, i in zip(shards, ids, strict=True)] == list(range(50))


def test_bad_arguments():
    pages = paper_mix(3)
    with pytest.raises(InputError, match="keys must be one a page, got 2 for 3 pages"):
        Shards(pages, [0, 1], 2, rate=1.0)
    with pytest.raises(InputError, match="rate must be positive"):
        Shards(pages, [0, 1, 2], 2, rate=0.0)
    with pytest.raises(InputError, match="share must be"):
        Shards(pages, [0, 1, 2], 2, rate=1.0, share="fair")
