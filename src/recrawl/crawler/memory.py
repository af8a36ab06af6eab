"""How a process that crawls uses memory: what was freed is kept, and what stays is not looked through for garbage.

1. Parsing a page takes some hundred kilobytes for a moment.  glibc gives them back to the system each time, and the
   system has to clear them for the next page: that took four times as long as the parsing itself.  So up to
   KEPT_BYTES are kept.
2. Python looks for circles of garbage among all objects there are.  Compiled kernels and imported modules are hundreds
   of thousands, and they stay: they are left out while a crawler runs.
3. It looks each time there are 700 objects more than before.  What waits to be handed over is more than that, and no
   garbage: a seventh of the time of a crawl went into these looks.  So they come when there are LOOK_AFTER more.
"""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

KEPT_BYTES = 8 << 20
"""Free memory at the end of the heap that is not given back."""
OWN_BYTES = 512 << 10
"""Pieces from this size on are taken from the system one by one, and given back."""
LOOK_AFTER = 20_000
"""New objects after which garbage is looked for: some megabytes."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Of glibc's malloc.h."""


@contextmanager
def settled() -> Iterator[None]:
    """While this lasts, garbage is looked for seldom, and in new things only; freed memory is kept for good."""
    _keep_freed()
    young, *old = before = gc.get_threshold()
    gc.freeze()
    if young:  # 0: whoever embeds a crawler wants no looks at all
        gc.set_threshold(max(young, LOOK_AFTER), *old)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _keep_freed() -> None:
    """Other libraries than glibc know nothing of this, and need it less."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, OWN_BYTES)
