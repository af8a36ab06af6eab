"""An event loop whose time passes at once: it jumps to the next timer when there is nothing to do."""

import asyncio
import selectors


class _Jumping(selectors.DefaultSelector):
    def __init__(self):
        super().__init__()
        self.now = 0.0

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready and timeout:
            self.now += timeout
        elif not ready and timeout is None:
            raise RuntimeError("everybody waits, and nothing will ever happen")
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self):
        return self._jumping.now


class VirtualClock:
    """The clock of a VirtualLoop, `scale` times as fast."""

    def __init__(self, loop, scale=1.0, start=1e9):
        self._loop, self._scale, self._start = loop, scale, start

    def wall(self):
        return self._start + self.monotonic()

    def monotonic(self):
        return self._loop.time() * self._scale

    def real(self, seconds):
        return seconds / self._scale


def run(main, scale=1.0):
    """Run main(clock) in virtual time."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main(VirtualClock(loop, scale)))
    finally:
        loop.close()
