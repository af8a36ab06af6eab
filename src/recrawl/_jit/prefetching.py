"""Memory asked for before it is needed."""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from recrawl._jit.interpreting import called_as


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


prefetch_row = called_as(_prefetch_row, lambda _table, _row: None)
"""prefetch_row(table, row): ask for a row of a C-contiguous table of at most 64 bytes a row, without waiting for it.

Kernels that go over many random pages ask for the next ones while they work: a miss costs more than the work.
"""
