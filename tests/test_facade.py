import ast
import contextlib
import doctest
import io
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

import recrawl
from recrawl.cli.main import main
from recrawl.clock import ManualClock
from tests.client.served import Served

ROOT = Path(__file__).resolve().parent.parent
FACADE = ROOT / "src" / "recrawl" / "__init__.py"
SERVICE = "http://127.0.0.1:8700"
"""Examples that call it get one of their own, with a clock that stands still."""
HEAVY = ("numba", "scipy", "matplotlib", "pyarrow", "rich")


def test_all_is_what_is_exported():
    for name in recrawl.__all__:
        getattr(recrawl, name)
    # Submodules become attributes when something imports them; only these few are exported on purpose.
    got = {name for name, value in vars(recrawl).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    got -= {"TYPE_CHECKING", "import_module"}
    expected = set(recrawl.__all__) - {"__version__", "learn", "policies", "shards", "sim"}
    assert got == expected


def test_type_checkers_see_the_same_names():
    imported = set()
    for node in ast.walk(ast.parse(FACADE.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("recrawl"):
            imported |= {alias.name for alias in node.names}
    assert imported == set(recrawl.__all__) - {"__version__"}


def test_all_is_sorted_and_without_repeats():
    assert recrawl.__all__ == sorted(set(recrawl.__all__))


def test_dir_lists_the_public_names():
    assert dir(recrawl) == sorted(recrawl.__all__)


@pytest.mark.parametrize("name", ["learn", "policies", "shards", "sim"])
def test_submodules_are_modules(name):
    assert isinstance(getattr(recrawl, name), ModuleType)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'crawl_valeu'"):
        recrawl.crawl_valeu  # noqa: B018


@pytest.mark.parametrize("statement", ["import recrawl", "import recrawl.cli.main"])
def test_import_loads_nothing_heavy(statement):
    program = f"{statement}, sys; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def blocks(path):
    """The fenced blocks of a Markdown file as (language, text)."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def python_examples():
    """Every Python block, with the text block that follows it at once (its output) or None."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        found = [*blocks(path), ("", "")]
        for number, ((language, code), (after, output)) in enumerate(pairwise(found)):
            if language == "python":
                name = f"{path.relative_to(ROOT)}-{number}"
                yield pytest.param(code, output if after == "text" else None, id=name)


@pytest.mark.parametrize(("code", "expected"), list(python_examples()))
def test_documented_code_runs_and_prints_what_is_shown(code, expected, tmp_path, monkeypatch):
    if "Frontier.open" in code or "data=" in code:  # leaves a folder behind
        monkeypatch.chdir(tmp_path)
    if SERVICE in code and "Client" in code:
        with Served(recrawl.Frontier(rate=2.0, clock=ManualClock(1_800_000_000.0))) as served:
            run(code.replace(SERVICE, served.url), expected)
    else:
        run(code, expected)


def run(code, expected):
    """Run an example, and compare what it prints with what is shown."""
    if code.startswith(">>>"):
        example = doctest.DocTestParser().get_doctest(code, {}, "example", None, 0)
        doctest.DebugRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example)
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    if expected is not None:
        assert printed.getvalue() == expected


def shown_outputs():
    """Every text block marked as the output of a command."""
    marked = re.compile(r"^<!-- output: recrawl (.*?) -->\n```text\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for argv, output in marked.findall(path.read_text("utf-8")):
            yield pytest.param(argv.split(), output, id=argv)


@pytest.mark.parametrize(("argv", "expected"), list(shown_outputs()))
def test_documented_commands_print_what_is_shown(argv, expected, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(argv) == 0
    assert capsys.readouterr().out == expected


def test_readme_has_a_python_example_with_output():
    languages = [language for language, _ in blocks(ROOT / "README.md")]
    assert ("python", "text") in pairwise(languages)


def test_version_is_in_the_changelog():
    assert f"## [{recrawl.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def markdown_files():
    """Every Markdown file but those of caches, environments and builds."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.md"))
    kept = (path for path in found if path.parts[0] == ".github" or path.parts[0][0] != ".")
    return sorted(str(path) for path in kept if path.parts[0] not in ("build", "dist"))


def test_markdown_is_found_in_every_folder():
    assert {"README.md", "CHANGELOG.md", "docs/maths.md", "docs/decisions/0001-dependencies.md"} <= {*markdown_files()}


@pytest.mark.parametrize("path", markdown_files())
def test_relative_links_lead_somewhere(path):
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", (ROOT / path).read_text("utf-8"))
    got = [link for link in links if not (ROOT / path).parent.joinpath(link).exists()]
    assert got == []
