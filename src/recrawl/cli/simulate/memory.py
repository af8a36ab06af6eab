"""How much memory is free."""

from pathlib import Path

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")
"""Where the limits of a container stand, in the newer layout and in the older one below it."""

_LIMITS = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))


def free_bytes() -> float | None:
    """Memory that this process could still take; None where the system does not say."""
    known = [_meminfo(), *(_left(GROUP / limit, GROUP / used) for limit, used in _LIMITS)]
    return min((value for value in known if value is not None), default=None)


def _meminfo() -> float | None:
    try:
        for line in MEMINFO.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024.0
    except (OSError, ValueError, IndexError):
        pass
    return None


def _left(limit: Path, used: Path) -> float | None:
    try:
        return float(limit.read_text("ascii")) - float(used.read_text("ascii"))  # "max" is no number, and no limit
    except (OSError, ValueError):
        return None
