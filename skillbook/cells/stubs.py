"""The declarations that a cell is checked against, and the same in short, which the model reads."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import lru_cache

from skillbook.cells.surface import ATTRIBUTES, Method, page_methods, sb_methods
from skillbook.cells.written_secrets import HANDLES
from skillbook.protocol.commands import COMMANDS

BEGIN = "begin_of_cell"
"""A function that only the check calls: a cell stops there before its first line."""
_HEAD = """\
from typing import Any
class ActionResult:
    changed: bool | None
    url: str
    path: str | None
class Node:
    ref: str
    role: str
    name: str
    value: str | None
    text: str
class SkillResult:
    value: Any
    rows: list[dict[str, Any]]
class Secret: ...
Target = str | Node  # a ref such as 'e12', a role selector, or a Node
"""
_SHORT_HEAD = """\
Target = str | Node  # a ref such as 'e12', a role selector, or a Node; `target` and `to` are such
class Node: ref: str; role: str; name: str; value: str | None; text: str
class ActionResult: changed: bool | None; url: str; path: str | None  # what a method without -> returns
class SkillResult: value: Any; rows: list[dict]
class Page: url: str; title: str
"""
_NAME = inspect.Parameter("name", inspect.Parameter.POSITIONAL_ONLY, annotation="str")
_SECRET = Method(
    "sb",
    "secret",
    "secret",
    inspect.Signature([_NAME]),
    "Secret",
    "Stands for a secret, to fill or type; no text.",
)


@lru_cache(maxsize=1)
def stub_text() -> str:
    """What a cell can call, as a `.pyi` file."""
    attributes = "".join(f"    {name}: {kind}\n" for name, kind in ATTRIBUTES.items())
    page = f"class Page:\n{attributes}{''.join(map(_line, page_methods().values()))}"
    method = (
        "    def secret(self, name: str) -> Secret: ...  # stands for a secret, to fill or type; no text\n"
    )
    sb = f"class Skillbook:\n{''.join(map(_line, sb_methods().values()))}{method}"
    return f"{_HEAD}{page}{sb}page: Page\nsb: Skillbook\n"


@lru_cache(maxsize=1)
def checked_stubs() -> str:
    """The same with what only the check calls."""
    return f"{stub_text()}{HANDLES}: dict[str, Secret]\ndef {BEGIN}() -> None: ...\n"


def _line(method: Method) -> str:
    doc = f"  # {method.doc}" if method.doc else ""
    return f"    def {method.name}({_parameters(method)}) -> {method.returns}: ...{doc}\n"


@lru_cache(maxsize=1)
def short_stubs() -> str:
    """What a cell can call, for the model: a line for each method, without what it can tell by the others."""
    page, sb = page_methods().values(), [*sb_methods().values(), _SECRET]
    return f"{_SHORT_HEAD}{''.join(map(_short_line, page))}class Skillbook:\n{''.join(map(_short_line, sb))}"


def _short_line(method: Method) -> str:
    returns = "" if method.returns == "ActionResult" else f" -> {method.returns}"
    doc = f"  # {method.doc.removesuffix('.')}" if method.doc else ""
    return f"    {method.name}({', '.join(_short_parameters(method))}){returns}{doc}\n".replace(
        "[str, Any]", ""
    )


def _short_parameters(method: Method) -> Iterator[str]:
    """A default tells the type, and so does a name that is the type's."""
    starred = False
    for name, each in method.signature.parameters.items():
        kind = str(each.annotation).replace("Sequence[", "list[").strip("'").removesuffix(" | None")
        known = kind in {"Target", "Page"} or each.default not in {each.empty, None}
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or each.kind in {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL}
        if each.kind is inspect.Parameter.VAR_POSITIONAL:
            yield f"*{name}"
        elif each.kind is inspect.Parameter.VAR_KEYWORD:
            yield f"**{name}"
        elif each.default is each.empty:
            yield name if known else f"{name}: {kind}"
        else:
            yield f"{name}={each.default!r}" if known else f"{name}: {kind} = {each.default!r}"


def _parameters(method: Method) -> str:
    parts, starred = ["self"], False
    command = COMMANDS.get(method.tool)
    for name, each in method.signature.parameters.items():
        kind = str(each.annotation).replace("Sequence[", "list[").strip("'")
        if command is not None and name == command.text_param:
            kind += " | Secret"
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if each.kind is inspect.Parameter.VAR_POSITIONAL:
            parts.append(f"*{name}: {kind}")
            starred = True
            continue
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            parts += ["/", f"**{name}: {kind}"]  # inputs may have any name
            continue
        parts.append(f"{name}: {kind}" + ("" if each.default is each.empty else f" = {each.default!r}"))
    return ", ".join(parts)
