"""The page on fetching has every fault, every limit and the refused ranges as they are."""

import re
from pathlib import Path

from recrawl.fetch import FAULTS, Limits
from recrawl.fetch.addresses import _NOT_PUBLIC_6

PAGE = (Path(__file__).parents[2] / "docs" / "fetching.md").read_text(encoding="utf-8")


def table(heading):
    """The first column of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([a-z_-]+)` \|", section, re.MULTILINE)


def test_every_fault_is_there():
    assert table("Faults by name") == list(FAULTS)


def test_every_limit_is_there():
    assert table("Limits") == list(Limits.__dataclass_fields__)


def test_every_range_is_there():
    assert all(str(network) in PAGE for network in _NOT_PUBLIC_6)
