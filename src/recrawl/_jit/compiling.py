"""Kernels: functions that numba compiles.

``fastmath`` stays off: the kernels rely on infinities, on comparisons that NaN fails, and on sums whose order was
chosen.  ``error_model="numpy"`` makes 1/0 an infinity instead of an exception, ``nogil`` lets callers use threads, and
``cache`` keeps compiled code between runs (so: free functions on arrays, no jitclass).

numba drops a cached function when the file it stands in changes, but not when a function it *calls* changes in another
file: an edited or upgraded kernel would go on running in its old form.  So every cache is stamped with all files that
may be called: those of the function's own folder and of the folders below it in the layers, subfolders included.
"""

import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from recrawl._jit import interpreting

F = TypeVar("F", bound=Callable[..., Any])

_HERE = Path(__file__).parent
_ROOT = _HERE.parent
_SHARED = ("engine", "learn", "model")
"""Folders whose kernels are called from other folders."""


def jit(function: F) -> F:
    """Compile `function` at its first call, and keep the machine code between runs."""
    return _called_from_python(function, {})


def bare(function: F) -> F:
    """`jit` without the counting of references to arrays, for kernels that allocate none.

    Counting is atomic, and small kernels that call each other with half a dozen arrays spend half their time on it.
    """
    return _called_from_python(function, {"_nrt": False})


def inner(function: F) -> F:
    """`bare` for kernels that only compiled code calls: a call from Python is refused.

    What unpacks Python's arguments, a dozen arrays, takes longer to compile than most kernels themselves.
    """
    return _refused_to_python(function, {})


def inlined(function: F) -> F:
    """`inner` for kernels that become part of their callers.

    Arrays are passed as half a dozen words each, so a call that passes all of a page table costs 80 pushes: more than
    most small kernels do.  Left to itself the compiler takes such a call for too large to be worth it.
    """
    return _refused_to_python(function, {"forceinline": True})


def _refused_to_python(function: F, options: dict[str, bool]) -> F:
    wrappers = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = _compiled(function, {**wrappers, **options})

    def refuse(*_: Any, **__: Any) -> None:
        raise TypeError(f"{function.__qualname__} is called from compiled code only")

    # Python looks a call up among what was inserted, and asks for it to be compiled where it finds nothing.
    dispatcher._insert = lambda *_, **__: None
    dispatcher._compile_for_args = refuse
    return interpreting.known(cast("F", dispatcher), from_python=False)


def _called_from_python(function: F, options: dict[str, bool]) -> F:
    dispatcher: Any = _compiled(function, options)
    compile_for_args = dispatcher._compile_for_args

    def compile_all(*arguments: Any, **more: Any) -> Any:
        _by_address_first(function.__module__)
        return compile_for_args(*arguments, **more)

    dispatcher._compile_for_args = compile_all
    return interpreting.known(cast("F", dispatcher), from_python=True)


def _compiled(function: F, options: dict[str, bool]) -> F:
    njit: Any = numba.njit  # its types do not know of _nrt
    options = {"forceinline": False, **options}  # said to each kernel: unsaid, it is inherited from the caller
    dispatcher = njit(cache=True, nogil=True, fastmath=False, error_model="numpy", **options)(function)
    stamped(dispatcher, function)
    return cast("F", dispatcher)


_waiting: list[Callable[[], None]] = []
_lock = threading.RLock()


def before_others(compile_it: Callable[[], None]) -> None:
    """Have something compiled before the first kernel that may call it.  Not at once: an import should be quick."""
    _waiting.append(compile_it)


def _by_address_first(module: str) -> None:
    if interpreting.can_be(module):  # others call nothing by its address
        with _lock:
            while _waiting:
                _waiting[0]()
                _waiting.pop(0)


def is_kept(kernel: Any) -> bool:
    """Whether compiled code of a kernel, as it is now, is kept on this machine."""
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return file is not None and bool(file._load_index())


def stamped(compiled: Any, function: Callable[..., Any]) -> None:
    """Keep compiled code only as long as no file changes that it may come from."""
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = _stamp(Path(function.__code__.co_filename).parent)


@cache
def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    folders = {folder, _HERE, *(_ROOT / name for name in _SHARED)}
    files = sorted({file for each in folders for file in each.rglob("*.py")})
    return tuple((os.path.relpath(file, folder), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


class _Notice(event.Listener):
    """Says once, on a terminal, that code is being compiled: the first run on a machine is slow, and only that."""

    said = False

    def on_start(self, event: Any) -> None:
        module = getattr(getattr(event.data.get("dispatcher"), "py_func", None), "__module__", "")
        if not self.said and module.startswith("recrawl") and sys.stderr is not None and sys.stderr.isatty():
            self.said = True
            sys.stderr.write("recrawl: compiling for this machine, once (up to half a minute)\n")

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Notice())
