"""The calls of an answer: one at a time, never a second time if it may have had its effect, each with a record."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
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
from skillbook.agents.fence import fence, unfence
from skillbook.agents.middleware.run_middleware import (
    AskModel,
    CallAnswer,
    CarryOut,
    ModelAnswer,
    RunMiddleware,
)
from skillbook.agents.models.answer_faults import AnswerFault, IdentifiedModel, find_fault
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.sealing import masked_args, seal_typed
from skillbook.agents.state.step_records import UNTRUE_CALLS, CallNotes, StepRecord, call_in_words
from skillbook.agents.tools.call_history import last_call
from skillbook.agents.tools.offered import MODES
from skillbook.agents.tools.tool_base import argument_names, effect_of, without_unknown
from skillbook.errors import ModelUnreachable, Stopped
from skillbook.journal import JournalStep, Outcome, read_journal
from skillbook.policy.secrets import store
from skillbook.session.page.act_requests import ActRequests
from skillbook.skill.replay.skill_result import is_of_call, is_replay


class TurnState(AgentState[Any]):
    """The graph's state with the number of answers so far, which names the calls of the next one."""

    turns: NotRequired[int]


class SerialCallsMiddleware(AgentMiddleware[TurnState, Any, Any]):
    """Turns parallel calls off, answers surplus calls unrun, and sends broken calls back to the model.

    Numbers too great for a checkpoint become their digits, which a text takes and a number's argument refuses.

    result_tool: what the model calls to give the result of a run with a schema; empty where the run ends in words.
    """

    state_schema = TurnState

    def __init__(self, context: RunContext, result_tool: str = "") -> None:
        super().__init__()
        self._context, self._result_tool = context, result_tool

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
        """Request one call at a time where the model has that setting; query it once more for an answer that is none.

        Raises ModelUnreachable: that one is none either, or the model was kept from answering.
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

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
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
    text = "\n".join(str(message.text) for message in answer.result if isinstance(message, AIMessage)).strip()
    return [*([AIMessage(text)] if text else []), HumanMessage(fault.words)]


def _storable(value: Any) -> Any:
    """The value with whole numbers of more than 64 bits, which MessagePack doesn't have, as their digits."""
    if isinstance(value, dict):
        return {name: _storable(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_storable(one) for one in value]
    return str(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value


def _last_answer(messages: list[AnyMessage]) -> AIMessage | None:
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


# After a kernel dies between an effect and the next checkpoint, the graph runs the call anew. The journal was
# written before the effect, so it knows better.

_DONE = "This call was carried out already, before the run was interrupted. It was not repeated. {result}"
_UNKNOWN = (
    "The run was interrupted during this call, and nobody knows whether it had its effect. It was not repeated. "
    "Read the page with `snapshot` before you go on."
)


class IdempotencyMiddleware(RunMiddleware):
    """Answers a call of an interrupted run from the records where it began before."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
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
        text, known = began_text(began) or (_UNKNOWN, False)
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


def began_text(began: Sequence[JournalStep]) -> tuple[str, bool] | None:
    """What is said of a call that began before, by its steps in the journal, and whether it is known to be done.

    None where nothing of it was done.
    """
    outcomes = {Outcome.OK if step.was_done else step.outcome for step in began}
    if not outcomes & {Outcome.OK, Outcome.UNKNOWN}:
        return None
    # Of a skill nobody knows how many of its steps were still to come.
    of_a_skill = any(is_replay(step.run or "") for step in began)
    if Outcome.UNKNOWN in outcomes or of_a_skill:
        return _UNKNOWN, False
    return _DONE.format(result="Read the page with `snapshot`."), True


def find_intents(folders: Iterable[Path], key: str) -> list[JournalStep]:
    """Every step that the journals of folders have under a call's key, or of a skill that it ran, oldest first.

    key: a call's, or its end from `#` on, where the run's id isn't known.
    """
    found = [
        step
        for folder in folders
        for path in folder.glob("*.sqlite")
        for step in read_journal(path)
        if step.run is not None
        and is_of_call(step.run[step.run.find("#") :] if key[0] == "#" else step.run, key)
    ]
    return sorted(found, key=lambda step: step.intent_time)


class RecordingMiddleware(RunMiddleware):
    """Writes a `StepRecord` for each call that gets past the approval, also for unknown tools."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
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
                heading = "Requests of this call, or of earlier ones that came late"
                content = f"{result.content}\n{heading}:\n{fence(report)}"
                result = result.model_copy(update={"content": content})
        context.add_step(record)
        if (act := context.notes.act) is not None:
            act.changed.append(partial(self._correct, record, act))
        return result

    def _correct(self, record: StepRecord, act: ActRequests) -> None:
        """More became known of the requests of a step: it says so from now on."""
        record.correct(act)
        self._context.notify()

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AskModel) -> ModelAnswer:
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
        rest = context.page.rest if context.page is not None else None
        if rest is not None:
            rest.on_wait = context.notify
        await context.read_if_stale()
        try:
            return await handler(request)
        finally:
            context.under_way = ""
            if rest is not None:
                rest.on_wait = None

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
