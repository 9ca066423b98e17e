"""Scripts with which a shell completes commands, options and choices; they start no program."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from shlex import quote

from skillbook.serving.terminal.verb_table import parser_of, verb_table

_BASH = """\
_skillbook() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
    else
        case ${{COMP_WORDS[1]}} in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _skillbook skillbook"""
_ZSH = """\
#compdef skillbook
_skillbook() {{
    local -a offered
    if (( CURRENT == 2 )); then
        offered=({commands})
    else
        case $words[2] in
{cases}
        esac
    fi
    compadd -- $offered
    [[ $PREFIX == -* ]] || _files
}}
compdef _skillbook skillbook"""


def completion_script(shell: str, subcommands: Mapping[str, argparse.ArgumentParser]) -> str:
    """The script for bash or zsh.

    Parameters
    ----------
    subcommands : the parsers of the commands that need no service.
    """
    parsers: dict[str, argparse.ArgumentParser] = {
        verb.name: parser_of(verb) for verb in verb_table().values()
    }
    for name, parser in subcommands.items():
        parsers.setdefault(name, parser)
    names = sorted([*parsers, "verbs"])
    if shell == "bash":
        cases = [
            f"        {name}) words={quote(' '.join(_words(parsers[name])))} ;;" for name in sorted(parsers)
        ]
        return _BASH.format(commands=quote(" ".join(names)), cases="\n".join(cases))
    cases = [f"        {name}) offered=({' '.join(_words(parsers[name]))}) ;;" for name in sorted(parsers)]
    return _ZSH.format(commands=" ".join(names), cases="\n".join(cases))


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """The options of a command, and the words that may stand at its places."""
    found = []
    for action in parser._actions:
        found += [option for option in action.option_strings if option.startswith("--")]
        if not action.option_strings and action.choices:
            found += [str(choice) for choice in action.choices]
    return found
