"""`Child`: a crawler of the demo in a process of its own, which is gone when who started it is."""

import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from recrawl.errors import RecrawlError

PATIENCE_S = 10.0
"""The machine's seconds that a process gets to end, when it is told to."""


class Child:
    """A process, and what it has said so far, by word."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.said: dict[str, Any] = {}
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "recrawl.demo.child", role, str(theirs.fileno())]
            # A session of its own: Ctrl-C in the terminal is for this process, which then ends that one.
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),), start_new_session=True
            )
        self.pipe = Connection(ours.detach())

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def tell(self, word: str, what: Any = None) -> None:
        """Send a message."""
        try:
            self.pipe.send((word, what))
        except OSError as error:
            raise RecrawlError(f"the process of {self.role} has ended; what it printed says why") from error

    def hear(self) -> None:
        """Read all that it has said."""
        while self.pipe.poll():
            try:
                word, what = self.pipe.recv()
            except (EOFError, OSError) as error:
                raise RecrawlError(f"the process of {self.role} has ended; what it printed says why") from error
            if word == "failed":
                raise RecrawlError(f"the process of {self.role} failed: {what}")
            self.said[word] = what

    def stop(self) -> None:
        """End the process, and wait until it has."""
        with suppress(OSError):
            self.pipe.send(("stop", None))
        self.pipe.close()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
