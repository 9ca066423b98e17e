"""The one table of commands."""

from __future__ import annotations

from skillbook.protocol.commands.act import ACT_COMMANDS, ActionOutcome
from skillbook.protocol.commands.page_tools import PAGE_TOOL_COMMANDS
from skillbook.protocol.commands.read import READ_COMMANDS
from skillbook.protocol.commands.registry import CALL_NAMES, Command, Effect, ModelWords
from skillbook.protocol.commands.requests import REQUEST_COMMANDS, TRAFFIC_COMMANDS
from skillbook.protocol.commands.settled import SETTLED_COMMANDS
from skillbook.protocol.commands.site_state import EMULATION_COMMANDS, STATE_COMMANDS
from skillbook.protocol.commands.tabs import NAVIGATE_COMMANDS, TABS_COMMANDS

_ALL = (
    READ_COMMANDS,
    ACT_COMMANDS,
    PAGE_TOOL_COMMANDS,
    NAVIGATE_COMMANDS,
    TABS_COMMANDS,
    REQUEST_COMMANDS,
    TRAFFIC_COMMANDS,
    SETTLED_COMMANDS,
    EMULATION_COMMANDS,
    STATE_COMMANDS,
)
COMMANDS: dict[str, Command] = {command.name: command for commands in _ALL for command in commands}


def acts(command: Command) -> bool:
    """Whether what a command returns becomes an `ActionResult`."""
    return command.navigates or issubclass(command.result, ActionOutcome)


ACTIONS = frozenset(name for name, command in COMMANDS.items() if acts(command))
"""The commands that do something: what they return becomes an `ActionResult`."""


def method_of(command: str) -> str:
    """What Python calls a command; one of a later version keeps its name."""
    return COMMANDS[command].method if command in COMMANDS else command


__all__ = ["ACTIONS", "CALL_NAMES", "COMMANDS", "Command", "Effect", "ModelWords", "acts", "method_of"]
