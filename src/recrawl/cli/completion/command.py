"""``recrawl completion``: a script that lets a shell complete commands, options and file names."""

import argparse
from typing import Any

from recrawl.cli.completion import bash, fish, zsh
from recrawl.cli.completion.tree import tree
from recrawl.cli.help import Help

SCRIPTS = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}

_EPILOG = """\
to use it now:
  bash   eval "$(recrawl completion bash)"
  zsh    eval "$(recrawl completion zsh)"          after compinit
  fish   recrawl completion fish | source

to keep it:
  bash   recrawl completion bash > ~/.local/share/bash-completion/completions/recrawl
  zsh    recrawl completion zsh > ~/.zfunc/_recrawl          with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish   recrawl completion fish > ~/.config/fish/completions/recrawl.fish
"""


def add_command(commands: "argparse._SubParsersAction[Any]", program: argparse.ArgumentParser) -> None:
    """Register the subcommand; ``program`` is the parser whose words are completed."""
    parser = commands.add_parser(
        "completion",
        help="a script that completes recrawl's words in your shell",
        description="Print a script that lets your shell complete commands, options, their values and file names.",
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("shell", metavar="SHELL", choices=list(SCRIPTS), help=f"which shell: {', '.join(SCRIPTS)}")
    parser.set_defaults(run=lambda args: print(SCRIPTS[args.shell](tree(program)), end=""))
