"""Scripts with which a shell completes commands, options and choices; they start no program."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from shlex import quote

from skillbook.serving.terminal.known_verbs import known_verbs, parser_of

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
if [[ $funcstack[1] == _skillbook ]]; then
    _skillbook "$@"  # zsh loads the file at the first completion, which is this one
else
    compdef _skillbook skillbook
fi"""

_FISH = """\
function __skillbook_first
    test (count (commandline -opc)) -eq 1
end
function __skillbook_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end"""


def completion_script(shell: str, subcommands: Mapping[str, argparse.ArgumentParser]) -> str:
    """The script for bash, zsh or fish.

    Parameters
    ----------
    subcommands : the parsers of the commands that need no service.
    """
    parsers: dict[str, argparse.ArgumentParser] = {
        verb.name: parser_of(verb) for verb in known_verbs().values()
    }
    for name, parser in subcommands.items():
        parsers.setdefault(name, parser)
    names = sorted([*parsers, "verbs"])
    if shell == "fish":
        return _fish_script(names, parsers)
    if shell == "bash":
        cases = [
            f"        {name}) words={quote(' '.join(_words(parsers[name])))} ;;" for name in sorted(parsers)
        ]
        return _BASH.format(commands=quote(" ".join(names)), cases="\n".join(cases))
    cases = [f"        {name}) offered=({' '.join(_words(parsers[name]))}) ;;" for name in sorted(parsers)]
    return _ZSH.format(commands=" ".join(names), cases="\n".join(cases))


def _fish_script(names: Sequence[str], parsers: Mapping[str, argparse.ArgumentParser]) -> str:
    lines = [_FISH, f"complete -c skillbook -n __skillbook_first -f -a {quote(' '.join(names))}"]
    for name in sorted(parsers):
        begin = f"complete -c skillbook -n '__skillbook_verb {name}'"
        words = _words(parsers[name])
        options = [word[2:] for word in words if word.startswith("--")]
        choices = [word for word in words if not word.startswith("--")]
        lines.append(f"{begin} {' '.join(f'-l {option}' for option in options)}")
        lines += [f"{begin} -a {quote(' '.join(choices))}"] if choices else []
    return "\n".join(lines)


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """The options of a command, and the words that may stand at its places."""
    found = []
    for action in parser._actions:
        found += [option for option in action.option_strings if option.startswith("--")]
        if not action.option_strings and action.choices:
            found += [str(choice) for choice in action.choices]
    return found
