"""The table of commands as a page of the documentation."""

from __future__ import annotations

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


def _row(command: Command) -> str:
    fields = command.call_model.model_fields
    names = [f"`{name}`" if info.is_required() else f"`{name}`?" for name, info in fields.items()]
    return (
        f"| `{command.name}` | {command.effect.value} | {', '.join(names) or '–'} | {command.description} |"
    )
