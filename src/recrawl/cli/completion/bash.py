"""The script for bash, also the old one of macOS (3.2)."""

from recrawl.cli.completion.tree import Command


def script(program: Command) -> str:
    """What bash sources.  Where there is no word to offer, bash offers files."""
    name = program.name
    known = "|".join(command.name for command in program.commands)
    values = [_values(command) for command in program.commands if _values(command)]
    words = [
        f'            {command.name}) words="{" ".join(command.argument_words)}" options="{_joined(command)}" ;;'
        for command in program.commands
    ]
    return "\n".join(
        [
            f"# bash completion of {name}. Put it where bash looks for it, or into ~/.bashrc:",
            f"#   {name} completion bash > ~/.local/share/bash-completion/completions/{name}",
            f'#   eval "$({name} completion bash)"',
            f"_{name}() {{",
            '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}"',
            '    local command="" words="" options="" i',
            "    for ((i = 1; i < COMP_CWORD; i++)); do",
            '        case "${COMP_WORDS[i]}" in',
            f'            {known}) command="${{COMP_WORDS[i]}}"; break ;;',
            "        esac",
            "    done",
            '    case "$command $before" in',
            *values,
            "        *)",
            '        case "$command" in',
            f'            "") words="{known.replace("|", " ")}" options="{_joined(program)}" ;;',
            *words,
            "        esac ;;",
            "    esac",
            '    [[ "$word" == -* ]] && words="$options"',
            '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "}",
            f"complete -o default -F _{name} {name}",
            "",
        ]
    )


def _joined(command: Command) -> str:
    return " ".join(command.option_names)


def _values(command: Command) -> str:
    """The branches for the options of a command that take a value: those with words, then all others."""
    branches, others = [], []
    for option in command.options:
        names = [f'"{command.name} {name}"' for name in option.names]
        if option.value is not None and option.value.words:
            branches.append(f'        {"|".join(names)}) words="{" ".join(option.value.words)}" ;;')
        elif option.value is not None:
            others += names
    return "\n".join(branches + [f"        {'|'.join(others)}) ;;"] * bool(others))
