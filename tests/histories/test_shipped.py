"""The history that comes with the package."""

from pathlib import Path

import numpy as np

from recrawl.histories import shipped
from recrawl.histories.shipped import STEM


def test_it_is_four_years_of_pages_that_come_change_and_go() -> None:
    history = shipped()
    history.check()
    assert 1460.0 < history.end <= 1461.0
    assert np.isfinite(history.removed).sum() > 100
    assert (history.created > 0.0).sum() > 1000


def test_it_is_small_and_credited() -> None:
    folder = Path(STEM).parent
    assert sum(file.stat().st_size for file in folder.iterdir()) < 100_000
    assert "CC-BY-4.0" in (folder / "CREDITS.md").read_text(encoding="utf-8")
