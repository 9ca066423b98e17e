"""Pages of the documentation that are made from the code: commands and errors."""

from __future__ import annotations

import re

from skillbook import errors
from skillbook.errors import error_classes
from skillbook.protocol.commands import COMMANDS, Command

_HEAD = """# Commands

Every action is one of these commands, whether a person, an agent or a replayed skill does it. Most are methods of
`Page` with the same name: `page.click(target)`. Some have another name in Python: `is` is `page.is_`, `tabs_open` is
`browser.open`, `tabs_list` is `browser.refresh`, `tabs_switch` is `page.switch`, `tabs_close` is `page.close`.

A target is a ref such as `e12` or a role selector such as `button 'Save'`. Parameters with `?` may be left out. The
policy can raise a command's effect for a given target, never lower it.

| command | effect | parameters | what it does |
|---|---|---|---|
"""


def command_table() -> str:
    """The page as Markdown, from the one table of commands."""
    rows = [_row(command) for command in COMMANDS.values() if not command.internal]
    return _HEAD + "\n".join(rows) + "\n"


_ERRORS_HEAD = """# Errors

Every error is a `SkillbookError`. It has a `code`, a `message` about what happened, a `hint` about what to try, and
`data` for programs. `except sb.SkillbookError` catches them all. The classes are in `skillbook.errors`.

| code | class | what it means | what to try |
|---|---|---|---|
"""
_WARNINGS = """
## Warnings

| warning | what it means | what to do |
|---|---|---|
| `IncompleteFrame` | the page claims more rows than the frame has | read `df.skillbook.reason`; try `next=True` |
| `InvalidRows` | rows fail a check of `schema=` | read `df.skillbook.report` |
| `UserWarning` | a skill's failed trial, an ignored setting of `.env`, two skills of one name | see the message |
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
    return _ERRORS_HEAD + "\n".join(rows) + "\n" + _WARNINGS


def _row(command: Command) -> str:
    fields = command.call_model.model_fields
    names = [f"`{name}`" if info.is_required() else f"`{name}`?" for name, info in fields.items()]
    return (
        f"| `{command.name}` | {command.effect.value} | {', '.join(names) or '–'} | {command.description} |"
    )
