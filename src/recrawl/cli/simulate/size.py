"""Whether a simulation will fit and how long it will take, said before it begins."""

from dataclasses import replace

from recrawl.cli.numbers import rate_text
from recrawl.cli.simulate.memory import free_bytes
from recrawl.cli.simulate.runs import Setting
from recrawl.errors import InfeasibleError
from recrawl.model import Pages
from recrawl.sim.cost import Size, at_once, seconds
from recrawl.sim.workers import available_workers
from recrawl.sim.world import MOST_EVENTS

LONG_S = 60.0
"""A simulation that takes longer is announced."""
USED = 0.9
"""Share of the free memory that may be used: other programs go on."""
LEAST_CRAWLS_A_PAGE = 2.0
"""A shorter horizon than this allows says nothing of a steady state, and is not offered."""


def announce(pages: Pages, setting: Setting) -> list[str]:
    """Notes on a simulation that will be long; one that will not fit into memory is refused, with what would."""
    workers = setting.workers or available_workers()
    size = _size(pages, setting)
    _check_events(size, setting)
    needed, free = size.bytes(setting.policies) * at_once(setting.repetitions, workers), free_bytes()
    if free is not None and needed > USED * free:
        raise InfeasibleError(
            f"this needs about {_gigabytes(needed)} of memory, more than the {_gigabytes(free)} that are free; "
            + _offer(pages, setting, workers, USED * free)
        )
    took = seconds(size, setting.policies, setting.repetitions, workers)
    if took < LONG_S:
        return []
    note = (
        f"{size.crawls:,.0f} crawls and {size.changes + size.signals:,.0f} events a run will take about "
        f"{_duration(took)} and {_gigabytes(needed)} of memory; a shorter --horizon takes less"
    )
    return [note]


def _check_events(size: Size, setting: Setting) -> None:
    """Refuse more events than a world may have, with the horizon at which they fit."""
    most = max(size.changes, size.signals)
    if setting.trace is None and most > MOST_EVENTS:
        fitting = rate_text(0.95 * setting.horizon * MOST_EVENTS / most).replace(",", "")
        raise InfeasibleError(
            f"this has {most:.2g} changes or signals by {rate_text(setting.horizon)}, more than the {MOST_EVENTS:.0e} "
            f"that a run may have; --horizon {fitting} would fit, or fewer pages"
        )


def _size(pages: Pages, setting: Setting) -> Size:
    if setting.trace is not None:
        return Size.of_trace(setting.trace, setting.rate, setting.horizon)
    return Size.expected(pages, setting.rate, setting.horizon)


def _offer(pages: Pages, setting: Setting, workers: int, room: float) -> str:
    """What would fit: fewer workers, else a shorter horizon, else fewer pages."""
    whole = _size(pages, setting).bytes(setting.policies)
    if whole <= room:
        fitting = min(int(room // whole), workers - 1)
        return f"--workers {fitting} needs about {_gigabytes(fitting * whole)}"
    if setting.trace is not None:
        return "cut the trace, or leave pages out"
    horizon = _fitting_horizon(pages, setting, room)
    if horizon * setting.rate >= LEAST_CRAWLS_A_PAGE * len(pages):
        return f"--workers 1 --horizon {rate_text(horizon).replace(',', '')} would fit"
    count = int(len(pages) * room / whole)
    rate = setting.rate * count / len(pages)
    return f"a sample of {count:,} pages with --workers 1 --rate {rate_text(rate).replace(',', '')} would fit"


def _fitting_horizon(pages: Pages, setting: Setting, room: float) -> float:
    low, high = 0.0, setting.horizon
    for _ in range(20):  # to a millionth
        middle = 0.5 * (low + high)
        fits = _size(pages, replace(setting, horizon=middle)).bytes(setting.policies) <= room
        low, high = (middle, high) if fits else (low, middle)
    return low


def _gigabytes(size: float) -> str:
    """Memory for people.

    >>> _gigabytes(2.34e9), _gigabytes(45.6e9)
    ('2.3 GB', '46 GB')
    """
    return f"{size / 1e9:.2g} GB" if size < 100e9 else f"{size / 1e9:,.0f} GB"


def _duration(took: float) -> str:
    """Seconds for people, as roughly as they are known.

    >>> _duration(130.0), _duration(9000.0)
    ('2 minutes', '2.5 hours')
    """
    return f"{took / 60.0:.0f} minutes" if took < 5400.0 else f"{took / 3600.0:.2g} hours"
