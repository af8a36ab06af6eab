"""The entry point: parses, dispatches, and turns errors into one line and an exit status.

Exit status: 0 done, 1 the output cannot be written or memory is short (`check`: something is damaged), 2 the input or
the request is wrong, 130 interrupted.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from recrawl import __version__
from recrawl.cli import bench, livingweb, reproduce, serve, token
from recrawl.cli.calls import add, complete, lease, rate, signal, stats
from recrawl.cli.completion import command as completion
from recrawl.cli.crawl import changes, diff, init, status
from recrawl.cli.crawl import run as crawl
from recrawl.cli.dataset import command as dataset
from recrawl.cli.demo import command as demo
from recrawl.cli.fit import command as fit
from recrawl.cli.frontier import backup, check, export, importing
from recrawl.cli.help import Help
from recrawl.cli.interrupts import interruptible
from recrawl.cli.next import command as due
from recrawl.cli.plan import command as plan
from recrawl.cli.simulate import command as simulate
from recrawl.errors import InputError, RecrawlError

_EPILOG = """\
start here:
  recrawl demo                         the crawler and its rivals on a real site, four years in a minute
  recrawl run --site URL --rate 1/s --data data --contact MAIL   keep the pages of a site fresh
  recrawl plan --example               what signals are worth, on a built-in instance
  recrawl plan pages.csv --rate 100    the same for your pages
  recrawl fit log.csv --out pages.csv  pages from your crawl logs
  recrawl next log.csv -n 100          which pages to crawl now
  recrawl simulate --example           policies side by side, in the same simulated worlds
  recrawl import data/ urls.txt        pages into a frontier: a folder that decides, remembers and learns
  recrawl export data/ --out tables    its pages and its past, for the commands above
  recrawl serve --data data            the same as a service; recrawl add, signal, lease, complete, rate, stats call it
  recrawl livingweb --lasting 60       a web on this machine whose pages change, to test crawlers with
"""


class _Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that every error leaves through the same door; options are never abbreviated."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{_plain(message)}{self._remedy(message)}; see '{self.prog} --help'")

    def _remedy(self, message: str) -> str:
        """What to do about an argument that is missing, where it has a word to say on that: `if_missing`."""
        _, required, names = message.partition("arguments are required: ")
        missing = names.split(", ") if required else ()
        told = (getattr(action, "if_missing", None) for action in self._actions if action.metavar in missing)
        return "".join(f"; {word}" for word in told if word)


def _plain(message: str) -> str:
    """The same. Of a misspelt command not the list of all commands, but the one that is most like it."""
    said = re.match(r"argument COMMAND: invalid choice: '(.*?)' \(choose from (.*)\)", message)
    if said is None:
        return message
    near = get_close_matches(said[1], re.findall(r"'([^']+)'", said[2]), n=1)
    return f"there is no command {said[1]!r}" + (f"; did you mean {near[0]}?" if near else "")


def command_line() -> argparse.ArgumentParser:
    """The parser of every command and option."""
    parser = _Parser(
        prog="recrawl",
        description="Decides which page to crawl next, from change rates, importance and noisy signals.",
        epilog=_EPILOG,
        formatter_class=Help,
    )
    parser.add_argument("--version", action="version", version=f"recrawl {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    demo.add_command(commands)
    plan.add_command(commands)
    fit.add_command(commands)
    due.add_command(commands)
    simulate.add_command(commands)
    crawl.add_command(commands)
    status.add_command(commands)
    init.add_command(commands)
    serve.add_command(commands)
    token.add_command(commands)
    add.add_command(commands)
    signal.add_command(commands)
    lease.add_command(commands)
    complete.add_command(commands)
    rate.add_command(commands)
    stats.add_command(commands)
    importing.add_command(commands)
    check.add_command(commands)
    backup.add_command(commands)
    export.add_command(commands)
    changes.add_command(commands)
    diff.add_command(commands)
    bench.add_command(commands)
    reproduce.add_command(commands)
    dataset.add_command(commands)
    livingweb.add_command(commands)
    completion.add_command(commands, parser)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    _stand_in_for_closed_streams()
    try:
        with interruptible():
            return _run(argv)
    except RecrawlError as error:
        print(f"recrawl: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("recrawl: interrupted", file=sys.stderr)
        return 130
    except MemoryError as error:
        print(f"recrawl: error: not enough memory: {str(error) or 'try fewer pages or workers'}", file=sys.stderr)
        return 1
    except OSError as error:
        return _cannot_write(error)


def _stand_in_for_closed_streams() -> None:
    """Give a program that was started with stdout or stderr closed (`>&-`) somewhere to write to."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (until the program ends)


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = command_line().parse_args(argv)
        status: int | None = args.run(args)
    except SystemExit:  # --help and --version
        sys.stdout.flush()
        raise
    sys.stdout.flush()
    return status or 0


def _cannot_write(error: OSError) -> int:
    """Report what could not be written; an error without a file name is one of stdout."""
    if error.filename is None:
        # Python would complain again at exit when it flushes stdout, so give it somewhere to flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader (head, less) left early: not an error
            return 0
    print(f"recrawl: error: cannot write {error.filename or 'to stdout'}: {error.strerror or error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
