"""What a frontier is asked for when it is made."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

from recrawl.arguments import above, at_least_0, between, whole_number
from recrawl.frontier.kept.rate import WINDOW, checked_rate


@dataclass(frozen=True)
class Settings:
    """Everything that is not said of a page.  Times are in seconds."""

    rate: float | None = None
    """Pages a second; None for no limit."""
    window: float = WINDOW
    """The shortest stretch of time that the rate is promised for; what nobody asked for within it is lost."""
    gap: float = 0.0
    """Between two fetches of one host, unless said otherwise of the host."""
    max_in_flight: int | None = None
    """Pages of one host leased at once, unless said otherwise of the host."""
    lease: float = 300.0
    """How long a lease lasts, unless said otherwise when leasing."""
    discovery: float | None = None
    """The share of leases kept for pages never fetched; None: they compete with the others by their value."""
    half_life: float = math.inf
    """After which what was learned counts half; for pages whose habits change."""
    explore: float = 100.0
    """For how many rounds, at most, what a look teaches is expected to pay (see Learner)."""
    refresh_slice: int = 500
    """Pages looked at in one call when expectations are learned anew."""
    spread: int = 2500
    """Pages that get new expectations in one call at most."""

    def __post_init__(self) -> None:
        checked = {
            "rate": None if self.rate is None else checked_rate(self.rate),
            "window": above("window", self.window, 0.0, finite=True),
            "gap": at_least_0("gap", self.gap),
            "max_in_flight": None
            if self.max_in_flight is None
            else whole_number("max_in_flight", self.max_in_flight, 1),
            "lease": above("lease", self.lease, 0.0, finite=True),
            "discovery": None if self.discovery is None else between("discovery", self.discovery, 0.0, 1.0),
            "half_life": above("half_life", self.half_life, 0.0),
            "explore": at_least_0("explore", self.explore),
            "refresh_slice": whole_number("refresh_slice", self.refresh_slice, 1),
            "spread": whole_number("spread", self.spread, 1),
        }
        for name, value in checked.items():  # numpy's numbers are no JSON
            object.__setattr__(self, name, value)

    def plain(self) -> dict[str, Any]:
        """As values JSON knows."""
        fields = asdict(self)
        fields["half_life"] = None if self.half_life == math.inf else self.half_life
        return fields

    @classmethod
    def from_plain(cls, fields: dict[str, Any]) -> Self:
        """What `plain` gave; fields of a later version that this one does not know are left out."""
        known = {name: fields[name] for name in cls.__dataclass_fields__ if name in fields}
        known["half_life"] = math.inf if known.get("half_life") is None else known["half_life"]
        return cls(**known)
