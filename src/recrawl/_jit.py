"""The one place that calls numba.

``fastmath`` stays off: the kernels rely on infinities, on comparisons that NaN fails, and on sums whose order was
chosen.  ``error_model="numpy"`` makes 1/0 an infinity instead of an exception, ``nogil`` lets callers use threads, and
``cache`` keeps compiled code between runs (so: free functions on arrays, no jitclass).

numba drops a cached function when the file it stands in changes, but not when a function it *calls* changes in another
file: an edited or upgraded kernel would go on running in its old form.  So every cache is stamped with all files that
may be called: those of the function's own folder and of the folders below it in the layers, subfolders included.
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, event, sigutils, types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

_ROOT = Path(__file__).parent
_SHARED = ("engine", "learn", "model")
"""Folders whose kernels are called from other folders."""


def jit(function: F) -> F:
    """Compile `function` at its first call, and keep the machine code between runs."""
    return _compiled(function, {})


def bare(function: F) -> F:
    """`jit` without the counting of references to arrays, for kernels that allocate none.

    Counting is atomic, and small kernels that call each other with half a dozen arrays spend half their time on it.
    """
    return _compiled(function, {"_nrt": False})


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
    return cast("F", dispatcher)


def _compiled(function: F, options: dict[str, bool]) -> F:
    njit: Any = numba.njit  # its types do not know of _nrt
    options = {"forceinline": False, **options}  # said to each kernel: unsaid, it is inherited from the caller
    dispatcher = njit(cache=True, nogil=True, fastmath=False, error_model="numpy", **options)(function)
    _stamped(dispatcher, function)
    return cast("F", dispatcher)


def opaque(function: F, arguments: str, like: Any = None) -> F:
    """`function` of numbers, compiled once and called from compiled code by its address.

    `arguments` has a letter for each: 'f' float, 'i' int, 'p' the `ctypes` of an array of floats, 't' `pointer_to` a
    tuple of arrays `like` that one.

    numba optimises all that a function calls once more with each caller; behind an address it leaves it alone, which
    makes large callers compile many times faster.
    """
    kinds: dict[str, Any] = {"f": types.float64, "i": types.int64, "p": types.CPointer(types.float64)}
    if like is not None:
        kinds["t"] = types.CPointer(numba.typeof(like))
    signature = types.float64(*(kinds[a] for a in arguments))
    normal: Any = sigutils.normalize_signature(signature)
    compiled: Any = CFunc(function, normal, locals={}, options={"error_model": "numpy", "_nrt": False})
    compiled.enable_caching()
    _stamped(compiled, function)
    compiled.compile()
    symbol = f"recrawl_{function.__module__.replace('.', '_')}_{function.__name__}"
    llvmlite.binding.add_symbol(symbol, compiled.address)
    return cast("F", types.ExternalFunction(symbol, signature))


@intrinsic
def _pointer_to(_context: Any, value: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = cgutils.alloca_once(builder, context.get_data_type(signature.args[0]))
        builder.store(context.data_model_manager[signature.args[0]].as_data(builder, arguments[0]), place)
        return place

    return types.CPointer(value)(value), generate


pointer_to = cast("Callable[[Any], Any]", _pointer_to)
"""pointer_to(arrays): where a copy of a tuple of arrays lies until the caller returns; pointer[0] is that copy.

The arrays themselves are not copied.  For `opaque`, which takes no tuples.
"""


@intrinsic
def _prefetch_row(_context: Any, array: Any, _row: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, table.strides)[0]
        start = builder.ptrtoint(table.data, stride.type)
        address = builder.add(start, builder.mul(arguments[1], stride))
        byte = ir.IntType(8).as_pointer()
        fetch = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, ir.IntType(32), ir.IntType(32), ir.IntType(32)]),
            "llvm.prefetch.p0i8",
        )
        read_and_write, keep, of_data = (ir.Constant(ir.IntType(32), flag) for flag in (1, 3, 1))
        builder.call(fetch, [builder.inttoptr(address, byte), read_and_write, keep, of_data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch_row = cast("Callable[[Any, int], None]", _prefetch_row)
"""prefetch_row(table, row): ask for a row of a C-contiguous table of at most 64 bytes a row, without waiting for it.

Kernels that go over many random pages ask for the next ones while they work: a miss costs more than the work.
"""


def is_kept(kernel: Any) -> bool:
    """Whether compiled code of a kernel, as it is now, is kept on this machine."""
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return file is not None and bool(file._load_index())


def _stamped(compiled: Any, function: Callable[..., Any]) -> None:
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = _stamp(Path(function.__code__.co_filename).parent)


@cache
def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    folders = {folder, *(_ROOT / name for name in _SHARED)}
    files = sorted({Path(__file__), *(file for each in folders for file in each.rglob("*.py"))})
    return tuple((os.path.relpath(file, folder), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


@inner
def wide(number: Any) -> int:
    """A link of 32 bits, or a constant, as a plain 64-bit number.

    numba compiles a kernel once for each kind of number it is called with.  Passing all of them as this one kind keeps
    it at once.
    """
    return int(np.int64(number))


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
