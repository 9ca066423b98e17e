"""The model gets a tool's failure as a message; it never ends the run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from skillbook.agents.fence import fence, fence_error, unfence
from skillbook.agents.middleware.run_middleware import CallAnswer, CarryOut, RunMiddleware
from skillbook.agents.state.run_context import RunHalted
from skillbook.agents.tools.formatting import as_tools
from skillbook.agents.tools.tool_base import effect_of
from skillbook.errors import (
    AgentError,
    ApprovalRequired,
    BrowserEnded,
    ConnectionLost,
    NotConnected,
    SkillbookError,
    StorageError,
)
from skillbook.perception.diff import compare

_SAME_CALLS = 3
_MOST_CHANGES = 2000
"""Characters of what changed; of more the model reads the page anew."""
_AGAIN = "\nThe same call may work if you make it again."


class ToolErrorMiddleware(RunMiddleware):
    """Turns errors into messages to the model; tries a read once more if that may help."""

    async def awrap_tool_call(self, request: ToolCallRequest, handler: CarryOut) -> CallAnswer:
        """Run the tool."""
        try:
            try:
                self._check_review(str(request.tool_call["id"]))
                self._check_loop(request)
                return await self._carry_out(request, handler)
            except SkillbookError as error:
                # A read may be made again whatever became of it; a write without an outcome may have happened.
                if not _is_read(request) or not (error.retryable or isinstance(error, ConnectionLost)):
                    raise
                return await self._carry_out(request, handler)
        except (GraphBubbleUp, RunHalted, BrowserEnded, StorageError):
            raise
        except asyncio.CancelledError:
            work = self._context.call_work
            if not work.caught(str(request.tool_call["id"])):
                raise
            return self._answer(request, self._note(work.stopped()))
        except SkillbookError as error:
            if isinstance(error, ConnectionLost) and self._context.page is not None:
                await self._context.page.browser.require_running()
            text = self._note(error)
            may_help = error.retryable and (_is_read(request) or isinstance(error, NotConnected))
            again = _AGAIN if may_help else ""
            return self._answer(request, text + again + await self._changes())
        except Exception as error:
            self._context.notes.error = "internal"
            self._context.notes.summary = f"{type(error).__name__}: {error}"
            self._context.notes.words = f"[internal] {self._context.notes.summary}"
            return self._answer(request, f"Failed [internal].\n{fence(self._context.notes.summary)}")

    def _note(self, error: SkillbookError) -> str:
        """Note an error for the call's record; the words of its answer."""
        words, tip = _in_words(error, self._context.outside_names or {})
        answer = fence_error(error, words, tip)
        notes = self._context.notes
        notes.error, notes.summary = error.code, error.message
        notes.words = f"[{error.code}] {unfence(answer)}"
        return f"Failed [{error.code}].\n{answer}"

    async def _changes(self) -> str:
        """What changed on the page since the model saw it, which may be why the call failed; empty if nothing did."""
        context = self._context
        seen, page = context.seen, context.page
        if seen is None or page is None:
            return ""
        try:
            now = context.visible_to_ai(await page.snapshot())
        except SkillbookError:
            return ""
        except asyncio.CancelledError:
            if not context.call_work.caught(context.call_id):
                raise
            return ""
        if now.main.key != seen.main.key:
            return f"\nThe page is another one by now: {fence(now.url)}\nRead it with `snapshot`."
        changes = compare(seen, now)
        if changes.empty:
            return ""
        text = changes.text()
        if len(text) > _MOST_CHANGES:
            return "\nMuch of the page has changed since you saw it: read it with `snapshot`."
        context.see(now)
        return f"\nWhat changed since you saw the page:\n{fence(text)}"

    def _check_review(self, call_id: str) -> None:
        """Raise what stands against the call, whatever the checkpoints say of an approval."""
        review = self._context.reviews.get(call_id)
        if review is None:
            return
        if review.refusal is not None:
            raise review.refusal
        if review.needs_person and call_id not in self._context.decisions:
            raise ApprovalRequired(
                "the approval of this call was given in an earlier kernel", hint="Call again."
            )

    def _check_loop(self, request: ToolCallRequest) -> None:
        """Refuse a call that came to nothing several times in a row."""
        call, steps = request.tool_call, self._context.steps[-_SAME_CALLS:]
        person = self._context.decisions.get(str(call["id"]), {}).get("type", "auto") != "auto"
        idle = all(
            (step.tool, step.final_args) == (call["name"], call["args"])
            and (step.error is not None or step.changed is False)
            for step in steps
        )
        if not person and len(steps) == _SAME_CALLS and idle:
            raise AgentError(
                f"This same call came to nothing {_SAME_CALLS} times in a row. It was not made again.",
                hint="Read the page with `snapshot` and go another way, or call `request_assistance`.",
            )

    async def _carry_out(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run the tool; a read is abandoned when the run is to stop, a write is waited for."""
        if request.tool is not None and effect_of(request.tool) == "read":
            return await self._context.unless_halted(handler(request))
        return await handler(request)

    def _answer(self, request: ToolCallRequest, text: str) -> ToolMessage:
        call = request.tool_call
        return ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error")


def _is_read(request: ToolCallRequest) -> bool:
    return request.tool is not None and effect_of(request.tool) == "read"


def _in_words(error: SkillbookError, names: Mapping[str, str]) -> tuple[str, str]:
    """What is wrong with what comes near, and what to try; candidates quote the page.

    names: what whoever makes the calls knows the tools as; empty for code, which has the calls of hints.
    """
    tip = as_tools(error.hint, names) if names else error.hint
    near = [
        f"{each.get('role', '')} {each.get('name', '')!r} [ref={each['ref']}]"
        for each in error.data.get("candidates") or []
        if isinstance(each, dict) and each.get("ref")
    ]
    nearest = f"\nNearest: {'; '.join(near)}" if near else ""
    return error.message + nearest, "" if "sb." in tip else tip
