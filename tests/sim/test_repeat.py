"""Repetitions: the same results whatever the number of workers, paired by world."""

import io
import math
from functools import partial

import numpy as np
import pytest

import recrawl
from recrawl.bench.mix import paper_mix
from recrawl.errors import InputError
from recrawl.sim import Estimate, compare, paired_difference, repeat

POLICIES = ("greedy-ncis", "lds")


def freshness(seed):
    return recrawl.simulate(paper_mix(30, seed), rate=5.0, horizon=40.0, seed=seed).freshness


def test_results_do_not_depend_on_the_number_of_workers():
    alone, together = (repeat(freshness, 5, seed=3, workers=workers) for workers in (1, 3))
    assert alone == together == [freshness(seed) for seed in range(3, 8)]


def test_comparisons_do_not_depend_on_the_number_of_workers():
    alone, together = (
        compare(partial(paper_mix, 30), POLICIES, 5.0, 40.0, repetitions=4, workers=workers) for workers in (1, 2)
    )
    assert alone.freshness.tobytes() == together.freshness.tobytes()
    assert alone.redundant.tobytes() == together.redundant.tobytes()


def test_a_comparison_is_its_single_runs():
    pages = paper_mix(30)
    got = compare(pages, POLICIES, 5.0, 40.0, repetitions=2, seed=7, warmup=10.0, workers=1)
    assert (got.policies, got.seeds) == (POLICIES, (7, 8))
    for row, seed in enumerate(got.seeds):
        for column, policy in enumerate(POLICIES):
            run = recrawl.simulate(pages, policy, 5.0, 40.0, seed, warmup=10.0)
            assert got.freshness[row, column] == run.freshness
            assert got.redundant[row, column] == run.redundant / run.crawls.sum()
    assert got.optimum.tolist() == [recrawl.optimum(pages, 5.0).freshness] * 2
    expected = got.freshness[:, 0] - got.freshness[:, 1]
    assert got.difference("greedy-ncis", "lds") == Estimate.of(expected)
    assert got.share_of_optimum("lds").mean == np.mean(got.freshness[:, 1] / got.optimum)


def test_pages_drawn_for_each_repetition_have_an_optimum_each():
    got = compare(partial(paper_mix, 20), ["greedy"], 5.0, 10.0, repetitions=2, workers=1)
    assert got.optimum.tolist() == [recrawl.optimum(paper_mix(20, seed), 5.0).freshness for seed in (0, 1)]


def test_an_error_in_a_worker_comes_back_as_it_is():
    with pytest.raises(InputError, match="rate must be finite"):
        repeat(partial(_fails_after, 1), 4, workers=2)


def _fails_after(first, seed):
    return recrawl.simulate(paper_mix(3), rate=-1.0 if seed > first else 1.0, horizon=2.0).freshness


def test_a_bar_is_shown_on_a_terminal_only(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    shown, silent = Terminal(), io.StringIO()
    for stream in (shown, silent):
        monkeypatch.setattr("sys.stderr", stream)
        assert repeat(abs, 3, seed=-1, workers=1, label="worlds") == [1, 0, 1]
    assert "worlds" in shown.getvalue()
    assert silent.getvalue() == ""


def test_an_estimate_by_hand():
    assert Estimate.of([1.0, 3.0]) == Estimate(2.0, 1.0, 2)
    assert Estimate.of([4.0]).mean == 4.0
    assert math.isnan(Estimate.of([4.0]).standard_error)


def test_a_paired_difference_forgets_what_both_share():
    shared = np.random.default_rng(0).normal(size=50)
    got = paired_difference(shared + 0.25, shared)
    assert got.mean == pytest.approx(0.25, rel=1e-12)
    assert got.standard_error < 1e-15


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: compare(paper_mix(3), []), "policies must be a list of at least one"),
        (lambda: compare(paper_mix(3), "lds"), "policies must be a list of at least one, got 'lds'"),
        (lambda: compare(paper_mix(3), [lambda: 0, lambda: 1]), "must have different names, got <lambda> twice"),
        (lambda: compare(paper_mix(3), ["lds"], 1.0, 5.0, 1).of("uniform"), "policy must be one of lds, got 'uniform'"),
        (lambda: repeat(abs, 0), "repetitions must be a whole number >= 1, got 0"),
        (lambda: repeat(abs, 2, workers=0), "workers must be at least 1, got 0"),
        (lambda: Estimate.of([]), "values must be one number a repetition"),
        (lambda: paired_difference([1.0], [1.0, 2.0]), "others must be as many as values"),
    ],
)
def test_bad_input_is_refused(call, match):
    with pytest.raises(InputError, match=match):
        call()
