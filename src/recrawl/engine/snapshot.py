"""The whole state of a scheduler in one file (state_file.py)."""

from typing import TYPE_CHECKING, TypeVar

from recrawl.engine.layout import Core, with_room
from recrawl.engine.settings import Beliefs
from recrawl.state_file import StateFormat

if TYPE_CHECKING:
    from recrawl.engine.scheduler import Scheduler

S = TypeVar("S", bound="Scheduler")

_FORMAT = StateFormat(b"RECRAWL\0", 2, "scheduler")


def save(path: str, scheduler: "Scheduler") -> None:
    """Write everything, atomically."""
    header = {
        "policy": scheduler.policy.name,
        "several_sources": scheduler._beliefs.several_sources,
        "quantum_pages": scheduler._quantum_pages,
    }
    arrays = dict(scheduler._core._asdict())
    arrays |= {
        "discard": scheduler._discard,
        "weights": scheduler._weights,
        "source_discard": scheduler._source_discard,
    }
    _FORMAT.save(path, header, arrays)


def load(path: str, cls: type[S]) -> S:
    """Read what `save` wrote, or refuse it with a reason."""
    header, arrays = _FORMAT.load(path)
    scheduler = cls.__new__(cls)
    scheduler._beliefs = Beliefs(header["policy"], header["several_sources"])
    scheduler._quantum_pages = header["quantum_pages"]
    scheduler._core = Core(**{name: arrays[name] for name in Core._fields})
    scheduler._core = scheduler._core._replace(
        numbers=with_room(scheduler._core.numbers, 0, 0.0), links=with_room(scheduler._core.links, 0, 0)
    )
    scheduler._discard = arrays["discard"]
    scheduler._weights = arrays["weights"]
    scheduler._source_discard = arrays["source_discard"]
    return scheduler
