"""How a process that crawls uses memory: what was freed is kept, and what stays is not looked through for garbage.

1. Parsing a page takes some hundred kilobytes for a moment.  glibc gives them back to the system each time, and the
   system has to clear them for the next page: that took four times as long as the parsing itself.  So up to
   KEPT_BYTES are kept.
2. Python looks for circles of garbage among all objects there are.  Compiled kernels and imported modules are hundreds
   of thousands, and they stay: they are left out while a crawler runs.
"""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

KEPT_BYTES = 8 << 20
"""Free memory at the end of the heap that is not given back."""
OWN_BYTES = 512 << 10
"""Pieces from this size on are taken from the system one by one, and given back."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Of glibc's malloc.h."""


@contextmanager
def settled() -> Iterator[None]:
    """While this lasts, what there was before is not looked through for garbage; freed memory is kept from now on."""
    _keep_freed()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _keep_freed() -> None:
    """Other libraries than glibc know nothing of this, and need it less."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, OWN_BYTES)
