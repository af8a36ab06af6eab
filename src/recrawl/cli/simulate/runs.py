"""The runs behind ``recrawl simulate``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recrawl.errors import InputError
from recrawl.files.cells import number
from recrawl.model import Pages
from recrawl.sim import Comparison, Constant, DrawnLatency, Exponential, Poisson, Run, Trace, compare, simulate
from recrawl.sim.rules import find_learning

CRAWLS, CRAWLS_A_PAGE = 100_000, 20
"""How many crawls a run takes: all in all, or for each page, whichever is more."""


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    rate: float
    policies: tuple[str, ...]
    horizon: float
    warmup: float | None
    repetitions: int
    seed: int
    latency: DrawnLatency | None
    discard: float
    believed_latency: str | DrawnLatency | None
    trace: Trace | None
    workers: int | None

    @property
    def measured_from(self) -> float:
        """The end of the warm-up."""
        return self.horizon / 5.0 if self.warmup is None else self.warmup


def compare_policies(pages: Pages, setting: Setting) -> Comparison:
    """Every policy in every world."""
    return compare(
        pages,
        setting.policies,
        repetitions=setting.repetitions,
        accuracy=setting.trace is not None,
        workers=setting.workers,
        **_common(setting),
    )


def first_run(pages: Pages, setting: Setting) -> Run:
    """The run of the first policy in the first world, once more."""
    return simulate(pages, setting.policies[0], **_common(setting))


def _common(setting: Setting) -> dict[str, Any]:
    return {
        "rate": setting.rate,
        "horizon": setting.horizon,
        "seed": setting.seed,
        "warmup": setting.measured_from,
        "latency": setting.latency,
        "discard": setting.discard,
        "believed_latency": setting.believed_latency,
        "trace": setting.trace,
    }


def checked_policies(names: Sequence[str]) -> tuple[str, ...]:
    """The policies, each known and named once."""
    for k, name in enumerate(names):
        find_learning(name)
        if name in names[:k]:
            raise InputError(f"--policy must not repeat, got {name} twice", argument="policy")
    return tuple(names)


def horizon(given: float | None, rate: float, pages: int, trace: Trace | None) -> float:
    """When runs end: as given, at the last event of the trace, or after as many crawls as show a steady state."""
    if given is not None:
        return given
    return float(trace.times[-1]) if trace is not None else max(CRAWLS, CRAWLS_A_PAGE * pages) / rate


def parse_latency(text: str | None, rate: float, option: str = "--latency") -> DrawnLatency | None:
    """A distribution from KIND:NUMBER.

    >>> parse_latency("exponential:0.5", rate=100.0)
    Exponential(mean=0.5)
    """
    if text is None:
        return None
    kind, _, value = text.partition(":")
    try:
        size = number(value)
    except ValueError:
        size = -1.0
    if kind not in ("constant", "exponential", "ticks") or not 0.0 <= size < float("inf"):
        raise InputError(
            f"{option} must be constant:D, exponential:MEAN or ticks:MEAN, got {text!r}; e.g. exponential:0.5",
            "latency",
        )
    if kind == "ticks":
        return Poisson.ticks(size, rate)
    return Constant(size) if kind == "constant" else Exponential(size)


def parse_believed(text: str | None, rate: float) -> str | DrawnLatency | None:
    """The same for what is believed, or "true"."""
    return text if text == "true" else parse_latency(text, rate, "--believed-latency")
