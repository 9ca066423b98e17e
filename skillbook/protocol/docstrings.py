"""Docstrings: read as they are written by hand, and written with the sections of numpydoc.

By hand they have no types, as the signature has them. Their fields are `:param name: text`, `:type name: words`,
`:returns: text`, `:rtype: words` and `:raises Name: text`.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef

_TYPES: Mapping[str, str] = {
    "Target": "str, Element or Node",
    "None": "None",
    "Any": "str, int, bool, dict, list or None",
    "PathLike[str]": "path",
    "Mapping": "dict",
    "DialogRule": "str or function",
    "str | int | Sequence[str | int]": "str, int or sequence of them",
}
_FIELD = re.compile(r":(param|type|returns|rtype|raises)\b ?([^:]*): ?(.*)")
_WIDTH = 110


@dataclass(frozen=True)
class Doc:
    """A docstring in parts."""

    summary: str = ""
    text: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""
    rtype: str = ""
    raises: Mapping[str, str] = field(default_factory=dict)
    examples: str = ""

    @classmethod
    def read(cls, text: str) -> Doc:
        """A docstring that is written by hand."""
        words, _, examples = f"\n{inspect.cleandoc(text)}".partition("\n>>>")
        found: dict[str, dict[str, str]] = {
            kind: {} for kind in ("param", "type", "returns", "rtype", "raises")
        }
        plain, kind, name = [], "", ""
        for line in words.strip().split("\n"):
            if begins := _FIELD.match(line):
                kind, name = begins[1], begins[2].strip()
                found[kind][name] = begins[3]
            elif kind and line.startswith(" "):
                found[kind][name] += f" {line.strip()}"
            else:
                plain.append(line)
        summary, _, rest = "\n".join(plain).strip().partition("\n\n")
        return cls(
            summary, rest.strip(), found["param"], found["type"], found["returns"].get("", ""),
            found["rtype"].get("", ""), found["raises"], f">>>{examples}".rstrip() if examples else "",
        )  # fmt: skip

    def over(self, other: Doc) -> Doc:
        """This docstring, with what it lacks from another one."""
        return Doc(
            self.summary or other.summary, self.text or other.text, {**other.params, **self.params},
            {**other.types, **self.types}, self.returns or other.returns, self.rtype or other.rtype,
            {**other.raises, **self.raises}, self.examples or other.examples,
        )  # fmt: skip


def either(parts: list[str]) -> str:
    """Words of which one holds."""
    return f"{', '.join(parts[:-1])} or {parts[-1]}" if len(parts) > 1 else parts[0]


def type_words(annotation: str) -> str:
    """A type as numpydoc writes it."""
    if annotation in _TYPES:
        return _TYPES[annotation]
    node = ast.parse(annotation, mode="eval").body
    if isinstance(node, ast.BinOp):
        sides = [type_words(ast.unparse(side)) for side in (node.left, node.right)]
        parts = [part for side in sides for part in re.split(r", | or ", side)]
        return either(list(dict.fromkeys(parts)))
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value)
        if name == "Literal":
            return "{" + ast.unparse(node.slice).strip("()").replace("'", '"') + "}"
        if name in {"dict", "Mapping", "Series"}:
            return {"Mapping": "dict"}.get(name, name)
        inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        return f"{name.lower()} of {type_words(ast.unparse(inner))}"
    return annotation


def render(doc: Doc, function: Function, indent: str) -> str:
    """A docstring with its sections.

    Raises ValueError: nothing is known of a parameter or of the result, or a documented parameter isn't there.
    """
    parts = [doc.summary, *([doc.text] if doc.text else [])]
    parts += _section("Parameters", _parameters(doc, function))
    returned = ast.unparse(function.returns) if function.returns else "None"
    if returned != "None":
        words = doc.rtype or type_words(returned)
        if not doc.returns:
            raise ValueError(f"{function.name}: nothing says what it returns")
        parts += _section("Returns", [(words, doc.returns)])
    parts += _section("Raises", list(doc.raises.items()))
    if doc.examples:
        lines = [
            f"{line}  # doctest: +SKIP" if line[:4] == ">>> " else line for line in doc.examples.split("\n")
        ]
        parts.append("Examples\n--------\n" + "\n".join(lines))
    whole = textwrap.indent("\n\n".join(parts), indent).lstrip()
    return f'"""{whole}"""' if "\n" not in whole else f'"""{whole}\n{indent}"""'


def _section(title: str, entries: list[tuple[str, str]]) -> list[str]:
    rows = [f"{head}\n{_filled(text, '    ')}" for head, text in entries]
    return ["\n".join([title, "-" * len(title), *rows])] if rows else []


def _filled(text: str, indent: str) -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _parameters(doc: Doc, function: Function) -> list[tuple[str, str]]:
    known = {name: (key, text) for key, text in doc.params.items() for name in key.lstrip("*").split(", ")}
    entries: dict[str, str] = {}
    for name, (kind, default) in arguments(function.args).items():
        if name not in known:
            raise ValueError(f"{function.name}: nothing is known of its parameter {name}")
        key, text = known[name]
        optional = default == "None" and kind.endswith(" | None")
        words = doc.types.get(key) or type_words(kind.removesuffix(" | None") if optional else kind)
        star = "*" if default == "*" else ""
        entries[f"{star}{key} : {words}{', optional' if optional else ''}"] = text
    return list(entries.items())


def arguments(args: ast.arguments) -> dict[str, tuple[str, str]]:
    """Each argument's type and default by its name; the default of one with a star is a star."""
    defaults = [None] * (len(args.args) - len(args.defaults)) + args.defaults
    found = {
        arg.arg: (_kind(arg), _source(default)) for arg, default in zip(args.args, defaults, strict=True)
    }
    found.pop("self", None)
    if args.vararg:
        found[args.vararg.arg] = (_kind(args.vararg), "*")
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found[arg.arg] = (_kind(arg), _source(default))
    return found


def _source(default: ast.expr | None) -> str:
    return "" if default is None else quoted(default.value if isinstance(default, ast.Constant) else default)


def quoted(value: Any) -> str:
    """A value as source, or as it stands there already."""
    if isinstance(value, ast.expr):
        return ast.unparse(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _kind(arg: ast.arg) -> str:
    return ast.unparse(arg.annotation) if arg.annotation else "Any"
