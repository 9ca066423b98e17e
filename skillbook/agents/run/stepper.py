"""Driving a run from call to call: on the I/O thread, awaiting decisions, never losing a step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from skillbook.agents.middleware.approval import DECISIONS
from skillbook.agents.review.decisions import Auto, StepEnd, go_past, record_decision
from skillbook.agents.review.open_questions import Waiting
from skillbook.agents.run.run_code import can_step
from skillbook.agents.state.run_context import RunContext, RunHalted
from skillbook.agents.state.sealing import seal
from skillbook.agents.state.step_records import (
    ASSISTANCE,
    FINAL_STATUSES,
    RUN_CELL,
    PendingCall,
    RunStatus,
    is_question,
)
from skillbook.agents.tools.call_history import has_calls_of, last_call, restore_steps
from skillbook.agents.tools.tool_base import input_schema, kind_of
from skillbook.errors import AgentError, BudgetExceeded, SkillbookError
from skillbook.session.action import confined_to
from skillbook.session.stopping import Operation, Stopping

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import Interrupt

    from skillbook.session.page_driver import PageDriver


class Stepper(Waiting):
    """One run's state machine; every method runs on the I/O thread's loop.

    tools: the agent's tools by name.
    build: makes the graph; called at each start, so that changed limits count.
    first_messages: makes the messages that a new run begins with.
    """

    def __init__(
        self,
        context: RunContext,
        tools: dict[str, BaseTool],
        build: Callable[[], Awaitable[CompiledStateGraph[Any, Any, Any, Any]]],
        first_messages: Callable[[], Awaitable[list[AnyMessage]]],
    ) -> None:
        super().__init__(context, tools)
        self.messages: list[AnyMessage] = []
        self.restored = 0  # steps of an earlier kernel
        self._build = build
        self._first_messages = first_messages
        self._task: asyncio.Task[None] | None = None
        self._operation: Operation | None = None
        self._retired = False
        self._past: Callable[[PendingCall], bool] | None = None

    # --- going on -------------------------------------------------------------------------------

    def go(
        self,
        *,
        pausing: bool = False,
        auto: Auto | None = None,
        free: int = 0,
        past: Callable[[PendingCall], bool] | None = None,
    ) -> None:
        """Go on in the background.

        pausing: wait before every call from now on.
        auto: which calls pass without the approval that they need; None for none.
        past: which calls that need no person pass though the run pauses before each; None for none.
        """
        if self._retired:
            raise AgentError(
                f"The run {self.context.run_id!r} goes on in a newer object.",
                hint=f"Use that one: `sb.resume({self.context.run_id!r})`.",
            )
        self.context.pausing = pausing
        self._auto, self._steps_free, self._past = auto or Auto(), free, past
        if self._task is None or self._task.done():
            if self.status == "succeeded":
                raise AgentError(
                    "The run has reached its end.", hint="Make a new run, or go back with `run.fork(at=…)`."
                )
            self.context.halt.clear()
            self.at_end = False
            self.error = self.given_up = None
            self._set("running")
            self._task = asyncio.ensure_future(self._drive())
        elif self.pending is not None and self.pending.is_call and self._passes(self.pending):
            self._take(self.pending, {"type": "approve"}, by_person=self.pending.review.needs_person)

    def pause(self) -> None:
        """Wait before the next call, whatever it is; the one under way is carried out."""
        self.context.pausing = True
        self._auto, self._steps_free, self._past = Auto(), 0, None

    async def step(self, until: StepEnd = "call") -> None:
        """Let one call be carried out, then wait before the next.

        until: go on past calls of a cell: to its next `write`, its next `line`, or its `end`.
        Raises ApprovalPending: the next call waits for a person's decision.
        """
        if self.status == "waiting":
            raise self.approval_pending()
        self.go(pausing=True, free=1, past=go_past(until, self.pending))
        await self.settled()

    def plain_decision(self, decision: dict[str, Any], pending: PendingCall) -> dict[str, Any]:
        """`{"type": "step", "until": …}` approves a cell or its call, and waits again at `until`."""
        if decision["type"] != "step":
            return {key: value for key, value in decision.items() if key != "stepping"}
        if not can_step(pending):
            raise AgentError(
                "This call can't be approved by a step.", hint="Approve it, or step from a call of a cell."
            )
        return {"type": "approve"}

    def decided(self, decision: dict[str, Any], pending: PendingCall) -> None:
        """A whole cell that is approved runs to its end, also where the run waits before each call.

        Not so where the decision is a step, or says `"stepping": True`.
        """
        if decision["type"] == "step":
            self.context.pausing, self._past = True, go_past(decision.get("until", "call"), pending)
        elif pending.tool == RUN_CELL and "stepping" not in decision:
            self._past = go_past("end", pending)

    async def stop(self) -> None:
        """Stop now: a command under way is cut short, and the journal says that its outcome is unknown."""
        self.halt()
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task})
        elif self.status not in FINAL_STATUSES:
            self._set("stopped")

    def call_off(self, call_id: str) -> None:
        """End one call, whoever made it; the run goes on with the next."""
        self.context.call_work.call_off(call_id)

    def retire(self) -> None:
        """Never go on: another stepper has this run's checkpoints now."""
        self._retired = True

    def halt(self) -> None:
        """Begin to stop, without waiting for the end."""
        self.context.halt.set()
        if self._operation is not None:
            self._operation.stop()
        self.questions.call_off()

    def at_work_on(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the run is under way, or waits, on an event loop."""
        return self._task is not None and not self._task.done() and self._task.get_loop() is loop

    # --- the drive ------------------------------------------------------------------------------

    async def _drive(self) -> None:
        status: RunStatus = "failed"
        error: SkillbookError | None = None
        try:
            with confined_to(self.context.only_origins):
                status, error = await self._attended()
            if len(seal) and self.context.forget is not None:
                await self.context.forget()
        finally:
            self._end(status, error)

    async def _attended(self) -> tuple[RunStatus, SkillbookError | None]:
        """Go on until the run ends or is stopped; whoever learns how can begin it anew, for nothing is under way."""
        stopping: Stopping | None = self.context.stopping()
        if stopping is None:
            return await self._outcome()
        pages = self.context.page.browser.listeners
        stopping.listeners.append(self.halt)
        pages.append(self._note_page)
        try:
            with stopping.operation(apart=True) as self._operation:
                return await self._outcome()
        finally:
            self.at_end = True
            await self.requests.leave(at_once=True)
            if self.context.cells is not None:
                await self.context.cells.close()
            self._operation = None
            stopping.listeners.remove(self.halt)
            pages.remove(self._note_page)

    def _note_page(self, page: PageDriver, what: str) -> None:
        """A question about a page that is gone waits for nobody; a call under way ends by itself."""
        if what == "closed" and page is self.context.page and self.questions and self.context.lost_page():
            self.halt()

    async def _outcome(self) -> tuple[RunStatus, SkillbookError | None]:
        """Go on until the run ends, and say how."""
        try:
            graph = await self._build()
            await self.requests.join()
            config: Any = {"configurable": {"thread_id": self.context.run_id}}
            entry = await self._entry(graph, config)
            while True:
                output = await graph.ainvoke(entry, config, version="v2", durability="sync")
                self.messages = output.value.get("messages", [])
                if not output.interrupts:
                    break
                entry = await self._answer(output.interrupts[0])
            await self.requests.leave()
            answer = output.value.get("structured_response")
            self.result = answer if answer is not None else _last_text(self.messages)
            return ("failed" if self.context.only_failed else "succeeded"), None  # the model gave its answer
        except (RunHalted, asyncio.CancelledError):
            return "stopped", self.given_up or self.context.lost_page()
        except SkillbookError as error:
            lost = self.context.lost_page()
            if self.context.halt.is_set() or lost is not None:
                return "stopped", lost
            return "failed", error
        except Exception as error:
            return "failed", _as_run_error(error)

    async def _entry(self, graph: CompiledStateGraph[Any, Any, Any, Any], config: Any) -> Any:
        state = await graph.aget_state(config)
        if not state.values.get("messages"):
            await self.context.keep_call()
            given = {"cells": self.context.cells.given} if self.context.cells is not None else {}
            return {"messages": await self._first_messages(), **given}
        self.messages = state.values["messages"]
        if self.context.cells is None and has_calls_of(RUN_CELL, self.messages):
            raise AgentError(
                "The model of this run writes cells.", hint='Go on with `sb.resume(…, page, mode="cells")`.'
            )
        if not self.context.steps:
            self.context.steps = restore_steps(self.messages, self._tools)
            self.restored = len(self.context.steps)
        if not self.context.tasks:
            self.context.tasks.merge(state.values.get("tasks", []))
        return None  # the call that was under way, if any, begins again, with a new review and a new approval

    async def _answer(self, interrupt: Interrupt) -> Any:
        pending = self._pending_call(interrupt)
        # A stop may have come since the model answered: there is nobody to wait for any more.
        self.context.check_halt()
        if kind_of(self._tools[pending.tool]) == "person" and not is_question(pending.tool, pending.args):
            async with self._watching_person():
                return await self._decided(interrupt, pending)
        return await self._decided(interrupt, pending)

    async def _decided(self, interrupt: Interrupt, pending: PendingCall) -> Any:
        from langgraph.types import Command

        if self._passes(pending):
            self._note_decision(pending, {"type": "approve"}, by_person=pending.review.needs_person)
            return Command(resume={interrupt.id: {"type": "approve"}})
        self._auto, self._steps_free, self._past = Auto(), 0, None
        decided = self._wait_for(pending)
        try:
            decision = await (decided if pending.tool != ASSISTANCE else self._in_time(decided))
            return Command(resume={interrupt.id: decision})
        except asyncio.CancelledError:
            raise RunHalted from None

    def _passes(self, pending: PendingCall) -> bool:
        review = pending.review
        if not review.needs_person:
            if self.context.pausing and self._steps_free == 0:
                return self._past is not None and self._past(pending)
            self._steps_free = max(0, self._steps_free - 1)
            return True
        if review.strict or not self._auto.takes(pending):
            return False
        if not self._auto.by_code:
            record_decision(pending, {"type": "approve"})
        return True

    def _pending_call(self, interrupt: Interrupt) -> PendingCall:
        value = interrupt.value
        call_id, name = str(value["tool_call_id"]), str(value["name"])
        tool, cells = self._tools[name], self.context.cells
        call_text = last_call(self.messages, call_id)
        return PendingCall(
            id=f"call-{uuid4().hex[:12]}",  # the same call asks anew after a stop, on a page that may have changed
            call_id=call_id,
            tool=name,
            args=dict(value["args"]),
            said=call_text[0] if call_text else "",
            review=self.context.reviews[call_id],
            schema=input_schema(tool),
            decisions=DECISIONS,
            cell=cells.place(call_id, str(value["args"].get("code", "")) if name == RUN_CELL else "")
            if cells is not None
            else None,
        )

    def _end(self, status: RunStatus, error: SkillbookError | None = None) -> None:
        self.questions.clear()
        self.error = error
        self._set(status)


def _last_text(messages: list[AnyMessage]) -> str:
    return str(messages[-1].text) if messages else ""


def _as_run_error(error: Exception) -> SkillbookError:
    if "LimitExceeded" in type(error).__name__:
        return BudgetExceeded(
            f"The run used up its limit: {error}",
            hint="Set `run.max_steps` higher; `run.start()` then goes on.",
        )
    return AgentError(
        f"The run failed: {type(error).__name__}: {error}", hint="`run.start()` goes on from here."
    )
