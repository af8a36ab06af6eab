"""CONTRIBUTING.md shows the folders as they are."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "recrawl"


def shown():
    """Paths of the drawn tree under src/recrawl: two spaces of indent a level."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = re.search(r"^src/recrawl/\n((?:  .*\n)+)", text, re.MULTILINE)[1]
    parents, found = [], []
    for line in drawn.splitlines():
        indent, name = re.match(r"( +)(\S+) +\S", line).groups()
        parents = [*parents[: len(indent) // 2 - 1], name]
        found.append("".join(parents))
    return found


def folders():
    """The first two levels of packages."""
    inner = [*PACKAGE.glob("*/__init__.py"), *PACKAGE.glob("*/*/__init__.py")]
    return [f"{path.parent.relative_to(PACKAGE).as_posix()}/" for path in inner]


def test_the_folders_in_contributing_are_those_there_are():
    assert sorted(path for path in shown() if path.endswith("/")) == sorted(folders())


def test_the_files_in_contributing_are_those_at_the_top():
    assert sorted(path for path in shown() if path.endswith(".py")) == sorted(
        path.name for path in PACKAGE.glob("*.py")
    )
