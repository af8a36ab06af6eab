"""Whether a claim holds in our numbers, point by point."""

from collections.abc import Sequence
from dataclasses import dataclass

REPLICATES = "replicates"
IN_PART = "replicates in part"
FAILS = "does not replicate"


@dataclass(frozen=True)
class Check:
    """One point of a claim, whether our numbers bear it out, and those numbers."""

    claim: str
    holds: bool
    evidence: str


@dataclass(frozen=True)
class Verdict:
    """The checks of one figure. The word follows from them; nobody writes it by hand.

    >>> Verdict([Check("a", True, "1 > 0"), Check("b", False, "0 > 1 is wrong")]).word
    'replicates in part'
    """

    checks: Sequence[Check]

    @property
    def word(self) -> str:
        """All points hold, some do, or none."""
        held = sum(check.holds for check in self.checks)
        if held == len(self.checks):
            return REPLICATES
        return IN_PART if held else FAILS
