"""Pictures of the report, on histories where there is little to see."""

import numpy as np
import pytest

from recrawl.real import plots
from recrawl.real.found import Cell, Found
from recrawl.real.rivals import NUTCH, SHIPPED, SIGNALLED_FIRST, STORMCRAWLER, UNIFORM
from recrawl.real.settings import Setting
from recrawl.real.trials import OURS, TOLD, TOLD_RATES, Score

SETTING = Setting(None, pages=50, years=1.0)
CELL = Cell(SETTING, 1.0, "equal", "fair")


def found(ours: float, others: float) -> Found:
    """Everybody as fresh as said, at two budgets."""
    rules = [
        Score(SETTING, budget, "", "", name, SHIPPED, np.full(50, others))
        for name in (UNIFORM, NUTCH, STORMCRAWLER)
        for budget in (0.5, 1.0, 2.0)
    ]
    heard = [Score(SETTING, budget, "fair", "", SIGNALLED_FIRST, "", np.full(50, others)) for budget in (0.5, 1.0, 2.0)]
    told = [
        Score(SETTING, 1.0, "fair", "equal", name, "", np.full(50, fresh))
        for name, fresh in ((OURS, ours), (TOLD_RATES, others), (TOLD, others))
    ]
    return Found(rules + heard + told)


@pytest.mark.parametrize(
    ("ours", "others"),
    [
        (1.0, 1.0),  # pages that never change
        (1.0 + 1e-16, 1.0 - 1e-15),  # the same, but for rounding
        (0.0, 0.0),
        (0.5, 0.9),
        (1.0, 0.5),
    ],
)
def test_pictures_are_drawn_whatever_is_stale(ours: float, others: float) -> None:
    table = found(ours, others)
    for draw in (plots.stale, plots.bandwidth):
        assert draw(table, [CELL]).startswith(b"\x89PNG")


def test_nobody_is_ahead_by_rounding() -> None:
    table = found(1.0 - 1e-15, 1.0)
    lead = table.lead(CELL, UNIFORM)
    assert (lead.mean, lead.below_zero) == (0.0, False)
    assert str(table.need(CELL, UNIFORM)) == "≤ ×0.5"
