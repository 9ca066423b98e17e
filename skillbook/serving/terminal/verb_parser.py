"""The command line of a verb, made from the schema of what it calls; it imports next to nothing."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from skillbook.limits import PRESENT_SECONDS

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
