"""Pages of which none matters: one refusal, the same wherever they are given."""

from functools import partial

import pytest

import recrawl
from recrawl.cli.main import main
from recrawl.sim import compare

PAGES = recrawl.Pages.from_rates(change_rate=[1.0, 2.0], importance=0.0, recall=0.5)
REFUSAL = "importance must be positive for some page, got 0 for all 2 pages; leave it out where all matter alike"


@pytest.mark.parametrize(
    "call",
    [
        partial(recrawl.optimum, PAGES, 1.0),
        partial(recrawl.optimum, PAGES, 1.0, use_signals=False),
        partial(recrawl.simulate, PAGES, "greedy-ncis", 1.0, 5.0),
        partial(recrawl.simulate, PAGES, "uniform", 1.0, 5.0),
        partial(compare, PAGES, ["uniform"], 1.0, 5.0, workers=1),
    ],
    ids=["optimum", "baseline", "simulate", "simulate a rule", "compare"],
)
def test_calls_refuse_them(call):
    with pytest.raises(recrawl.InputError) as caught:
        call()
    assert (str(caught.value), caught.value.argument) == (REFUSAL, "importance")


@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_commands_refuse_them(command, tmp_path, capsys):
    path = tmp_path / "pages.csv"
    path.write_text("change_rate,importance\n1,0\n2,0\n", encoding="utf-8")
    assert main([command, str(path), "--rate", "1"]) == 2
    assert capsys.readouterr().err == f"recrawl: error: {REFUSAL}\n"


def test_no_pages_at_all_are_fresh():
    assert recrawl.optimum(PAGES[:0], 1.0).freshness == 1.0


def test_a_plan_whose_sample_missed_what_matters_uses_all_pages(monkeypatch):
    from recrawl.optimal import plan

    monkeypatch.setattr(plan, "SAMPLE_PAGES", 3)
    pages = recrawl.Pages.from_rates(change_rate=1.0, importance=[*[0.0] * 99, 1.0])
    assert plan._sample(pages)[0] is pages
