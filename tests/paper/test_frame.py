import csv
import math
import re

import numpy as np
import pytest

from recrawl.bench.mix import paper_mix
from recrawl.errors import InputError
from recrawl.paper import catalogue
from recrawl.paper.report import document, plots, table
from recrawl.paper.report.provenance import Provenance
from recrawl.paper.report.result import Result
from recrawl.paper.report.verdict import Check, Verdict, all_above, none_above
from recrawl.paper.settings import Settings
from recrawl.paper.trials import instances, signal_quality
from recrawl.paper.trials.parallel import each
from recrawl.sim.statistics import Estimate, paired_difference

ORIGIN = Provenance("recrawl reproduce x", "abc", 3, "a machine", "some software")


def check(holds):
    return Check("a <claim>", holds, "1 & 2.")


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ([True, True], "replicates"),
        ([True, False], "replicates in part"),
        ([False, False], "does not replicate"),
        ([True, None], "undecided"),
        ([None, None], "undecided"),
        ([True, None, False], "replicates in part"),
        ([None, False], "does not replicate"),
    ],
)
def test_the_word_follows_from_the_checks(held, expected):
    assert Verdict([check(h) for h in held]).word == expected


@pytest.mark.parametrize(
    ("values", "above", "none"),
    [([1.0, 1.1, 0.9, 1.0], True, False), ([-1.0, -1.1, -0.9, -1.0], False, True), ([1.0, -1.0, 2.0], None, None)],
)
def test_what_is_significant_neither_way_is_undecided(values, above, none):
    assert (all_above([Estimate.of(values)]), none_above([Estimate.of(values)])) == (above, none)


def test_one_difference_the_other_way_decides_and_one_repetition_does_not():
    sure, other, single = Estimate.exact(1.0), Estimate.exact(-1.0), Estimate.of([1.0])
    assert (all_above([sure, single, other]), all_above([sure, single])) == (False, None)


def test_estimates():
    got = Estimate.of([1.0, 3.0])
    assert (got.mean, got.standard_error, got.repetitions) == (2.0, 1.0, 2)


def test_one_repetition_has_no_error_and_proves_nothing():
    got = Estimate.of([5.0])
    assert math.isnan(got.standard_error)
    assert not got.above_zero
    assert not got.below_zero


def test_pairing_cancels_what_is_shared():
    world = np.random.default_rng(0).normal(0.0, 10.0, 50)
    got = paired_difference(world + 0.1, world)
    assert got.above_zero
    assert got.mean == pytest.approx(0.1)


def test_noise_is_called_significant_as_often_as_it_says():
    # Seed 0, 4,000 draws of 5 repetitions: 40 false alarms expected; beyond 70 has probability 1e-5.
    draws = np.random.default_rng(0).normal(size=(4_000, 5))
    assert 15 < sum(Estimate.of(d).above_zero for d in draws) < 70


def test_exact_numbers_are_certain():
    assert Estimate.exact(0.2).above_zero
    assert not Estimate.exact(0.0).above_zero
    assert Estimate.exact(-0.2).below_zero


def test_settings_refuse_nonsense():
    for options, argument in (({"repetitions": 0}, "repetitions"), ({"seed": -1}, "seed"), ({"workers": 0}, "workers")):
        with pytest.raises(InputError, match=f"^{argument} must") as caught:
            Settings(**options)
        assert caught.value.argument == argument


def test_page_counts_keep_the_smallest():
    assert Settings(most_pages=10).page_counts([100, 500]) == [100]
    assert Settings(most_pages=500).page_counts([100, 500, 1_000]) == [100, 500]
    assert Settings().page_counts([100, 500]) == [100, 500]


def test_instances_of_one_seed_differ_in_their_signals_only():
    silent, partial, noisy = (instances.draw(kind, 50, 7) for kind in ("silent", "partial", "noisy"))
    for other in (partial, noisy):
        # Rates come back from alpha and gamma: a rounding or two.
        assert other.change_rate == pytest.approx(silent.change_rate, rel=1e-12)
        assert other.importance.tolist() == silent.importance.tolist()
    assert silent.signal_rate.max() == 0.0
    assert partial.false_signal_rate.max() == 0.0
    assert noisy.false_signal_rate.min() >= 0.1 * (1.0 - 1e-12)


