"""A call that may have had its effect is never carried out again, and no person is asked to approve it again.

After a kernel dies between an effect and the next checkpoint, the graph runs the call anew. The journal was
written before the effect, so it knows better.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import StepRecord
from skillbook.agents.tools.tool_base import effect_of
from skillbook.journal import JournalStep, Outcome, read_journal
from skillbook.skill.replay.skill_result import is_of_call

_DONE = "This call was carried out already, before the run was interrupted. It was not repeated. {result}"
_UNKNOWN = (
    "The run was interrupted during this call, and nobody knows whether it had its effect. It was not repeated. "
    "Read the page with `snapshot` before you go on."
)


class IdempotencyMiddleware(AgentMiddleware[Any, Any, Any]):
    """Answers a call of an interrupted run from the records where it began before."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Carry the call out, unless it began already."""
        context, call = self._context, request.tool_call
        call_id = str(call["id"])
        if request.tool is None or effect_of(request.tool) == "read":
            return await handler(request)
        made = next((step for step in context.steps if step.call_id == call_id), None)
        if made is not None and made.decision not in {"reject", "respond"}:
            return self._answer(request, _DONE.format(result=""), made.ok)
        if not context.resumed:
            return await handler(request)
        folders = [Path(each) for each in context.journals]
        began = await asyncio.to_thread(find_intents, folders, context.key_of(call_id))
        outcomes = {Outcome.OK if step.was_done else step.outcome for step in began}
        # Without the journal of the kernel that judged it, nobody knows whether its last call was made.
        is_last = context.kept is not None and context.kept.call_id == call_id
        if is_last and not outcomes and not all(map(Path.is_dir, folders)):
            outcomes = {Outcome.UNKNOWN}
        if not outcomes & {Outcome.OK, Outcome.UNKNOWN}:
            return await handler(request)
        # Of a skill nobody knows how many of its steps were still to come.
        known = Outcome.UNKNOWN not in outcomes and all(step.run == context.key_of(call_id) for step in began)
        text = _DONE.format(result="Read the page with `snapshot`.") if known else _UNKNOWN
        context.add_step(
            StepRecord(
                index=0,
                tool=call["name"],
                args=call["args"],
                call_id=call_id,
                effect=effect_of(request.tool),
                result=text,
                error=None if known else "outcome_unknown",
                url=began[-1].url if began else "",
            )
        )
        return self._answer(request, text, known)

    def _answer(self, request: ToolCallRequest, text: str, ok: bool) -> ToolMessage:
        call = request.tool_call
        status = "success" if ok else "error"
        return ToolMessage(text, name=call["name"], tool_call_id=str(call["id"]), status=status)


def find_intents(folders: Iterable[Path], key: str) -> list[JournalStep]:
    """Every step that the journals of folders have under a call's key, or of a skill that it ran, oldest first."""
    found = [
        step
        for folder in folders
        for path in folder.glob("*.sqlite")
        for step in read_journal(path)
        if step.run is not None and is_of_call(step.run, key)
    ]
    return sorted(found, key=lambda step: step.intent_time)
