"""The declarations that a cell is checked against; the model reads the same text."""

from __future__ import annotations

import inspect
from functools import lru_cache

from skillbook.cells.surface import ATTRIBUTES, Method, page_methods, sb_methods

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
Target = str | Node  # a ref such as 'e12', a role selector, or a Node
"""


@lru_cache(maxsize=1)
def stub_text() -> str:
    """What a cell can call, as a `.pyi` file."""
    attributes = "".join(f"    {name}: {kind}\n" for name, kind in ATTRIBUTES.items())
    page = f"class Page:\n{attributes}{''.join(map(_line, page_methods().values()))}"
    method = "    def secret(self, name: str) -> str: ...  # stands for a secret, to fill or type\n"
    sb = f"class Skillbook:\n{''.join(map(_line, sb_methods().values()))}{method}"
    return f"{_HEAD}{page}{sb}page: Page\nsb: Skillbook\n"


@lru_cache(maxsize=1)
def checked_stubs() -> str:
    """The same with what only the check calls."""
    return f"{stub_text()}def {BEGIN}() -> None: ...\n"


def _line(method: Method) -> str:
    doc = f"  # {method.doc}" if method.doc else ""
    return f"    def {method.name}({_parameters(method)}) -> {method.returns}: ...{doc}\n"


def _parameters(method: Method) -> str:
    parts, starred = ["self"], False
    for name, each in method.signature.parameters.items():
        kind = str(each.annotation).replace("Sequence[", "list[").strip("'")
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
