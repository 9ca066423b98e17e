"""Pages of the documentation that are made from the code: commands and errors."""

from __future__ import annotations

import re

from skillbook import errors
from skillbook.errors import error_classes
from skillbook.protocol.commands import COMMANDS, Command

_HEAD = """# Commands

Every action, whether from a person, the agent or a replayed skill, is one of these. A target is a ref such as `e12` or
a role selector such as `button 'Save'`. The policy can raise a command's effect for a given target, never lower it.

| command | effect | parameters | what it does |
|---|---|---|---|
"""


def command_table() -> str:
    """The page as Markdown, from the one table of commands."""
    rows = [_row(command) for command in COMMANDS.values() if not command.internal]
    return _HEAD + "\n".join(rows) + "\n"


_ERRORS_HEAD = """# Errors

Every error is a `SkillbookError`: it has a `code`, a `message` that says what happened, a `hint` that says what to try,
and `data` for programs. `except sb.SkillbookError` catches them all; the classes are in `skillbook.errors`.

| code | class | what it means | what to try |
|---|---|---|---|
"""
_TREE_LINE = re.compile(r"[├└]── (\w+) +(\S.*)")


def error_table() -> str:
    """The page as Markdown, from the error tree and the classes' hints."""
    meanings = dict(_TREE_LINE.findall(errors.__doc__ or ""))
    rows = [
        f"| `{cls.code}` | `{cls.__name__}` | {meanings[cls.__name__]} | {cls.default_hint or 'the message says'} |"
        for cls in sorted(error_classes().values(), key=lambda cls: cls.code)
        if cls.__name__ in meanings
    ]
    return _ERRORS_HEAD + "\n".join(rows) + "\n"


def _row(command: Command) -> str:
    fields = command.call_model.model_fields
    names = [f"`{name}`" if info.is_required() else f"`{name}`?" for name, info in fields.items()]
    return (
        f"| `{command.name}` | {command.effect.value} | {', '.join(names) or '–'} | {command.description} |"
    )
