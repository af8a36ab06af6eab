"""`recrawl serve` as a process, as users start it: what it costs is that process's alone."""

import os
import subprocess
import sys
from types import TracebackType
from typing import Self

from recrawl.clock import cpu_seconds_of, seconds

PATIENCE_S = 600.0
"""For the end of a server, which writes all down."""


class Served:
    """A service on a folder, on loopback."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.start()

    def start(self) -> float:
        """Begin; seconds until it listens."""
        begun = seconds()
        argv = [sys.executable, "-m", "recrawl", "serve", "--data", self._folder, "--listen", "127.0.0.1:0"]
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, encoding="utf-8")
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        if not said:
            raise RuntimeError(f"recrawl serve ended with status {self._process.wait()}")
        self.host, port = said.split("//")[1].strip().rsplit(":", 1)
        self.port = int(port)
        return seconds() - begun

    @property
    def cpu(self) -> float:
        """Seconds that it has computed for."""
        return cpu_seconds_of(self._process.pid)

    @property
    def resident_bytes(self) -> int:
        """Memory that it holds."""
        with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def kill(self) -> None:
        """End it at once (SIGKILL)."""
        self._process.kill()
        self._ended()

    def stop(self) -> None:
        """Let it finish (SIGTERM)."""
        self._process.terminate()
        self._ended()

    def _ended(self) -> None:
        self._process.wait(PATIENCE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
