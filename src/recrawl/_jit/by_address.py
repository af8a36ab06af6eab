"""Functions that compiled code calls by their address."""

import ctypes
from collections.abc import Callable
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
from numba.core import cgutils, sigutils, types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic, models, register_model

from recrawl._jit.compiling import before_others, stamped
from recrawl._jit.interpreting import called_as

F = TypeVar("F", bound=Callable[..., Any])

_FLOATS = ctypes.POINTER(ctypes.c_double)


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
    symbol = f"recrawl_{function.__module__.replace('.', '_')}_{function.__name__}"

    def compile_it() -> None:
        normal: Any = sigutils.normalize_signature(signature)
        compiled: Any = CFunc(function, normal, locals={}, options={"error_model": "numpy", "_nrt": False})
        compiled.enable_caching()
        stamped(compiled, function)
        compiled.compile()
        llvmlite.binding.add_symbol(symbol, compiled.address)
        external.compiled = compiled  # its code lives as long as it does

    external = _External(symbol, signature, function, arguments)
    before_others(compile_it)
    return cast("F", external)


class _External(types.ExternalFunction):
    """A function known by its address; called from Python, `function` itself."""

    def __init__(self, symbol: str, signature: Any, function: Callable[..., float], arguments: str) -> None:
        super().__init__(symbol, signature)
        self.function, self.arguments = function, arguments
        self.compiled: Any = None

    def __call__(self, *given: Any) -> float:  # type: ignore[override]
        kinds = zip(given, self.arguments, strict=True)
        return self.function(*(_pointer(argument) if kind == "p" else argument for argument, kind in kinds))


register_model(_External)(models.OpaqueModel)


def _pointer(array: Any) -> Any:
    """What compiled code sees of the `ctypes` of an array."""
    return array.data_as(_FLOATS) if hasattr(array, "data_as") else array


@intrinsic
def _pointer_to(_context: Any, value: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = cgutils.alloca_once(builder, context.get_data_type(signature.args[0]))
        builder.store(context.data_model_manager[signature.args[0]].as_data(builder, arguments[0]), place)
        return place

    return types.CPointer(value)(value), generate


pointer_to = called_as(_pointer_to, lambda value: (value,))
"""pointer_to(arrays): where a copy of a tuple of arrays lies until the caller returns; pointer[0] is that copy.

The arrays themselves are not copied.  For `opaque`, which takes no tuples.
"""
