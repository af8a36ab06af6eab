"""What a frontier is asked for when it is made."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Self

from recrawl.arguments import above, at_least_0, between, whole_number
from recrawl.frontier.kept.rate import checked_rate


@dataclass(frozen=True)
class Settings:
    """Everything that is not said of a page.  Times are in seconds."""

    rate: float | None = None
    """Pages a second; None for no limit."""
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
    explore: float = 300.0
    """For how many rounds what a look teaches is expected to pay (see Learner)."""
    refresh_slice: int = 2000
    """Pages looked at in one call when expectations are learned anew."""
    spread: int = 2500
    """Pages that get new expectations in one call at most."""

    def __post_init__(self) -> None:
        checked_rate(self.rate)
        at_least_0("gap", self.gap)
        if self.max_in_flight is not None:
            whole_number("max_in_flight", self.max_in_flight, 1)
        above("lease", self.lease, 0.0, finite=True)
        if self.discovery is not None:
            between("discovery", self.discovery, 0.0, 1.0)
        above("half_life", self.half_life, 0.0)
        at_least_0("explore", self.explore)
        whole_number("refresh_slice", self.refresh_slice, 1)
        whole_number("spread", self.spread, 1)

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
