"""Ctrl-C that always arrives, and says nothing of where it did."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_S = 0.3


@contextmanager
def interruptible() -> Iterator[None]:
    """An interrupt ends the block with KeyboardInterrupt, also one that comes at a moment at which Python loses it.

    Python drops what is raised in a finalizer or a callback of a weak reference, after a traceback; so the interrupt is
    raised again a moment later, unless it is being handled.  An extension module that is interrupted while it loads
    fails with an ImportError; whatever error an interrupt turned into, it leaves as an interrupt.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    seen = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        if not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            raise KeyboardInterrupt

    with _handled(interrupt), _unraisable_interrupts_unsaid():
        try:
            yield
        except Exception:
            if seen:
                raise KeyboardInterrupt from None
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)


@contextmanager
def _handled(handler: "signal._HANDLER") -> Iterator[None]:
    """SIGINT, where it is not ignored, and the alarm that repeats it go to the handler."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGALRM)}
    signal.signal(signal.SIGALRM, handler)
    if before[signal.SIGINT] is signal.default_int_handler:
        signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def _unraisable_interrupts_unsaid() -> Iterator[None]:
    before = sys.unraisablehook

    def hook(args: "sys.UnraisableHookArgs") -> None:
        if not issubclass(args.exc_type, KeyboardInterrupt):
            before(args)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before
