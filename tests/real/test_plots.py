"""Pictures of the report, on histories where there is little to see."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from recrawl.real import plots
from recrawl.real.found import Cell, Found
from recrawl.real.rivals import NUTCH, SHIPPED, SIGNALLED_FIRST, STORMCRAWLER, UNIFORM
from recrawl.real.settings import Setting
from recrawl.real.trials import OURS, TOLD, TOLD_RATES, Score

SETTING = Setting(None, pages=50, years=1.0)
OTHER = Setting(None, pages=50, years=0.5)
CELL = Cell(SETTING, 1.0, "equal", "fair")


def scores(ours: float, others: float, setting: Setting = SETTING) -> list[Score]:
    """Everybody as fresh as said, rivals at three budgets."""
    rules = [
        Score(setting, budget, "", "", name, SHIPPED, np.full(50, others))
        for name in (UNIFORM, NUTCH, STORMCRAWLER)
        for budget in (0.5, 1.0, 2.0)
    ]
    heard = [Score(setting, budget, "fair", "", SIGNALLED_FIRST, "", np.full(50, others)) for budget in (0.5, 1.0, 2.0)]
    told = [
        Score(setting, 1.0, "fair", "equal", name, "", np.full(50, fresh))
        for name, fresh in ((OURS, ours), (TOLD_RATES, others), (TOLD, others))
    ]
    return rules + heard + told


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
    table = Found(scores(ours, others))
    for draw in (plots.stale, plots.bandwidth):
        assert draw(table, [CELL]).startswith(b"\x89PNG")


def test_histories_of_other_levels_are_all_inside_the_picture() -> None:
    table = Found(scores(0.99999, 0.9) + scores(0.2, 0.1, OTHER))
    panels = Figure().subplots(1, 2, sharey=True)
    for panel, setting in zip(panels, (SETTING, OTHER), strict=True):
        plots._stale_panel(panel, table, [replace(CELL, setting=setting)])
    low, high = panels[0].get_ylim()
    assert low < 0.001 * 1.1
    assert high > 90.0


def test_nobody_is_ahead_by_rounding() -> None:
    table = Found(scores(1.0 - 1e-15, 1.0))
    lead = table.lead(CELL, UNIFORM)
    assert (lead.mean, lead.below_zero) == (0.0, False)
    assert str(table.need(CELL, UNIFORM)) == "≤ ×0.5"
