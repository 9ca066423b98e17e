"""The command line of every verb without what carries it out: help and completion import next to nothing.

The build and `make generate` write it from the table of verbs (`python -m skillbook.serving.terminal.known_verbs`). It
isn't in git; where it is missing the table itself answers, which takes a second longer.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from skillbook.serving.terminal.verb_parser import VerbParser, add_options, pair

if TYPE_CHECKING:
    from skillbook.serving.terminal.terminal_run import Verb

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

    subcommands: the parsers of the commands that need no service.
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


FILE = Path(__file__).with_name("known_verbs.json")
_NAMED: Mapping[str, Any] = {
    "int": int, "float": float, "str": str, "pair": pair, "both": argparse.BooleanOptionalAction,
}  # fmt: skip
_KINDS = ("type", "action")


@dataclass(frozen=True)
class KnownVerb:
    """A verb's name, help and arguments.

    given: what `add_argument` is called with, once for each argument.
    """

    name: str
    help: str
    rows: bool
    given: list[tuple[list[str], dict[str, Any]]]

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add its arguments to a parser."""
        for names, options in self.given:
            kinds = {kind: _NAMED.get(options[kind], options[kind]) for kind in _KINDS if kind in options}
            metavar = options.get("metavar")
            several = {"metavar": tuple(metavar)} if isinstance(metavar, list) else {}
            parser.add_argument(*names, **{**options, **kinds, **several})


@cache
def known_verbs() -> dict[str, KnownVerb]:
    """The verbs by name."""
    text = FILE.read_text("utf-8") if FILE.exists() else written()
    verbs = (KnownVerb(**each) for each in json.loads(text))
    return {verb.name: verb for verb in verbs}


def parser_of(verb: Verb | KnownVerb) -> VerbParser:
    """The parser of one verb's arguments."""
    parser = VerbParser(prog=f"skillbook {verb.name}", description=verb.help)
    verb.arguments(parser)
    add_options(parser, rows=verb.rows)
    return parser


def verb_lines() -> str:
    """The verbs, a line each."""
    return "\n".join(f"  {verb.name:<14} {verb.help}" for verb in known_verbs().values())


class _Recorder:
    """Stands for a parser, and keeps what it is given."""

    def __init__(self) -> None:
        self.given: list[tuple[list[str], dict[str, Any]]] = []

    def add_argument(self, *names: str, **options: Any) -> None:
        """Keep an argument."""
        kinds = {kind: _name_of(options[kind]) for kind in _KINDS if kind in options}
        self.given.append((list(names), {**options, **kinds}))


def _name_of(kind: Any) -> Any:
    return next((name for name, each in _NAMED.items() if each is kind), kind)


def written() -> str:
    """The file as it is to be."""
    from skillbook.serving.terminal.verb_table import verb_table

    facts = []
    for verb in verb_table().values():
        recorder: Any = _Recorder()
        verb.arguments(recorder)
        facts.append({"name": verb.name, "help": verb.help, "rows": verb.rows, "given": recorder.given})
    return json.dumps(facts, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
