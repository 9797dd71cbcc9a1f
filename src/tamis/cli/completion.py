"""``tamis completion``: verbs, options and their values as a script for a shell, which then starts no Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import NamedTuple

from tamis.studies.completion import CompletionQuestion


def completion(question: CompletionQuestion) -> None:
    """Print a script with which the shell completes verbs, options and their values when Tab is pressed.

    \b
    Examples:
      tamis completion bash > ~/.local/share/bash-completion/completions/tamis
      tamis completion zsh > ~/.zfunc/_tamis
      tamis completion fish > ~/.config/fish/completions/tamis.fish

    \b
    For this one shell only:
      eval "$(tamis completion bash)"

    \b
    In zsh, ~/.zshrc must have fpath+=~/.zfunc before its compinit.
    """
    import sys

    scripts = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
    sys.stdout.write(scripts[question.shell](list(verbs())))


class Flag(NamedTuple):
    """An option: its names, what it is for, the values it may take; () where it takes none or any."""

    names: tuple[str, ...]
    help: str
    values: tuple[str, ...]
    takes_value: bool


class Verb(NamedTuple):
    name: str
    help: str
    flags: tuple[Flag, ...]
    values: tuple[str, ...]  # of what is given without an option; () where it is a file


def verbs() -> Iterable[Verb]:
    """Read off the questions."""
    from importlib import import_module
    from typing import get_type_hints

    from tamis.cli.app import VERBS
    from tamis.studies.question import flag, typed

    for name in VERBS:
        run = getattr(import_module(f"tamis.cli.{name}"), name)
        options = get_type_hints(run)["question"].options()
        flags: list[Flag] = []
        values: list[str] = []
        for field, (field_of, about) in options.items():
            names = tuple(typed(value, about) for value in about.names)
            if about.positional:
                values += names
                continue
            shown = first_sentence(about.help.replace("{choices}", ", ".join(names)))
            flags.append(Flag(about.flags or (flag(field, about),), shown, names, field_of.default is not False))
        flags.append(Flag(("--help", "-h"), "Show what the verb does.", (), False))
        yield Verb(name, first_sentence(run.__doc__), tuple(flags), tuple(values))


def first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split()).partition(". ")[0].rstrip(".")


BASH = """\
# Completion of tamis for bash, made by: tamis completion bash
_tamis() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} known=
    COMPREPLY=()
    if (( COMP_CWORD == 1 )); then
        known={verbs}
    else
        case $verb:$before in
{values}
            *) case $verb:$word in
{flags}
            esac ;;
        esac
    fi
    [[ -z $known ]] || mapfile -t COMPREPLY < <(compgen -W "$known" -- "$word")
}}
complete -o bashdefault -o default -F _tamis tamis
"""


def bash_script(known: list[Verb]) -> str:
    """Values after an option, options after a hyphen, files where nothing else is known."""
    values = [
        f"            {'|'.join(f'{verb.name}:{name}' for name in flag.names)}) known={quoted(flag.values)} ;;"
        for verb in known
        for flag in verb.flags
        if flag.takes_value
    ]
    flags = [
        f"                {verb.name}:{word}) known={quoted(words)} ;;"
        for verb in known
        for word, words in (("-*", flag_names(verb)), ("*", verb.values))
    ]
    names = quoted([verb.name for verb in known] + ["--help", "--version"])
    return BASH.format(verbs=names, values="\n".join(values), flags="\n".join(flags))


def flag_names(verb: Verb) -> list[str]:
    return [name for flag in verb.flags for name in flag.names]


def quoted(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def zsh_script(known: list[Verb]) -> str:
    """``_arguments`` has an entry for each option: '(-o --out)'{-o,--out}'[help]:value:_files'."""
    lines = ["#compdef tamis", "# Completion of tamis for zsh, made by: tamis completion zsh", "_tamis() {"]
    lines += ["  if (( CURRENT == 2 )); then", "    local -a verbs=("]
    lines += [f"      {shlex.quote(f'{verb.name}:{verb.help}')}" for verb in known]
    lines += ["    )", "    _describe verb verbs", "    return", "  fi", "  local verb=$words[2]"]
    lines += ["  shift words; (( CURRENT-- ))", "  case $verb in"]
    for verb in known:
        rest = f"*:value:({' '.join(verb.values)})" if verb.values else "*:file:_files"
        entries = [*map(zsh_entry, verb.flags), shlex.quote(rest)]
        lines += [f"    {verb.name}) _arguments -S \\", *(f"      {entry} \\" for entry in entries), "      ;;"]
    lines += ["  esac", "}", 'if [[ $funcstack[1] == _tamis ]]; then _tamis "$@"; else compdef _tamis tamis; fi', ""]
    return "\n".join(lines)


def zsh_entry(flag: Flag) -> str:
    value = "" if not flag.takes_value else f":value:({' '.join(flag.values)})" if flag.values else ":value:_files"
    about = f"[{flag.help.translate({ord(c): None for c in '[]'})}]{value}"
    if len(flag.names) == 1:
        return shlex.quote(f"*{flag.names[0]}{about}")
    return f"'*'{{{','.join(flag.names)}}}{shlex.quote(about)}"


def fish_script(known: list[Verb]) -> str:
    lines = ["# Completion of tamis for fish, made by: tamis completion fish"]
    for verb in known:
        lines.append(f"complete -c tamis -n __fish_use_subcommand -f -a {verb.name} -d {fish_quoted(verb.help)}")
    for verb in known:
        begin = f"complete -c tamis -n '__fish_seen_subcommand_from {verb.name}'"
        if verb.values:
            lines.append(f"{begin} -f -a {fish_quoted(' '.join(verb.values))}")
        for flag in verb.flags:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
            value = f" -x -a {fish_quoted(' '.join(flag.values))}" if flag.values else " -r" if flag.takes_value else ""
            lines.append(f"{begin} {names}{value} -d {fish_quoted(flag.help)}")
    return "\n".join(lines) + "\n"


def fish_quoted(text: str) -> str:
    """Fish has two escapes within single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
