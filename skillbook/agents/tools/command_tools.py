"""Tools derived from the command registry: one entry there is one tool here."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.tools import BaseTool

from skillbook.agents.fence import fence
from skillbook.agents.settling import with_late_changes
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.formatting import after_action, note_act, record_action
from skillbook.agents.tools.tool_base import make_tool
from skillbook.protocol.commands import ACTIONS, COMMANDS, Command
from skillbook.session.actions.prepare import prepare, split_call


def command_tools(context: RunContext, *, allow_evaluate: bool, page_tools: bool = False) -> list[BaseTool]:
    """A tool for each command that works on a page, where it is neither internal nor has a tool written by hand."""
    return [
        _tool_for(context, command)
        for command in COMMANDS.values()
        if command.scope == "page"
        and not command.internal
        and not command.custom_tool
        and (allow_evaluate or not command.runs_script)
        and (page_tools or not command.page_tools)
    ]


def _tool_for(context: RunContext, command: Command) -> BaseTool:
    work = _acting(context, command) if command.name in ACTIONS else _reading(context, command)
    return make_tool(
        command.name,
        command.description,
        command.tool_model,
        work,
        effect=command.effect.value,
        kind="command",
    )


def _acting(context: RunContext, command: Command) -> Any:
    async def act(**args: Any) -> str:
        page = context.page
        context.notes.before = page.latest
        context.notes.url = page.url
        given = {name: value for name, value in args.items() if value is not None}
        result = await page.perform(
            command.name,
            given,
            actor="agent",
            approval=context.take_approval(),
            run=context.journal_key(),
            given_files=context.files,
            seen=context.saw,
        )
        result = await with_late_changes(page, result, run=context.journal_key())
        record_action(context, result)
        return after_action(context, result)

    return act


def _reading(context: RunContext, command: Command) -> Any:
    async def read(**args: Any) -> str:
        page = context.page
        context.notes.before = page.latest
        target, _, params = split_call(command.name, args)
        approval, run = context.take_approval(), context.journal_key()
        action = await prepare(page, command.name, target, params, actor="agent", approval=approval, run=run)
        data = await page.send(action)
        if command.runs_script:
            note_act(context, page.acts.current)
        context.notes.url = page.url
        value = data.get("value", data) if isinstance(data, dict) else data
        context.notes.value = value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        context.notes.summary = text
        return fence(text[:20_000])

    return read
