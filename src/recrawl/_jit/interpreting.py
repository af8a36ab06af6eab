"""Kernels run by Python itself: hundreds of times slower, but at once.

All kernels of a frontier take more than a minute to compile, on a machine where it never ran.  Who has some thousand
pages need not wait for that: kernels are plain Python on arrays, and Python can run them.  It decides the same.  Only
where numbers of 32 bits are read from arrays the last digits may differ, as numpy goes on with 32 bits and numba with
64.  So `interpret()`, have another process compile, and then `compiled()`.

Each kernel is an object that Python calls and that numba reads.  To interpret it, it is made an object of a class that
Python calls differently; numba sees no difference.  Kernels that are under way when `compiled` comes go on as they
are: those that only compiled code may call stay as they were, for them to call.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba.core.registry import CPUDispatcher

F = TypeVar("F", bound=Callable[..., Any])

_NEVER = ("recrawl.urls",)
"""Modules whose kernels count with 64 bits and wrap around, which Python's numbers do not.  They are few, and call no
others.  Where a single number must wrap, it is `wrapped` (numbers.py)."""

MANY = 5_000
"""Pages that are too many to be interpreted: adding one takes a millisecond, fetching it again thirty."""

_from_python: list[Any] = []
_inner: list[Any] = []
_off = threading.Event()
_off.set()
_lock = threading.RLock()


class _Interpreted(CPUDispatcher):
    """A kernel that Python runs."""

    def __call__(self, *arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # compiled code does not warn
            return self.py_func(*arguments)


def known(kernel: F, *, from_python: bool) -> F:
    """Keep a kernel in mind for `interpret`; `from_python` says whether Python may call it otherwise."""
    if can_be(cast("Any", kernel).py_func.__module__):
        with _lock:
            (_from_python if from_python else _inner).append(kernel)
            if not _off.is_set():
                cast("Any", kernel).__class__ = _Interpreted
    return kernel


def can_be(module: str) -> bool:
    """Whether kernels of this module can be interpreted."""
    return not module.startswith(_NEVER)


def all_known() -> tuple[Any, ...]:
    """All kernels that can be interpreted, of the modules that were imported so far."""
    with _lock:
        return (*_inner, *_from_python)


def interpret() -> None:
    """Have Python run all kernels from now on."""
    with _lock:
        _off.clear()
        for kernel in (*_inner, *_from_python):
            kernel.__class__ = _Interpreted


def compiled() -> None:
    """Have kernels compiled again, when they are called next."""
    with _lock:
        for kernel in _from_python:
            kernel.__class__ = CPUDispatcher
        _off.set()


def wait() -> None:
    """Until kernels are compiled, if they are being interpreted."""
    _off.wait()


def wait_if_many(pages: int) -> None:
    """`wait`, where interpreting would take longer than to wait."""
    if pages > MANY:
        wait()


def called_as(intrinsic: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """What numba makes instructions of, as what Python runs in place of it."""
    there: type = type(intrinsic)
    intrinsic.__class__ = type(there.__name__, (there,), {"__call__": lambda _, *arguments: function(*arguments)})
    return cast("Callable[..., Any]", intrinsic)
