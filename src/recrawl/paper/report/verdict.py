"""Whether a claim holds in our numbers, point by point."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recrawl.sim.statistics import Estimate

REPLICATES = "replicates"
IN_PART = "replicates in part"
FAILS = "does not replicate"
UNDECIDED = "undecided"

ON_PAR = 0.005
"""Two freshnesses this near each other are on par: half a percentage point."""
LAST_DIGIT = 0.0005
"""Goals were set to three digits."""


@dataclass(frozen=True)
class Check:
    """One point of a claim, whether our numbers bear it out (None: they cannot tell), and those numbers."""

    claim: str
    holds: bool | None
    evidence: str

    @property
    def word(self) -> str:
        """What the report says of this point."""
        if self.holds is None:
            return UNDECIDED
        return "holds" if self.holds else "does not hold"


@dataclass(frozen=True)
class Verdict:
    """The checks of one figure. The word follows from them; nobody writes it by hand.

    >>> Verdict([Check("a", True, "1 > 0"), Check("b", False, "0 > 1 is wrong")]).word
    'replicates in part'
    """

    checks: Sequence[Check]

    @property
    def word(self) -> str:
        """All points hold, some do, or none; undecided where none fails and some cannot be told."""
        outcomes = [check.holds for check in self.checks]
        if all(outcomes):
            return REPLICATES
        if False not in outcomes:
            return UNDECIDED
        return IN_PART if True in outcomes else FAILS


def all_above(gains: Iterable[Estimate]) -> bool | None:
    """Whether every gain is above 0 by more than chance; no if one is below by more than chance, else None.

    >>> yes, perhaps, no = Estimate(1.0, 0.1, 100), Estimate(1.0, 0.9, 100), Estimate(-1.0, 0.1, 100)
    >>> all_above([yes]), all_above([yes, perhaps]), all_above([yes, no])
    (True, None, False)
    """
    gains = list(gains)
    if any(gain.below_zero for gain in gains):
        return False
    return True if all(gain.above_zero for gain in gains) else None


def none_above(gains: Iterable[Estimate]) -> bool | None:
    """Whether every gain is below 0 by more than chance; no if one is above by more than chance, else None."""
    return all_above(-gain for gain in gains)


def reaches(where: str, gain: Estimate, goal: float) -> Check:
    """Whether a gain over GREEDY is what an earlier trial found, to its last digit and two standard errors."""
    return Check(
        f"{where}: gains {goal:.3f} over GREEDY",
        gain.mean + 2.0 * gain.standard_error >= goal - LAST_DIGIT,
        f"It gains {gain}, and two standard errors are allowed.",
    )
