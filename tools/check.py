"""Runs every gate in turn, and says which failed. Exit status 1 when one did.

``python tools/check.py`` runs all; names pick some: ``python tools/check.py types tests``.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

GATES = {
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "layers": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    "tests": ["-m", "pytest", "-n", "2", "--dist", "loadfile"],  # two workers; the tests of one file stay together
}


def run(name: str) -> tuple[bool, float]:
    """Run one gate with this interpreter; whether it passed, and how long it took."""
    shown = "lint-imports" if name == "layers" else " ".join(GATES[name][1:])
    print(f"\n== {name}: {shown}", flush=True)
    begun = time.perf_counter()
    status = subprocess.run([sys.executable, *GATES[name]], cwd=ROOT, check=False).returncode
    return status == 0, time.perf_counter() - begun


def main(names: list[str]) -> int:
    """Run the named gates, or all."""
    unknown = [name for name in names if name not in GATES]
    if unknown:
        print(f"unknown gate {unknown[0]!r}; known: {', '.join(GATES)}", file=sys.stderr)
        return 2
    results = {name: run(name) for name in names or GATES}
    print("\n== summary")
    for name, (passed, seconds) in results.items():
        print(f"{name:<8} {'passed' if passed else 'FAILED'} {seconds:8.1f} s")
    return 0 if all(passed for passed, _ in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
