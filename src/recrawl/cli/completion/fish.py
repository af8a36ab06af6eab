"""The script for fish."""

from recrawl.cli.completion.tree import Command, Option, Value


def script(program: Command) -> str:
    """What fish sources."""
    name = program.name
    lines = [
        f"# fish completion of {name}. Put it where fish looks for it:",
        f"#   {name} completion fish > ~/.config/fish/completions/{name}.fish",
        f"complete -c {name} -f",
    ]
    lines += [f"complete -c {name} -n __fish_use_subcommand {_option(option)}" for option in program.options]
    for command in program.commands:
        lines.append(f"complete -c {name} -n __fish_use_subcommand -a {command.name} -d {_quoted(command.about)}")
        when = f"complete -c {name} -n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"{when} {_option(option)}" for option in command.options]
        lines += [f"{when} {taken}" for value in command.arguments if (taken := _taken(value))]
    return "\n".join([*lines, ""])


def _option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    takes = "" if option.value is None else f" -r {_taken(option.value)}".rstrip()
    return f"{names}{takes} -d {_quoted(option.about)}"


def _taken(value: Value) -> str:
    if value.words:
        return f"-a {_quoted(' '.join(value.words))}"
    return "-F" if value.is_file or value.is_folder else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
