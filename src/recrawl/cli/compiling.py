"""What is said while kernels are loaded, or compiled where they never were: minutes in which nobody should wonder."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from recrawl import clock as clocks
from recrawl.cli.progress import Progress

COMPILING = "compiling kernels for this machine, once: about two minutes"
MEANWHILE = f"{COMPILING}; pages are fetched meanwhile, with more work for the processor"
BEFORE = f"{COMPILING}, longer where it is busy; nothing else is done before"
SLOW = "loading takes longer than usual: some kernels are compiled anew, once, for up to two minutes"
PATIENCE_S = 5.0
"""Seconds of loading after which it is said why nothing happens."""
LOOK_S = 2.0
"""Seconds between two looks at how far it is."""

Say = Callable[[str], None]


def load_kernels(say: Say, stream: TextIO) -> None:
    """`warm_up`, with a line that says so at once where it takes minutes; on a terminal also how far it is."""
    from recrawl.frontier.warming import compiled_share, is_compiled, warm_up

    if not is_compiled():
        say(BEFORE)
        shown, patience = COMPILING, None
    else:
        shown, patience = "loading", threading.Timer(PATIENCE_S, say, (SLOW,))
        patience.daemon = True
        patience.start()
    try:
        with Progress(stream) as progress, _looks(progress, shown, compiled_share, stream):
            warm_up()
    finally:
        if patience is not None:
            patience.cancel()


@contextmanager
def _looks(progress: Progress, shown: str, share: Callable[[], float], stream: TextIO) -> Iterator[None]:
    """Say now and then how far it is, where somebody looks on."""
    progress.stage(shown)
    if not stream.isatty():
        yield
        return
    done, began = threading.Event(), clocks.seconds()

    def look() -> None:
        while not done.wait(LOOK_S):
            progress.stage(f"{shown}: {share():.0%} after {clocks.seconds() - began:.0f} s")

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        done.set()
        looking.join()
