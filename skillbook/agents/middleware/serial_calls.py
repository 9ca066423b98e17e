"""One tool call at a time, that has an id of ours and can be kept; an answer that is none is asked for once more."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NotRequired

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    hook_config,
)
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command

from skillbook.agents.control.controller import is_controlled
from skillbook.agents.models.answer_faults import AnswerFault, find_fault
from skillbook.agents.models.call_ids import IdentifiedModel
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import StepRecord
from skillbook.agents.tools.offered import MODES
from skillbook.agents.tools.tool_base import argument_names
from skillbook.errors import ModelUnreachable, Stopped


class TurnState(AgentState[Any]):
    """The graph's state with the number of answers so far, which names the calls of the next one."""

    turns: NotRequired[int]


class SerialCallsMiddleware(AgentMiddleware[TurnState, Any, Any]):
    """Turns parallel calls off, answers surplus calls unrun, and sends broken calls back to the model.

    Numbers too great for a checkpoint become their digits, which a text takes and a number's argument refuses.

    Parameters
    ----------
    context : the run's.
    result_tool : what the model calls to give the result of a run with a schema; empty where the run ends in words.
    """

    state_schema = TurnState

    def __init__(self, context: RunContext, result_tool: str = "") -> None:
        super().__init__()
        self._context, self._result_tool = context, result_tool

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Request one call at a time where the model has that setting; query it once more for an answer that is none.

        Raises
        ------
        ModelUnreachable: that one is none either, or the model was kept from answering.
        """
        if is_controlled(self._context):  # ids and answers are our own
            return await handler(request)
        if "parallel_tool_calls" in inspect.signature(request.model.bind_tools).parameters:
            settings = {**request.model_settings, "parallel_tool_calls": False}
            request = request.override(model_settings=settings)
        turn = int(request.state.get("turns", 0))  # type: ignore[call-overload]
        model: Any = IdentifiedModel(request.model, self._context.run_id, turn)
        request = request.override(model=model)
        answer = await handler(request)
        fault = self._fault(answer, request)
        if fault is not None and fault.again:
            answer = await handler(request.override(messages=[*request.messages, *_again(answer, fault)]))
            fault = self._fault(answer, request)
        if fault is not None:
            raise ModelUnreachable(
                f"The model {self._context.choice.name} gave no usable answer: {fault.reason}",
                hint="`run.start()` queries it once more; another model may do better.",
            )
        for message in answer.result:
            if isinstance(message, AIMessage):
                message.tool_calls = _storable(message.tool_calls)
        return answer

    def _fault(self, answer: ModelResponse[Any], request: ModelRequest[Any]) -> AnswerFault | None:
        message = next((message for message in answer.result if isinstance(message, AIMessage)), None)
        if message is None or answer.structured_response is not None:
            return None
        tools = [tool for tool in request.tools if isinstance(tool, BaseTool)]
        names = {*(tool.name for tool in tools), *(mode.name for mode in MODES), self._result_tool}
        arguments = {name for tool in tools for name in argument_names(tool)}
        return find_fault(message, names - {""}, arguments=arguments, schema=self._result_tool)

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Count the answer; answer calls whose arguments aren't JSON, and let the model try again."""
        last, counted = _last_answer(state["messages"]), {"turns": int(state.get("turns", 0)) + 1}
        if last is None or not last.invalid_tool_calls:
            return counted
        answers: list[ToolMessage] = []
        for call in last.invalid_tool_calls:
            text = f"The arguments of this call of `{call['name']}` were not valid JSON. Call it again."
            answers.append(
                ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error")
            )
            self._context.add_step(
                StepRecord(
                    index=0,
                    tool=str(call["name"]),
                    args={"raw": call["args"]},
                    call_id=call["id"] or "",
                    result=text,
                    error="invalid_params",
                )
            )
        update = {**counted, "messages": answers}
        return update if last.tool_calls else {**update, "jump_to": "model"}

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run the first call of an answer only, unless whoever made it calls it off."""
        last = _last_answer(request.state["messages"])
        call = request.tool_call
        if last is None or not last.tool_calls or _is_first(call, last.tool_calls):
            return await self._unless_called_off(request, handler)
        return ToolMessage(
            "Not run: one call at a time. Read the result of the first, then call again if still needed.",
            name=call["name"],
            tool_call_id=call["id"] or "",
            status="error",
        )

    async def _unless_called_off(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call, work = request.tool_call, self._context.call_work
        call_id = str(call["id"])
        try:
            if work.is_off(call_id):
                raise work.stopped()
            return await work.carry(call_id, handler(request))
        except Stopped as error:
            if not work.is_off(call_id):
                raise
            self._context.add_step(
                StepRecord(
                    index=0, tool=call["name"], args=call["args"], call_id=call_id, result=error.message,
                    error=error.code,
                )
            )  # fmt: skip
            text = f"Not done: {error.message} before it began to act."
            return ToolMessage(text, name=call["name"], tool_call_id=call_id, status="error")


def _is_first(call: Any, calls: Sequence[Any]) -> bool:
    """Whether a call is the first of an answer; in a run of an earlier version several may have one id."""
    shared = sum(each["id"] == call["id"] for each in calls) > 1
    return bool(calls[0] == call if shared else calls[0]["id"] == call["id"])


def _again(answer: ModelResponse[Any], fault: AnswerFault) -> list[AnyMessage]:
    """What the model gets with the request that is made once more: its own words, and what is wrong with them."""
    said = "\n".join(str(message.text) for message in answer.result if isinstance(message, AIMessage)).strip()
    return [*([AIMessage(said)] if said else []), HumanMessage(fault.words)]


def _storable(value: Any) -> Any:
    """The value with whole numbers of more than 64 bits, which MessagePack doesn't have, as their digits."""
    if isinstance(value, dict):
        return {name: _storable(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_storable(one) for one in value]
    return str(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value


def _last_answer(messages: list[AnyMessage]) -> AIMessage | None:
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)
