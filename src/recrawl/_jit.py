"""The one place that calls numba.

``fastmath`` stays off: the kernels rely on infinities, on comparisons that NaN fails, and on sums whose order was
chosen.  ``error_model="numpy"`` makes 1/0 an infinity instead of an exception, ``nogil`` lets callers use threads, and
``cache`` keeps compiled code between runs (so: free functions on arrays, no jitclass).

numba drops a cached function when the file it stands in changes, but not when a function it *calls* changes in another
file: an edited or upgraded kernel would go on running in its old form.  So every cache is stamped with all files that
may be called: those of the function's own folder and of the folders below it in the layers.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_ROOT = Path(__file__).parent
_SHARED = ("model",)
"""Folders whose kernels are called from other folders."""


def jit(function: F) -> F:
    """Compile `function` at its first call, and keep the machine code between runs."""
    dispatcher = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")(function)
    cache_file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = _stamp(Path(function.__code__.co_filename).parent)
    return cast("F", dispatcher)


@cache
def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    folders = sorted({folder, *(_ROOT / name for name in _SHARED)})
    files = [Path(__file__), *(file for each in folders for file in sorted(each.glob("*.py")))]
    return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
