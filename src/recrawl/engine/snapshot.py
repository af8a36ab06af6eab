"""The whole state of a scheduler in one file (state_file.py)."""

from typing import TYPE_CHECKING, TypeVar

from recrawl.engine.beliefs import Beliefs
from recrawl.engine.core.layout import Core, with_room
from recrawl.model.sources import Sources
from recrawl.state_file import StateFormat

if TYPE_CHECKING:
    from recrawl.engine.scheduler import Scheduler

S = TypeVar("S", bound="Scheduler")

_FORMAT = StateFormat(b"RECRAWL\0", 9, "scheduler")


def save(path: str, scheduler: "Scheduler") -> None:
    """Write everything, atomically."""
    header = {
        "policy": scheduler.policy.name,
        "several_sources": scheduler._beliefs.several_sources,
        "quantum_pages": scheduler._quantum_pages,
        "coincidence": float(scheduler._coincidence),
    }
    arrays = dict(scheduler._core._asdict())
    arrays |= {
        "discard": scheduler._discard,
        "weights": scheduler._weights,
        "source_discard": scheduler._source_discard,
        "heard": scheduler._heard,
    }
    if (classes := scheduler._beliefs.classes) is not None:
        arrays |= {"recall": classes.recall, "false_per_change": classes.false_per_change}
    _FORMAT.save(path, header, arrays)


def load(path: str, cls: type[S]) -> S:
    """Read what `save` wrote, or refuse it with a reason."""
    header, arrays = _FORMAT.load(path)
    scheduler = cls.__new__(cls)
    sources: object = Sources(arrays["recall"], arrays["false_per_change"]) if "recall" in arrays else None
    scheduler._beliefs = Beliefs(header["policy"], arrays["weights"] if header["several_sources"] else sources)
    scheduler._coincidence = header["coincidence"]
    scheduler._quantum_pages = header["quantum_pages"]
    scheduler._core = Core(**{name: arrays[name] for name in Core._fields})
    scheduler._core = scheduler._core._replace(
        numbers=with_room(scheduler._core.numbers, 0, 0.0), links=with_room(scheduler._core.links, 0, 0)
    )
    scheduler._discard = arrays["discard"]
    scheduler._weights = arrays["weights"]
    scheduler._source_discard = arrays["source_discard"]
    scheduler._heard = arrays["heard"]
    return scheduler
