"""Keeping a record of every call that is carried out or refused."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command

from skillbook.agents.fence import fence, unfence
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.sealing import masked_args, seal_typed
from skillbook.agents.state.step_records import UNTRUE_CALLS, CallNotes, StepRecord, call_in_words
from skillbook.agents.tools.call_history import last_call
from skillbook.agents.tools.tool_base import without_unknown
from skillbook.policy.secrets import store
from skillbook.session.page.act_requests import ActRequests


class RecordingMiddleware(AgentMiddleware[Any, Any, Any]):
    """Writes a `StepRecord` for each call that gets past the approval, also for unknown tools."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run the call and write down what came of it."""
        context = self._context
        context.check_halt()
        context.set_phase("exploring" if request.tool_call["name"] == "explore" else "executing")
        context.notes, context.call_id = CallNotes(), str(request.tool_call["id"])
        started, began = time.perf_counter(), time.monotonic()
        result = await self._carry_out(request, handler)
        elapsed_ms = (time.perf_counter() - started) * 1000
        report = context.requests.report(began) if context.requests is not None else ""
        if context.notes.error in UNTRUE_CALLS and isinstance(result, ToolMessage):
            result = result.model_copy(update={"status": "error"})
        record = self._record(request, result, elapsed_ms)
        if report:
            known = record.result
            new = [line for line in report.splitlines() if line.removeprefix("- ") not in known]
            record.result = "\n".join([known, *new])
            if isinstance(result, ToolMessage) and isinstance(result.content, str):
                said = f"{result.content}\nRequests of this call, or of earlier ones that came late:\n{fence(report)}"
                result = result.model_copy(update={"content": said})
        context.add_step(record)
        if (act := context.notes.act) is not None:
            act.changed.append(partial(self._correct, record, act))
        return result

    def _correct(self, record: StepRecord, act: ActRequests) -> None:
        """More became known of the requests of a step: it says so from now on."""
        record.correct(act)
        self._context.notify()

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Query the model; what it wants typed where nobody may read is sealed before the answer is on disk."""
        response = await handler(request)
        await self._context.read_if_stale()
        for message in response.result:
            for call in message.tool_calls if isinstance(message, AIMessage) else ():
                seal_typed(call["name"], call["args"], self._context.latest)
        return response

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Mask in the conversation, which is kept on disk, what went where nobody may read it."""
        masked = self._context.masked_calls
        found = [
            _masked(message, masked)
            for message in state["messages"]
            if isinstance(message, AIMessage)
            and any(
                call["id"] in masked and call["args"] != masked[call["id"]] for call in message.tool_calls
            )
        ]
        return {"messages": found} if found else None

    async def _carry_out(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run the call, and say meanwhile which one it is."""
        context, call = self._context, request.tool_call
        review = context.reviews.get(str(call["id"]))
        context.under_way = call_in_words(call["name"], review.target if review else "", call["args"])
        context.notify()
        await context.read_if_stale()
        try:
            return await handler(request)
        finally:
            context.under_way = ""

    def _record(
        self, request: ToolCallRequest, result: ToolMessage | Command[Any], elapsed_ms: float
    ) -> StepRecord:
        context, notes, call = self._context, self._context.notes, request.tool_call
        call_id = str(call["id"])
        answer = last_call(request.state["messages"], call_id)
        called_with = answer[1] if answer else call["args"]
        if request.tool is not None:
            called_with, _ = without_unknown(request.tool, called_with)
        decision = context.decisions.get(call_id, {"type": "auto"})
        review = context.reviews.get(call_id)
        text = unfence(result.text) if isinstance(result, ToolMessage) else ""
        failed = isinstance(result, ToolMessage) and result.status == "error"
        unknown = "unknown_tool" if request.tool is None else "invalid_params"
        # Nobody reads it from the page, so it isn't kept from here either; a skill asks for it by name.
        masked = masked_args(call["name"], called_with, context.latest, notes.extra.get("node"))
        if masked != called_with:
            called_with = context.masked_calls[call_id] = masked
        return StepRecord(
            index=0,
            tool=call["name"],
            args=called_with,
            call_id=call_id,
            effect=review.effect if review else "read",
            decision=decision["type"],
            edited=call["args"] if decision["type"] == "edit" else None,
            reason=review.reason if review else "",
            said=answer[0] if answer else "",
            result=store.redact_kept(notes.summary or text),
            error=notes.error or (unknown if failed else None),
            changed=notes.changed,
            elapsed_ms=elapsed_ms,
            url=store.redact_kept(notes.url),
            carried=notes.carried,
            before=notes.before,
            after=notes.after,
            extra=notes.extra | ({"place": review.place} if review and review.place else {}),
        )


def _masked(message: AIMessage, masked: Mapping[str, dict[str, Any]]) -> AIMessage:
    calls = [{**call, "args": masked.get(str(call["id"]), call["args"])} for call in message.tool_calls]
    content = store.redact_kept(message.content) if isinstance(message.content, str) else message.content
    beside = {name: value for name, value in message.additional_kwargs.items() if name != "tool_calls"}
    return message.model_copy(update={"tool_calls": calls, "content": content, "additional_kwargs": beside})
