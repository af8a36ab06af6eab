"""Scripts for shells: accepted by the shell, and nothing left out."""

import shutil
import subprocess

import pytest

from recrawl.cli.completion.command import SCRIPTS
from recrawl.cli.completion.tree import tree
from recrawl.cli.main import command_line, main

PROGRAM = tree(command_line())
BASH = shutil.which("bash")


@pytest.fixture(params=SCRIPTS)
def script(request, capsys):
    assert main(["completion", request.param]) == 0
    return request.param, capsys.readouterr().out


def test_the_shell_accepts_its_script(script):
    shell, text = script
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_command_is_there(script):
    names = [command.name for command in PROGRAM.commands]
    assert {"plan", "fit", "simulate", "bench", "reproduce", "dataset", "completion"}.issubset(names)
    assert [name for name in names if name not in script[1]] == []


def test_every_option_is_there(script):
    shell, text = script
    options = {name for command in (PROGRAM, *PROGRAM.commands) for name in command.option_names}
    assert "--no-curve" in options
    written = {f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} " for name in options}
    assert [name for name in (written if shell == "fish" else options) if name not in text] == []


def completed(*words):
    """What bash offers for the last word."""
    program = 'source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _recrawl; echo "${COMPREPLY[@]}"'
    text = SCRIPTS["bash"](PROGRAM)
    done = subprocess.run(
        [BASH, "--norc", "-c", program, "bash", *words],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["recrawl", "sim"], ["simulate"]),
        (["recrawl", "--v"], ["--version"]),
        (["recrawl", "plan", "--fl"], ["--floor"]),
        (["recrawl", "fit", "log.csv", "--out", "pages.csv", "--si"], ["--signals"]),
        (["recrawl", "completion", ""], ["bash", "zsh", "fish"]),
        (["recrawl", "plan", "pa"], []),  # bash goes on with files
        (["recrawl", "plan", "--out", "pl"], []),
    ],
)
def test_bash_offers_what_fits(words, expected):
    assert completed(*words) == expected


def test_names_of_policies_figures_and_benchmarks_are_offered():
    from recrawl import paper
    from recrawl.cli.bench import NAMES
    from recrawl.cli.completion.tree import tree
    from recrawl.cli.main import command_line
    from recrawl.sim import names

    commands = {command.name: command for command in tree(command_line()).commands}
    words = {name: set(commands[name].argument_words) for name in ("reproduce", "bench")}
    assert words == {"reproduce": {*paper.NAMES, "real"}, "bench": set(NAMES)}
    (policy,) = [option for option in commands["simulate"].options if "--policy" in option.names]
    assert set(policy.value.words) == set(names()) - {"ncis-approx-J"} | {"greedy-ncis:learn"}
