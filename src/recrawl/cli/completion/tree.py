"""What can be typed: commands, options and their values, taken from the parser itself."""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

_FILES, _FOLDERS = ("FILE", "LOG", "PAGES", "LOG_OR_PAGES"), ("DIR", "FOLDER")


@dataclass(frozen=True)
class Value:
    """What an option or argument takes: one of some words, a file, a folder or anything; ``many``: several of it."""

    name: str
    words: tuple[str, ...] = ()
    is_file: bool = False
    is_folder: bool = False
    many: bool = False


@dataclass(frozen=True)
class Option:
    """An option by all its names; ``value`` is None where it takes none."""

    names: tuple[str, ...]
    about: str
    value: Value | None


@dataclass(frozen=True)
class Command:
    """A command, or the program itself, with its commands."""

    name: str
    about: str
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]
    commands: "tuple[Command, ...]" = ()

    @property
    def option_names(self) -> list[str]:
        """All names of all options."""
        return [name for option in self.options for name in option.names]

    @property
    def argument_words(self) -> list[str]:
        """Words that may stand as arguments."""
        return [word for argument in self.arguments for word in argument.words]


def tree(parser: argparse.ArgumentParser) -> Command:
    """The program of a parser."""
    return _command(parser, parser.prog, parser.description or "")


def _command(parser: argparse.ArgumentParser, name: str, about: str) -> Command:
    plain = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    return Command(
        name,
        about,
        tuple(_option(action, parser.prog) for action in plain if action.option_strings),
        tuple(_value(action) for action in plain if not action.option_strings),
        tuple(_commands(parser)),
    )


def _commands(parser: argparse.ArgumentParser) -> Iterator[Command]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, inner in action.choices.items():
                yield _command(inner, name, about.get(name, ""))


def _option(action: argparse.Action, prog: str) -> Option:
    about = (action.help or "") % {**vars(action), "prog": prog}
    return Option(tuple(action.option_strings), about, None if action.nargs == 0 else _value(action))


def _value(action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    offered: Callable[[], Iterable[str]] = getattr(action, "words", tuple)  # asked for now: names load what is heavy
    words = tuple(str(choice) for choice in action.choices or offered())
    return Value(name, words, name in _FILES, name in _FOLDERS, action.nargs in ("*", "+"))
