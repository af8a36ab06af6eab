"""The examples run, and print what they say they print."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_prints_what_it_says(example):
    said = ast.get_docstring(ast.parse(example.read_text()))
    expected = [line.strip() for line in said.split("Prints:\n\n")[1].split("\n\n")[0].splitlines()]
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True, timeout=300)
    assert [line.rstrip() for line in done.stdout.splitlines()] == expected


def test_there_are_examples():
    assert len(EXAMPLES) >= 3
