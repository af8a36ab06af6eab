"""All that a learner knows as named columns, and in one file."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recrawl.errors import InputError
from recrawl.learn.online.layout import (
    CHOSEN,
    HOST_COUNT,
    KIND_ROOM,
    PAGE_COUNT,
    PER_PAGE,
    SIDE,
    Memory,
    empty_memory,
)
from recrawl.learn.online.older import JOB, brought_up
from recrawl.learn.online.refreshing import IDLE, PHASE, TAKEN, Job, idle_job
from recrawl.learn.online.sampling import sample_size
from recrawl.roomy import longer
from recrawl.state_file import StateFormat

_FORMAT = StateFormat(b"RCLEARN\0", 5, "learner")
_FIXED = ("types", "weights", "before", "numbers")
_SIDES = ("pools", "sizes")
_BY_HOST = ("watch", "hits")
_OTHER = "next_"

Columns = dict[str, NDArray[Any]]


def columns(memory: Memory, job: Job) -> Columns:
    """Views of what is in use; the other side of pools only while a refresh is under way."""
    pages, hosts, pools, side, chosen = _sizes(memory.numbers, job.state)
    found = {name: getattr(memory, name)[:pages] for name in PER_PAGE}
    found |= {name: getattr(memory, name) for name in _FIXED}
    found |= {name: getattr(memory, name)[:pools, side] for name in _SIDES}
    found["sample"] = memory.sample[:chosen]
    found |= {name: getattr(memory, name)[: 1 + hosts] for name in _BY_HOST}
    found |= {JOB + name: array for name, array in job._asdict().items()}
    if job.state[PHASE] != IDLE:
        found |= {_OTHER + name: getattr(memory, name)[:pools, 1 - side] for name in _SIDES}
        found["tally"] = memory.tally[: 1 + hosts]
    return found


def restored(given: Mapping[str, NDArray[Any]]) -> tuple[Memory, Job]:
    """Memory and job with copies of what `columns` gave, with room to grow behind them."""
    given = brought_up(given)
    memory, job = empty_memory(), idle_job()
    for name, array in job._asdict().items():
        _fill(array, given, JOB + name)
    for name in _FIXED:
        _fill(getattr(memory, name), given, name)
    pages, hosts, pools, side, chosen = _sizes(memory.numbers, job.state)
    most = sample_size(hosts)
    rows = dict.fromkeys(PER_PAGE, pages) | dict.fromkeys(_SIDES, pools)
    rows |= {"sample": max(chosen, most if pages > most else 0)} | dict.fromkeys(("tally", *_BY_HOST), 1 + hosts)
    memory = memory._replace(**{name: longer(getattr(memory, name), n) for name, n in rows.items()})
    for name in PER_PAGE:
        _fill(getattr(memory, name), given, name)
    _fill(memory.sample[:chosen], given, "sample")
    for name in _BY_HOST:
        _fill(getattr(memory, name), given, name)
    for name in _SIDES:
        _fill(getattr(memory, name)[:, side], given, name)
    if job.state[PHASE] != IDLE:
        for name in _SIDES:
            _fill(getattr(memory, name)[:, 1 - side], given, _OTHER + name)
        _fill(memory.tally, given, "tally")
    return memory, job


def _sizes(numbers: NDArray[np.float64], state: NDArray[np.float64]) -> tuple[int, int, int, int, int]:
    """Pages, hosts, pools, the side of pools in use, and pages in the sample, an unfinished one included."""
    hosts = int(numbers[HOST_COUNT])
    chosen = max(numbers[CHOSEN], state[TAKEN] if state[PHASE] != IDLE else 0.0)
    return int(numbers[PAGE_COUNT]), hosts, hosts + int(numbers[KIND_ROOM]), int(numbers[SIDE]), int(chosen)


def _fill(array: NDArray[Any], given: Mapping[str, NDArray[Any]], name: str) -> None:
    if name not in given:
        raise InputError(f"columns must be those of a learner, got none for {name}", argument="columns")
    if np.shape(given[name]) != array.shape:
        found = f"{name} of shape {np.shape(given[name])} instead of {array.shape}"
        raise InputError(f"columns must be those of a learner, got {found}", argument="columns")
    array[...] = given[name]


def save(path: str | os.PathLike[str], found: Columns) -> None:
    """Write all columns."""
    _FORMAT.save(path, {}, found)


def load(path: str | os.PathLike[str]) -> Columns:
    """Read what `save` wrote, or refuse it with a reason."""
    return _FORMAT.load(path)[1]
