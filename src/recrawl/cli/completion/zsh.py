"""The script for zsh."""

from recrawl.cli.completion.tree import Command, Option, Value


def script(program: Command) -> str:
    """What zsh loads from its fpath, or sources."""
    name = program.name
    lines = [
        f"#compdef {name}",
        f"# zsh completion of {name}. Put it where zsh looks for it, or into ~/.zshrc after compinit:",
        f"#   {name} completion zsh > ~/.zfunc/_{name}    (with fpath+=~/.zfunc before compinit)",
        f'#   eval "$({name} completion zsh)"',
        f"_{name}() {{",
        "    local -a commands",
        "    commands=(",
        *(f"        {_quoted(f'{command.name}:{command.about}')}" for command in program.commands),
        "    )",
        "    if (( CURRENT == 2 )); then",
        "        _describe command commands",
        f"        _arguments {' '.join(_spec(option) for option in program.options)}",
        "        return",
        "    fi",
        "    local command=$words[2]",
        "    shift words",
        "    (( CURRENT-- ))",
        "    case $command in",
    ]
    for command in program.commands:
        specs = [_spec(option) for option in command.options]
        specs += [
            _quoted(f"{'*' if value.many else place}:{value.name}:{_action(value)}")
            for place, value in enumerate(command.arguments, start=1)
        ]
        lines += [f"        {command.name})", "            _arguments \\"]
        lines += [f"                {spec} \\" for spec in specs[:-1]] + [
            f"                {specs[-1]}",
            "            ;;",
        ]
    lines += [
        "    esac",
        "}",
        f'if [[ "$funcstack[1]" == "_{name}" ]]; then _{name} "$@"; else compdef _{name} {name}; fi',
        "",
    ]
    return "\n".join(lines)


def _spec(option: Option) -> str:
    """One option as _arguments wants it: names that exclude each other, what it is about, what it takes."""
    about = option.about.replace("[", "(").replace("]", ")").replace(":", "\\:")
    value = "" if option.value is None else f":{option.value.name.replace(':', ' ')}:{_action(option.value)}"
    if len(option.names) == 1:
        return _quoted(f"{option.names[0]}[{about}]{value}")
    names = " ".join(option.names)
    return _quoted(f"({names})") + "{" + ",".join(option.names) + "}" + _quoted(f"[{about}]{value}")


def _action(value: Value) -> str:
    if value.words:
        return f"({' '.join(value.words)})"
    if value.is_file:
        return "_files"
    return "_files -/" if value.is_folder else " "


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
