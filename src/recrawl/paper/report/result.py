"""What a figure hands back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recrawl.paper.report.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, str | int | float]
"""One line of a table; the last columns are mean, standard_error and repetitions."""


@dataclass(frozen=True)
class Result:
    """Table, verdict and drawing of one figure.

    ``setting`` says what was run, ``notes`` which readings of the text were tried and what is odd, ``label`` is written
    across the plot where the data are not the paper's.
    """

    rows: Sequence[Row]
    verdict: Verdict
    draw: Callable[["Figure"], None]
    setting: str
    notes: Sequence[str] = field(default_factory=tuple)
    label: str | None = None
    size: tuple[float, float] = (7.0, 4.4)
