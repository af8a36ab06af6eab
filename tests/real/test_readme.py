"""The README's table is that of the committed run."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_table_in_the_readme_is_that_of_the_committed_run() -> None:
    place = ROOT / "tools" / "real_in_readme.py"
    spec = importlib.util.spec_from_file_location("real_in_readme", place)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    found = tool.BLOCK.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    assert found[0] == tool.block(), "run tools/real_in_readme.py"
