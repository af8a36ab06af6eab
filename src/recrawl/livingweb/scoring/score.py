"""`Score`: what the living web knows of a crawler at a moment."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Score:
    """How fresh the copies of a crawler were, how polite it was, and what it wasted.

    ================== =======================================================================================
    `agent`            the product token of its User-Agent
    `time`, `days`     seconds since the web began, of its clock, up to which this counts; and the same in days
    `freshness`        share of the time that copies were fresh, by importance, while pages are there
    `whole_days`       how long the web goes on in all; the timeline is that, in equal parts
    `fresh_now`        the same at this moment
    `timeline`         freshness in equal parts of the time of the web; NaN for those to come
    `by_host`          freshness of each host; hosts whose pages never can be had are missing
    `requests`         all of them
    `pages`            requests for pages that exist at some time; `useful`: those that brought a version it did
                       not have; `wasted`: answered 200 or 304, and it had that version; `first`: useful ones of
                       pages it had no copy of
    `kinds`            requests by what was asked for: page, robots, sitemap, feed, hub, key, home, trap, unknown
    `statuses`         answers by status; "none" where there was none
    `faults`           faults done to it, by name
    `disallowed`       requests that robots.txt forbids
    `too_soon`         requests sooner after the one before than the host's crawl-delay
    `gap`              shortest time between the beginnings of two requests of each host, in seconds of the web's
                       clock; hosts asked once are missing.  `shortest_gap`: the least of them
    `pause`            the same from the end of an answer to the next request
    `at_once`          most requests in flight of each host; `most_at_once`: the most of them
    `most_in_a_second` most requests in any second of the web's clock; `most_in_a_real_second`: of the machine's
    `bytes_sent`       of answers
    ================== =======================================================================================
    """

    agent: str
    time: float
    days: float
    freshness: float
    fresh_now: float
    whole_days: float = 0.0
    timeline: tuple[float, ...] = ()
    by_host: dict[str, float] = field(default_factory=dict)
    requests: int = 0
    pages: int = 0
    useful: int = 0
    wasted: int = 0
    first: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    disallowed: int = 0
    too_soon: int = 0
    gap: dict[str, float] = field(default_factory=dict)
    pause: dict[str, float] = field(default_factory=dict)
    at_once: dict[str, int] = field(default_factory=dict)
    most_in_a_second: int = 0
    most_in_a_real_second: int = 0
    bytes_sent: int = 0

    @property
    def shortest_gap(self) -> float:
        """The shortest gap at any host; inf where no host was asked twice."""
        return min(self.gap.values(), default=float("inf"))

    @property
    def most_at_once(self) -> int:
        """The most requests in flight at any host."""
        return max(self.at_once.values(), default=0)

    def as_json(self) -> dict[str, Any]:
        """Plain values; parts of the timeline that are to come are null."""
        out = asdict(self)
        out["timeline"] = [None if value != value else value for value in self.timeline]
        for name in ("freshness", "fresh_now"):
            out[name] = None if out[name] != out[name] else out[name]
        return out

    @classmethod
    def of_json(cls, given: dict[str, Any]) -> "Score":
        """The same again."""
        nan = float("nan")
        out = dict(given)
        out["timeline"] = tuple(nan if value is None else value for value in given["timeline"])
        for name in ("freshness", "fresh_now"):
            out[name] = nan if given[name] is None else given[name]
        return cls(**out)
