"""Cells of the report."""

from math import inf, nan

import pytest

from recrawl.real.report import _error, _limit, _share
from recrawl.real.rivals import NUTCH
from recrawl.real.trials import OURS


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (_share(0.5, NUTCH), ".500"),
        (_share(0.5, OURS), "**.500**"),
        (_share(nan, NUTCH), "-"),
        (_error(0.01), "±0.010"),
        (_error(nan), "-"),
        (_limit(2.5), "2.5"),
        (_limit(inf), "more"),
        (_limit(nan), "-"),
    ],
)
def test_what_is_no_number_is_a_dash(got: str, expected: str) -> None:
    assert got == expected
