"""The code of a skill: one function `run(page, *, …)`; each call that acts or reads rows is a step by its line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from skillbook.cells.foresight import ForeseenCall, foresee
from skillbook.cells.parsed_code import parsed
from skillbook.cells.surface import TAB_TOOLS
from skillbook.cells.written_secrets import find_hidden_code
from skillbook.errors import InvalidCell
from skillbook.policy.secrets import Secret

FIRST_LINE = "from skillbook.cells.in_kernel import sb"
"""What a kernel needs and the sandbox has by itself."""
EXTRACT_TOOL = "extract"


class CodeStep(Protocol):
    """The part of a step that names its call."""

    @property
    def command(self) -> str:
        """The command, or `extract`."""

    @property
    def line(self) -> int:
        """The line of the code, from 1."""


def calls_of(code: str) -> list[ForeseenCall]:
    """The calls of a skill's code that need a step, one for each line and command.

    Raises
    ------
    InvalidCell : it is no Python.
    """
    found = {
        (call.line, call.method.tool): call
        for call in reversed(foresee(code).calls)
        if call.method.effect != "read" or call.method.tool == EXTRACT_TOOL
    }
    return list(reversed(found.values()))


def check_code(code: str, steps: Sequence[CodeStep], inputs: Iterable[str]) -> None:
    """Refuse code that isn't one function with the inputs, or whose calls aren't the steps.

    Raises
    ------
    ValueError : with what is wrong, for the validation of models.
    """
    if not code:
        raise ValueError("steps have lines, and there is no code")
    try:
        calls, tree = calls_of(code), parsed(code)
        other = [call.line for call in foresee(code).calls if call.method.tool in TAB_TOOLS]
    except InvalidCell as error:
        raise ValueError(f"skill.py: {error.message}") from None
    if other:
        raise ValueError(f"skill.py, line {other[0]}: a skill that is code works in one tab")
    if hidden := find_hidden_code(code):
        raise ValueError(f"skill.py, {hidden[0].shown(code)}")
    body = [each for each in tree.body if not isinstance(each, ast.Expr)]
    if body and isinstance(body[0], ast.ImportFrom) and ast.unparse(body[0]) == FIRST_LINE:
        body = body[1:]
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != "run":
        raise ValueError("skill.py: exactly one function `run` is wanted")
    arguments = body[0].args
    named = {each.arg for each in arguments.kwonlyargs}
    if [each.arg for each in arguments.args] != ["page"] or named - set(inputs) or arguments.vararg:
        raise ValueError(
            f"skill.py: run(page, *, …) takes the inputs, and there are {', '.join(inputs) or 'none'}"
        )
    wanted = [(call.line, call.method.tool) for call in calls]
    if sorted(wanted) != sorted((step.line, step.command) for step in steps):
        raise ValueError(
            "skill.py and the steps differ: each call that acts or reads rows is one step with its line and command; "
            f"the code has {', '.join(f'{tool} in line {line}' for line, tool in wanted) or 'none'}"
        )


def program_of(code: str, values: Mapping[str, Any]) -> str:
    """What the sandbox runs: the code, and a call of its function with the inputs' values."""
    function = next(each for each in parsed(code).body if isinstance(each, ast.FunctionDef))
    named = [each.arg for each in function.args.kwonlyargs]
    given = ", ".join(["page", *(f"{name}={_plain(values[name])}" for name in named)])
    return f"{code.replace(FIRST_LINE, '', 1).rstrip()}\n\n\nrun({given})\n"


def _plain(value: Any) -> str:
    """An input's value as an expression; only a `Secret` is one for the code, whatever a text says."""
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, Secret) and value == Secret(min(value.names)):
        return f"sb.secret({min(value.names)!r})"
    # Texts side by side are no placeholder (`skillbook.cells.written_secrets`).
    return " ".join(map(repr, re.split(r"(?<=\$)(?=\{secret:)", str.__str__(str(value)))))
