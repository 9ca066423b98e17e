"""Tools derived from the command registry: one entry there is one tool here."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.tools import BaseTool

from skillbook.agents.context import RunContext
from skillbook.agents.fence import fence
from skillbook.agents.tools.base import make_tool
from skillbook.agents.tools.wording import after_action, record_action
from skillbook.protocol.commands import COMMANDS, Command
from skillbook.protocol.commands.act import ActionOutcome
from skillbook.protocol.commands.navigate import NavigationResult

OWN_TOOLS = frozenset(
    {"snapshot", "wait_for", "screenshot", "tabs_open", "tabs_list", "tabs_switch", "tabs_close"}
)
"""Commands whose tools are written by hand, because a model needs other arguments or another answer."""


def command_tools(context: RunContext, *, allow_evaluate: bool) -> list[BaseTool]:
    """A tool for each command that works on a page, internal ones and `OWN_TOOLS` left out."""
    return [
        _tool_for(context, command)
        for command in COMMANDS.values()
        if command.scope == "page"
        and not command.internal
        and command.name not in OWN_TOOLS
        and (allow_evaluate or command.name != "evaluate")
    ]


def _tool_for(context: RunContext, command: Command) -> BaseTool:
    acts = command.result in {ActionOutcome, NavigationResult}
    work = _acting(context, command) if acts else _reading(context, command)
    return make_tool(
        command.name,
        command.description,
        command.call_model,
        work,
        effect=command.effect.value,
        kind="command",
    )


def split_targets(command: Command, args: dict[str, Any]) -> tuple[str | None, str | None, dict[str, Any]]:
    """Take the target, and what to drop on, out of a call's arguments."""
    rest = {name: value for name, value in args.items() if value is not None}
    target = rest.pop("target", None) if "ref" in command.ref_fields else None
    drop = rest.pop("to", None) if "to_ref" in command.ref_fields else None
    return target, drop, rest


def _acting(context: RunContext, command: Command) -> Any:
    async def act(**args: Any) -> str:
        page = context.page
        context.notes.before = page.latest
        context.notes.url = page.url
        given = {name: value for name, value in args.items() if value is not None}
        result = await page.perform(
            command.name, given, actor="agent", approved=context.approved(), run=context.journal_key()
        )
        record_action(context, result)
        return after_action(context, result)

    return act


def _reading(context: RunContext, command: Command) -> Any:
    async def read(**args: Any) -> str:
        target, _, params = split_targets(command, args)
        page = context.page
        context.notes.before = page.latest
        resolved = await page.resolve(target) if target is not None else None
        if resolved is not None:
            params["ref"] = resolved.ref
        data = await page.run(
            command.name,
            params,
            target=resolved,
            actor="agent",
            approved=context.approved(),
            run=context.journal_key(),
        )
        context.notes.url = page.url
        value = data.get("value", data) if isinstance(data, dict) else data
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        context.notes.summary = text
        return fence(text[:20_000])

    return read
