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
from typing import TYPE_CHECKING, Any, NoReturn

from skillbook.limits import PRESENT_SECONDS

if TYPE_CHECKING:
    from skillbook.serving.terminal.terminal_run import Verb

ALONE = {"next": "true"}
"""Options that may stand without a value, and what they have then."""
AT_PLACE = frozenset({"target", "within"})
"""What stands after the verb even where it may be left out."""
_TYPES: Mapping[str, Any] = {"integer": int, "number": float, "string": str}


class ParserExit(Exception):
    """Parsing ended with a text: of the help, or of what is wrong."""

    def __init__(self, code: int, text: str) -> None:
        self.code, self.text = code, text
        super().__init__(text)


class VerbParser(argparse.ArgumentParser):
    """A parser that neither prints nor exits: its process serves others, too."""

    def error(self, message: str) -> NoReturn:
        """Give what is wrong, and how it is used."""
        raise ParserExit(2, f"{self.format_usage()}{self.prog}: {message}\ntry: {self.prog} --help")

    def print_help(self, file: Any = None) -> None:
        """Give the help."""
        raise ParserExit(0, self.format_help())


@dataclass(frozen=True)
class Shown:
    """How a verb's answer is printed; every verb has these options."""

    json: bool
    plain: bool
    tab: int | None
    deadline: float
    csv: str | None


def add_options(parser: argparse.ArgumentParser, *, rows: bool) -> None:
    """Give a parser what every verb has."""
    group = parser.add_argument_group("everywhere")
    group.add_argument("--json", action="store_true", dest="_json", help="print JSON")
    group.add_argument("--plain", action="store_true", dest="_plain", help="page text without its fence")
    group.add_argument("--tab", type=int, dest="_tab", metavar="N", help="the tab; default: the last one")
    group.add_argument(
        "--deadline", type=float, dest="_deadline", default=PRESENT_SECONDS, metavar="SECONDS",
        help="how long to wait for a person's approval (%(default)g)",
    )  # fmt: skip
    if rows:
        group.add_argument(
            "--csv", nargs="?", const="-", dest="_csv", metavar="FILE", help="rows as CSV, to a file if given"
        )


def take_shown(given: dict[str, Any]) -> Shown:
    """Take what `add_options` added out of what was parsed."""
    taken = {name[1:]: given.pop(name) for name in list(given) if name.startswith("_")}
    return Shown(**{"csv": None, **taken})


def add_schema(parser: argparse.ArgumentParser, schema: Mapping[str, Any], secret: str | None = None) -> None:
    """Give a parser the arguments of a JSON schema.

    secret: the argument in whose place a secret's name may be given.
    """
    required = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        optional = name not in required
        at_place = not optional or name in AT_PLACE
        options: dict[str, Any] = {"help": _help(field)} | _kind(field, schema.get("$defs", {}), at_place)
        if name == secret:
            options["nargs"] = "?"
            parser.add_argument("--secret", dest="secret_name", metavar="NAME", help="a secret, by its name")
        elif at_place and optional and "nargs" not in options:
            options["nargs"] = "?"
        label = name.upper().replace("_", "-")
        if not ("action" in options and "type" not in options) and "choices" not in options:
            options.setdefault("metavar", label)
        if name in ALONE:
            options |= {"nargs": "?", "const": ALONE[name]}
        if at_place:
            parser.add_argument(name, **options)
        else:
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, **options)


def _help(field: Mapping[str, Any]) -> str:
    text = str(field.get("description", ""))
    return (text[:1].lower() + text[1:]).rstrip(".").replace("%", "%%")


def _kind(field: Mapping[str, Any], defs: Mapping[str, Any], at_place: bool) -> dict[str, Any]:
    """How argparse takes a property: its type, choices, count."""
    if "$ref" in field:
        field = {**defs[str(field["$ref"]).rsplit("/", 1)[-1]], **field}
    if "anyOf" in field:
        field = next(each for each in field["anyOf"] if each.get("type") != "null")
    kind = field.get("type")
    if kind == "boolean":
        both = field.get("default") is True
        return {"action": argparse.BooleanOptionalAction if both else "store_true", "default": None}
    if "prefixItems" in field:
        return {"nargs": len(field["prefixItems"]), "type": float, "metavar": ("X", "Y")}
    if kind == "array":
        inner = _kind(field.get("items", {}), defs, at_place)
        return inner | ({"nargs": "+"} if at_place else {"action": "append"})
    if kind == "object":
        return {"action": "append", "type": pair, "metavar": "NAME=VALUE"}
    found: dict[str, Any] = {"type": _TYPES.get(str(kind), str)}
    if "enum" in field:
        found["choices"] = list(field["enum"])
    return found


def pair(text: str) -> tuple[str, str]:
    """A `name=value` word."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


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
    from skillbook.serving.terminal.terminal_commands import verb_table

    facts = []
    for verb in verb_table().values():
        recorder: Any = _Recorder()
        verb.arguments(recorder)
        facts.append({"name": verb.name, "help": verb.help, "rows": verb.rows, "given": recorder.given})
    return json.dumps(facts, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    from skillbook.serving.terminal import (
        known_verbs as verbs,  # whose `pair` is the table's, as this one's isn't
    )

    FILE.write_text(verbs.written(), encoding="utf-8")
