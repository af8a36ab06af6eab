"""The service as a process, for tests: `with Service(folder) as service: await service.connections(5)`."""

import os
import sys
import threading
from pathlib import Path

from recrawl.bench.talking import Connections
from recrawl.clock import cpu_seconds_of
from tests.processes import LIMIT_S, started

PROGRAM = """
import sys
from recrawl.server import {patched}
from recrawl.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


class Service:
    """`recrawl serve` on a folder; `patched` is Python that is run before, for limits that tests cannot wait for."""

    def __init__(self, folder: Path, *options: str, patched: str = "serving") -> None:
        argv = [sys.executable, "-c", PROGRAM.format(patched=patched), "serve", "--data", str(folder)]
        self._started = started([*argv, "--listen", "127.0.0.1:0", *options])

    def __enter__(self) -> "Service":
        self.program = self._started.__enter__()
        guard = threading.Timer(LIMIT_S, self.program.kill)
        guard.start()
        said = self.program.stdout.readline()
        guard.cancel()
        assert said.startswith("listening on"), self.program.stderr.read()
        self.port = int(said.rsplit(":", 1)[1])
        return self

    def __exit__(self, *error: object) -> None:
        self._started.__exit__(*error)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connections(self, n: int) -> Connections:
        return Connections("127.0.0.1", self.port, n)

    @property
    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.program.pid}/fd"))

    @property
    def resident_bytes(self) -> int:
        statm = Path(f"/proc/{self.program.pid}/statm").read_text(encoding="ascii")
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def cpu(self) -> float:
        return cpu_seconds_of(self.program.pid)
