"""Where a report comes from: command, commit, machine, versions."""

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

from recrawl import __version__

UNKNOWN = "not known (not run from a git clone)"


@dataclass(frozen=True)
class Provenance:
    """What somebody needs in order to get the same numbers again."""

    command: str
    commit: str
    seed: int
    machine: str
    software: str

    def lines(self) -> list[tuple[str, str]]:
        """Name and value, in the order of the report."""
        return [
            ("command", self.command),
            ("commit", self.commit),
            ("seed", str(self.seed)),
            ("machine", self.machine),
            ("software", self.software),
        ]


def provenance(command: str, seed: int) -> Provenance:
    """Look at this process and the clone it runs from."""
    import numba
    import numpy as np
    import scipy

    software = (
        f"recrawl {__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"scipy {scipy.__version__}, numba {numba.__version__}"
    )
    return Provenance(command, _commit(Path(__file__).parent), seed, _machine(), software)


def _commit(folder: Path) -> str:
    """HEAD of the clone this package stands in; changes of the source since are said."""
    head = _git(folder, "rev-parse", "HEAD")
    if head is None:
        return UNKNOWN
    changed = _git(folder, "status", "--porcelain", "--", str(folder.parent))
    return f"{head} with uncommitted changes" if changed else head


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _machine() -> str:
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "processor not known"
