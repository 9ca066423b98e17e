"""Goals written as text, as `action(kind='logout') & ~form(purpose='login')`."""

from __future__ import annotations

import ast
from typing import Any

from skillbook import goals
from skillbook.errors import SkillbookError
from skillbook.goals import Goal

_MAKERS = {name: getattr(goals, name) for name in ("action", "collection", "download", "form", "text", "url")}


def parse_goal(text: str) -> Goal:
    """Make the goal that a text says; nothing else in it is carried out.

    Raises
    ------
    ValueError : it is none.
    """
    try:
        return _goal_of(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, SkillbookError, TypeError, ValueError, RecursionError) as error:
        said = error.message if isinstance(error, SkillbookError) else str(error)
        raise ValueError(f"{text!r} is no goal: {said}") from None


def _goal_of(node: ast.expr) -> Goal:
    match node:
        case ast.BinOp(left, ast.BitAnd(), right):
            return _goal_of(left) & _goal_of(right)
        case ast.BinOp(left, ast.BitOr(), right):
            return _goal_of(left) | _goal_of(right)
        case ast.UnaryOp(ast.Invert(), operand):
            return ~_goal_of(operand)
        case ast.Call(ast.Name(name), args, keywords) if name in _MAKERS:
            named: dict[str, Any] = {str(each.arg): ast.literal_eval(each.value) for each in keywords}
            made: Goal = _MAKERS[name](*(ast.literal_eval(each) for each in args), **named)
            return made
    raise ValueError(f"use {', '.join(_MAKERS)} with &, | and ~")
