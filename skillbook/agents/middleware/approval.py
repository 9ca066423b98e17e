"""Asking a person: the policy decides which call waits, and the graph stands still there until the decision comes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from skillbook.agents.middleware.run_middleware import CallAnswer, CarryOut, RunMiddleware
from skillbook.agents.review.approval_review import ApprovalReview, is_inherited, refs_in
from skillbook.agents.review.person_help import find_failures, find_obstacle
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import DecisionName, Obstacle
from skillbook.agents.tools.formatting import page_text
from skillbook.agents.tools.tool_base import without_unknown
from skillbook.errors import InvalidParams

DECISIONS: tuple[DecisionName, ...] = ("approve", "edit", "reject", "respond")


class ReviewMiddleware(RunMiddleware):
    """Reviews each call before `ApprovalMiddleware` asks a person where that is due.

    A review is kept by the call's id, so that a resumed call gets the same answer.
    """

    def __init__(self, context: RunContext, approvals: ApprovalReview) -> None:
        super().__init__(context)
        self._approvals = approvals

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
        """Review the call, then pass it on."""
        self._context.check_halt()
        call, tool = request.tool_call, request.tool
        if tool is None:
            return await handler(request)
        args, unknown = without_unknown(tool, call["args"])
        request = request.override(tool_call={**call, "args": args}) if unknown else request
        inherited = self._is_inherited(request)
        await self._approvals.review(str(call["id"]), tool, args, inherited=inherited)
        if not unknown:
            return await handler(request)
        self._refuse_lasting(str(call["id"]), tool, unknown)
        return _say_left_out(await handler(request), tool.name, unknown)

    def _refuse_lasting(self, call_id: str, tool: BaseTool, unknown: Sequence[str]) -> None:
        """Refuse what can't be undone if the model wanted something of it that there isn't, such as a trial."""
        review = self._context.reviews.get(call_id)
        if review is not None and review.effect == "irreversible" and review.refusal is None:
            refusal = InvalidParams(
                f"`{tool.name}` has no argument {_quoted(unknown)}, and this call can't be undone. It was not made.",
                hint="Call again without it if that is still right.",
            )
            self._context.reviews[call_id] = replace(review, waits=False, needs_person=False, refusal=refusal)

    def _is_inherited(self, request: ToolCallRequest) -> bool:
        """Whether a call names what an earlier kernel showed; of a cell's code it is known what it was given here."""
        context, call = self._context, request.tool_call
        if context.resumed and context.cells is not None and context.cells.is_foreign(str(call["id"])):
            return not context.page_shown or context.cells.inherits(refs_in(call["args"]))
        return is_inherited(context, request.state["messages"], call["args"])


class ApprovalMiddleware(RunMiddleware):
    """Interrupts the run at each call whose review says so; the answer to the interrupt is the person's decision.

    LangChain's own middleware makes a pydantic model of every call that waits, and again when it goes on, which is
    what a person would wait for after the click; `Stepper.decide` has checked the decision by then.
    """

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
        """Carry the call out as decided, or answer it in the person's words."""
        call = request.tool_call
        review = self._context.reviews.get(str(call["id"]))
        if request.tool is None or (review is not None and not review.waits):
            return await handler(request)
        decision = interrupt({"tool_call_id": str(call["id"]), "name": call["name"], "args": call["args"]})
        if decision["type"] == "approve":
            return await handler(request)
        if decision["type"] == "edit":
            args = decision["edited_action"]["args"]
            answer = await handler(request.override(tool_call={**call, "args": args}))
            return _say_edited(answer, str(call["name"]), args)
        refused = decision["type"] == "reject"
        return ToolMessage(
            _words_of_refusal(decision.get("message", "")) if refused else decision["message"],
            name=call["name"],
            tool_call_id=str(call["id"]),
            status="error" if refused else "success",
        )


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _say_left_out(
    answer: ToolMessage | Command[Any], name: str, unknown: Sequence[str]
) -> ToolMessage | Command[Any]:
    """The answer to a call that was carried out without what the tool doesn't know."""
    if not isinstance(answer, ToolMessage):
        return answer
    note = f"Note: `{name}` has no argument {_quoted(unknown)}; the call was taken without it.\n\n"
    return answer.model_copy(update={"content": note + answer.text})


def _words_of_refusal(why: str) -> str:
    if why:
        return f"The person rejected this call: {why}"
    return "The person rejected this call; nothing was done. Do not repeat it unless they ask for it."


def _say_edited(
    answer: ToolMessage | Command[Any], name: str, args: dict[str, Any]
) -> ToolMessage | Command[Any]:
    """The answer to an edited call, which says what was carried out."""
    if not isinstance(answer, ToolMessage):
        return answer
    note = (
        f"Note: a human reviewer replaced this call on purpose before it ran. Carried out was {name} with "
        f"{json.dumps(args, ensure_ascii=False, default=str)}. Do not repeat your own call.\n\n"
    )
    return answer.model_copy(update={"content": note + answer.text})


class BindingMiddleware(RunMiddleware):
    """Binds the approval of an edited call to its new arguments; voids what the call left unused."""

    def __init__(self, context: RunContext, approvals: ApprovalReview) -> None:
        super().__init__(context)
        self._approvals = approvals

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
        """Carry the call out with its approval."""
        call = request.tool_call
        call_id = str(call["id"])
        if request.tool is not None and self._context.decisions.get(call_id, {}).get("type") == "edit":
            await self._approvals.bind_edited(call_id, request.tool, call["args"])
        try:
            return await handler(request)
        finally:
            self._context.approvals.pop(call_id, None)


class AssistanceMiddleware(RunMiddleware):
    """Has a person remove what is in the way, once for each obstacle of a document."""

    def __init__(self, context: RunContext) -> None:
        super().__init__(context)
        self._asked: set[tuple[str, str]] = set()

    async def abefore_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Wait for the person where there is an obstacle; the model then learns what they did."""
        context = self._context
        if not context.assist or context.ask_help is None:
            return None
        found = self._find()
        if found is None:
            return None
        answer = await context.ask_help(found)
        seen = (
            f"\nThe page is now:\n{page_text(context, await context.snapshot())}"
            if context.page is not None
            else ""
        )
        return {"messages": [HumanMessage(f"{answer}{seen}")]}

    def _find(self) -> Obstacle | None:
        context = self._context
        latest = context.page.latest if context.page is not None else None
        if latest is not None:
            found = find_obstacle(latest, f"{context.goal} {context.skill_prompt}")
            key = (found.kind, latest.main.key) if found is not None else None
            if key is not None and key not in self._asked:
                self._asked.add(key)
                return found
        return find_failures(context.steps)