def test_the_noisy_instance_is_the_mix_of_the_benchmarks():
    got, expected = instances.noisy(20, 3), paper_mix(20, 3)
    assert [c.tolist() for c in got.columns] == [c.tolist() for c in expected.columns]


def test_top_pages_are_the_ones_cis_plus_trusts():
    rng = np.random.default_rng(0)
    top = rng.uniform(size=20_000) < 0.05
    precision, recall = signal_quality.draw_quality(rng, top)
    assert ((precision > 0.7) & (recall > 0.6)).tolist() == top.tolist()


def test_corruption_mixes():
    half = np.array([0.5])
    assert signal_quality.corrupt(half, 0.0, np.array([1.0])).tolist() == [0.5]
    assert signal_quality.corrupt(half, 0.2, np.array([1.0])) == pytest.approx([0.6])


def square(x):
    return x * x


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_in_order_and_progress_is_told(workers):
    told = []
    settings = Settings(workers=workers, watch=lambda done, total: told.append((done, total)))
    assert each(square, [3, 1, 2], settings) == [9, 1, 4]
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_unknown_figures_are_refused_by_name():
    with pytest.raises(InputError, match="unknown figure 'nosiy'; known: value, discrete"):
        catalogue.get("nosiy")


@pytest.mark.parametrize("name", catalogue.NAMES)
def test_every_figure_has_a_module_with_words(name):
    figure = catalogue.get(name)
    assert figure.TITLE
    assert len(figure.PAPER) > 40
    assert callable(figure.run)


def rows(n=2):
    return [{"policy": f"p{i}", "mean": i / 3, "standard_error": 0.01, "repetitions": 4} for i in range(n)]


def test_csv_has_mean_and_standard_error(tmp_path):
    table.write(
        tmp_path / "t.csv", [*rows(), {"policy": "one", "mean": 1.0, "standard_error": math.nan, "repetitions": 1}]
    )
    with (tmp_path / "t.csv").open() as file:
        got = list(csv.DictReader(file))
    assert list(got[0]) == ["policy", "mean", "standard_error", "repetitions"]
    assert float(got[1]["mean"]) == pytest.approx(1 / 3, abs=1e-9)
    assert got[2]["standard_error"] == ""


@pytest.mark.parametrize("bad", [[], [{"mean": 1.0}], [*rows(1), {"other": 1, **rows(1)[0]}]])
def test_tables_without_the_columns_are_refused(bad):
    with pytest.raises(ValueError, match=r"row|columns"):
        table.check(bad)


def result(label=None):
    return Result(
        rows(40), Verdict([check(True), check(False)]), lambda f: f.subplots().plot([1, 2]), "s", ["n"], label
    )


@pytest.fixture
def section():
    return document.section("x", "A <title>", "What the paper shows.", result(), 1.5)


def test_html_is_self_contained(section):
    got = document.as_html(ORIGIN, [section])
    assert "data:image/png;base64," in got
    # Nothing is fetched: every source is inline and every link stays within the page.
    assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', got) == []
    assert "url(" not in got
    assert all(
        word in got for word in ("recrawl reproduce x", "abc", "a machine", "A &lt;title&gt;", "a &lt;claim&gt;")
    )


def test_markdown_says_what_held_and_what_did_not(section):
    got = document.as_markdown(ORIGIN, [section])
    assert "- holds: a <claim>. 1 & 2." in got
    assert "- **does not hold**: a <claim>." in got
    assert "Verdict: **replicates in part**" in got
    assert "10 more rows. All rows: [x.csv](x.csv)." in got


def test_few_repetitions_are_pointed_out(section):
    assert document.FEW_WARNING in document.as_markdown(ORIGIN, [section])
    assert document.FEW_WARNING in document.as_html(ORIGIN, [section])


def test_a_stand_in_is_labelled_in_the_plot():
    seen = []

    def draw(figure):
        seen.append(figure)

    plots.png(Result(rows(), Verdict([check(True)]), draw, "s", label="synthetic stand-in"), "T")
    assert seen[0].get_suptitle() == "T [synthetic stand-in]"
