"""Driving a run from call to call: on the I/O thread, awaiting decisions, never losing a step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from skillbook.agents.context import RunContext, RunHalted
from skillbook.agents.conversation import last_call, restore_steps
from skillbook.agents.middleware.approval import DECISIONS
from skillbook.agents.person_help import PersonHelp
from skillbook.agents.records import (
    ASSISTANCE,
    FINAL_STATUSES,
    Obstacle,
    PendingCall,
    Review,
    RunStatus,
    StepRecord,
    is_question,
)
from skillbook.agents.request_review import RunRequests
from skillbook.agents.taped_decisions import record_decision, replayed_decision
from skillbook.agents.tools.base import check_args, input_schema, kind_of
from skillbook.errors import AgentError, ApprovalPending, BudgetExceeded, NothingPending, SkillbookError
from skillbook.policy.learned import SCOPES, Rule, RuleBook, Scope
from skillbook.session.page.held_requests import HeldRequest, RequestDecision
from skillbook.session.stopping import Operation, Stopping

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from langchain_core.tools import BaseTool
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import Interrupt

Until = Literal["write", "irreversible"] | Callable[[PendingCall], bool]
Graph = "CompiledStateGraph[Any, Any, Any, Any]"
_SETTLED = FINAL_STATUSES | {"waiting", "paused"}


@dataclass
class Auto:
    """Which calls pass without the approval that they need, until one waits; those to be seen by a person always wait.

    Parameters
    ----------
    left: how many; None for any number.
    until: the first one that doesn't pass: `write`, `irreversible`, or what a function says of the pending call.
    by_code: whether code said so, which a cassette's replay runs again; else a person in a panel.
    """

    left: int | None = 0
    until: Until = "irreversible"
    by_code: bool = True

    def takes(self, pending: PendingCall) -> bool:
        """Whether a call passes."""
        effect = pending.review.effect
        if self.until == "write":
            ends = effect not in {"read", "none"}
        elif self.until == "irreversible":
            ends = effect == "irreversible"
        else:
            ends = bool(self.until(pending))
        if ends or self.left == 0:
            return False
        if self.left is not None:
            self.left -= 1
        return True


class Stepper:
    """One run's state machine; every method runs on the I/O thread's loop.

    Parameters
    ----------
    context: what the run shares.
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
        self.context = context
        self.status: RunStatus = "idle"
        self.error: SkillbookError | None = None
        self.result: Any = None
        self.messages: list[AnyMessage] = []
        self._tools = tools
        self._build = build
        self._first_messages = first_messages
        self.requests = context.requests = RunRequests(context, self.ask_request)
        context.ask_help = self.ask_help
        self.help: PersonHelp | None = None
        self._task: asyncio.Task[None] | None = None
        self._operation: Operation | None = None
        self._waiting: list[tuple[PendingCall, asyncio.Future[dict[str, Any]]]] = []
        self._auto = Auto()
        self._steps_free = 0
        self._waiters: list[asyncio.Future[None]] = []
        self._retired = False

    @property
    def pending(self) -> PendingCall | None:
        """What waits for a decision: a request that an action caused comes before the next call."""
        return self._waiting[-1][0] if self._waiting else None

    # --- going on -------------------------------------------------------------------------------

    def go(self, *, pausing: bool = False, auto: Auto | None = None, free: int = 0) -> None:
        """Go on in the background.

        Parameters
        ----------
        pausing: wait before every call from now on.
        auto: which calls pass without the approval that they need; None for none.
        free: how many pauses are skipped.
        """
        if self._retired:
            raise AgentError(
                f"The run {self.context.run_id!r} goes on in a newer object.",
                hint=f"Use that one: `sb.resume({self.context.run_id!r})`.",
            )
        self.context.pausing = pausing
        self._auto, self._steps_free = auto or Auto(), free
        if self._task is None or self._task.done():
            if self.status == "succeeded":
                raise AgentError(
                    "The run has reached its end.", hint="Make a new run, or go back with `run.fork(at=…)`."
                )
            self.context.halt.clear()
            self.error = None
            self._set("running")
            self._task = asyncio.ensure_future(self._drive())
        elif self.pending is not None and self.pending.is_call and self._passes(self.pending):
            self._take({"type": "approve"}, by_person=self.pending.review.needs_person)

    def pause(self) -> None:
        """Wait before the next call, whatever it is; the one under way is carried out."""
        self.context.pausing = True
        self._auto, self._steps_free = Auto(), 0

    async def step(self) -> None:
        """Let one call be carried out, then wait before the next.

        Raises
        ------
        ApprovalPending: the next call waits for a person's decision.
        """
        if self.status == "waiting":
            raise self.approval_pending()
        self.go(pausing=True, free=1)
        await self.settled()

    async def stop(self) -> None:
        """Stop now: a command under way is cut short, and the journal says that its outcome is unknown."""
        self.halt()
        if self._task is not None and not self._task.done():
            await asyncio.wait({self._task})
        elif self.status not in FINAL_STATUSES:
            self._set("stopped")

    def retire(self) -> None:
        """Never go on: another stepper has this run's checkpoints now."""
        self._retired = True

    def halt(self) -> None:
        """Begin to stop, without waiting for the end."""
        self.context.halt.set()
        if self._operation is not None:
            self._operation.stop()
        for _, decision in self._waiting:
            decision.cancel()

    def at_work_on(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the run is under way, or waits, on an event loop."""
        return self._task is not None and not self._task.done() and self._task.get_loop() is loop

    async def settled(self, *, at_end: bool = False) -> None:
        """Wait until the run waits for somebody or has ended; with `at_end`, until it has ended."""
        while self.status not in (FINAL_STATUSES if at_end else _SETTLED):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter

    # --- decisions ------------------------------------------------------------------------------

    def decide(
        self, decision: dict[str, Any], decision_id: str | None = None, *, by_code: bool = True
    ) -> bool:
        """Decide on the pending call.

        Parameters
        ----------
        decision: `{"type": "approve"}`, `{"type": "edit", "args": {...}}`, `{"type": "reject", "message"}` or
            `{"type": "respond", "message"}`. To approve, `"always": "session"` or `"always"` may be added: the
            command needs no approval on that origin any more.
        decision_id: the pending call's id; a decision for another one is ignored, so that a second click on
            the same button does nothing.
        by_code: whether code gave it; else a person in a panel, or a cassette in that person's place.

        Returns
        -------
        Whether the decision was taken.

        Raises
        ------
        NothingPending: no call waits and no id was given.
        InvalidParams: edited arguments don't fit; the call still waits.
        """
        pending = self.pending
        if pending is None or self._waiting[-1][1].done():
            if decision_id is not None:
                return False
            raise NothingPending(f"No call waits for a decision: the run is {self.status}.")
        if decision_id is not None and decision_id != pending.id:
            return False
        if decision["type"] not in pending.decisions:
            raise AgentError(
                f"The call of {pending.tool} can't be answered with {decision['type']!r}.",
                hint=f"Its answers are: {', '.join(pending.decisions)}.",
            )
        always = decision.get("always") if decision["type"] == "approve" else None
        given = decision
        if decision["type"] == "approve":
            decision = {"type": "approve"}
        if decision["type"] in {"reject", "respond"} and decision.get("message"):
            self.context.said.append(str(decision["message"]))
        if decision["type"] == "edit":
            args = {**pending.args, **decision["args"]}
            check_args(self._tools[pending.tool], args)
            decision = {"type": "edit", "edited_action": {"name": pending.tool, "args": args}}
        if pending.request is not None:
            self._take_request(pending, decision, always)
            record_decision(pending, None if by_code else given)
            return True
        if pending.obstacle is not None:
            _, future = self._waiting.pop()
            self._set("running")
            future.set_result(decision)
            return True
        learned = self._learn(pending, always)
        record_decision(pending, None if by_code else given)
        self._take(decision, by_person=True)
        self.context.decisions[pending.call_id]["seen"] = True
        if learned is not None:
            self.context.decisions[pending.call_id]["rule"] = learned.id
        return True

    def _learn(self, pending: PendingCall, always: str | None) -> Rule | None:
        if always is None:
            return None
        if pending.review.learn is None or always not in SCOPES:
            raise AgentError(
                f"No rule can be made of this call of {pending.tool}.",
                hint="Steps that can't be undone and secrets ask every time; else use 'session' or 'always'.",
            )
        kind = pending.review.learn
        rules: RuleBook = self.context.page.browser.gateway.rules
        scope: Scope = "always" if always == "always" else "session"
        return rules.add(kind.command, kind.origin, scope, role=kind.role, label=kind.label)

    def approval_pending(self) -> ApprovalPending:
        """The error that says which call waits."""
        return ApprovalPending(f"This call waits for your decision: {self.pending!r}.")

    def _take(self, decision: dict[str, Any], *, by_person: bool) -> None:
        entry = next(entry for entry in reversed(self._waiting) if entry[0].is_call)
        self._waiting.remove(entry)
        pending, future = entry
        kind = decision["type"] if by_person else "auto"
        self.context.decisions[pending.call_id] = {"type": kind}
        if kind == "approve" and pending.review.binding is not None:
            self.context.approve(pending.call_id, pending.review.binding)
        if decision["type"] in {"reject", "respond"}:
            self._record_unrun(pending, decision)
        if self.context.proposed == pending.call_id and decision["type"] != "approve":
            # What was proposed is not agreed to; an edited list is put in when the call is carried out.
            self.context.tasks.put(())
        self._set("waiting" if self._waiting else "running")
        future.set_result(decision)

    # --- help ---------------------------------------------------------------------------------------

    async def ask_help(self, obstacle: Obstacle) -> str:
        """Wait until a person removed an obstacle; returns what the model is to know of it."""
        self.context.check_halt()
        args = {"type": obstacle.kind, "message": obstacle.message}
        pending = PendingCall(
            id=f"help-{uuid4().hex[:12]}",
            call_id="",
            tool=ASSISTANCE,
            args=args,
            said="",
            review=Review(True, True, "read", strict=True, reason=obstacle.message),
            schema={"type": "object", "properties": {}},
            decisions=("approve", "respond", "reject"),
            obstacle=obstacle,
        )
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        await self.requests.hand_over()
        async with self._watching_person():
            self._auto, self._steps_free = Auto(), 0
            self._waiting.append((pending, future))
            self._set("waiting")
            try:
                decision = await future
            except asyncio.CancelledError:
                raise RunHalted from None
            finally:
                self._waiting = [entry for entry in self._waiting if entry[1] is not future]
        await self.requests.join()
        self._record_unrun(pending, decision)
        return _words_of_help(obstacle, decision)

    @asynccontextmanager
    async def _watching_person(self) -> AsyncIterator[None]:
        """Meanwhile a person does something in the page: it becomes steps of the run."""
        context = self.context
        context.tasks.wait_for_person(True)
        if context.page is not None and not context.page.closed:
            self.help = PersonHelp(context.page, context.goal, context.notify)
            await self.help.begin()
        try:
            yield
        finally:
            context.tasks.wait_for_person(False)
            helper, self.help = self.help, None
            if helper is not None:
                for step in await helper.end():
                    context.add_step(step)

    # --- requests ---------------------------------------------------------------------------------

    async def ask_request(self, request: HeldRequest) -> RequestDecision:
        """Ask the person about a request that one of the run's actions caused; the action's call goes on meanwhile."""
        if self.context.halt.is_set() or self.status in FINAL_STATUSES:
            return RequestDecision(False, "the run was stopped")
        pending = PendingCall(
            id=f"request-{uuid4().hex[:12]}",
            call_id=self.context.call_id,
            tool="send_request",
            args={"request": str(request.fact)},
            said="",
            review=Review(
                True, True, "irreversible", strict=True, reason=str(request), target=str(request.fact)
            ),
            schema={"type": "object", "properties": {}},
            decisions=("approve", "reject"),
            request=request,
        )
        entry = (pending, asyncio.get_running_loop().create_future())
        self._waiting.append(entry)
        self._set("waiting")
        self._replay_decision(pending)
        try:
            decision = await entry[1]
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)
            self._resume()
        allow = decision["type"] == "approve"
        return RequestDecision(
            allow, "the person allowed it" if allow else f"the person refused: {decision['message']}"
        )

    def _take_request(self, pending: PendingCall, decision: dict[str, Any], always: str | None) -> None:
        assert pending.request is not None
        if always is not None:
            if always != "session" or pending.request.verdict.strict:
                raise AgentError(
                    "No rule can be made of this request.",
                    hint="Those with a secret for elsewhere ask every time; others can be allowed for the session.",
                )
            self.context.page.browser.gateway.request_rules.append(pending.request.fact.kind)
        _, future = self._waiting.pop()
        self._resume()
        future.set_result({"type": decision["type"], "message": decision.get("message", "no reason given")})

    def _resume(self) -> None:
        """Back to where the run was before a request was asked about."""
        below = self.pending
        if self.status == "waiting":
            self._set("running" if below is None else "waiting" if below.review.needs_person else "paused")

    def _record_unrun(self, pending: PendingCall, decision: dict[str, Any]) -> None:
        record = StepRecord(
            index=0,
            tool=pending.tool,
            args=pending.args,
            call_id=pending.call_id,
            effect=pending.review.effect,
            decision=decision["type"],
            reason=pending.review.reason,
            said=pending.said,
            result=decision.get("message", ""),
            url=self.context.page.url if self.context.page is not None else "",
        )
        self.context.add_step(record)

    # --- the drive ------------------------------------------------------------------------------

    async def _drive(self) -> None:
        stopping: Stopping | None = self.context.stopping()
        if stopping is None:
            await self._drive_on()
            return
        stopping.listeners.append(self.halt)
        try:
            with stopping.operation() as self._operation:
                await self._drive_on()
        finally:
            await self.requests.leave(at_once=True)
            self._operation = None
            stopping.listeners.remove(self.halt)

    async def _drive_on(self) -> None:
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
            self._set("succeeded")
        except (RunHalted, asyncio.CancelledError):
            self._end("stopped")
        except SkillbookError as error:
            if self.context.halt.is_set():
                self._end("stopped")
            else:
                self._end("failed", error)
        except Exception as error:
            self._end("failed", _as_run_error(error))

    async def _entry(self, graph: CompiledStateGraph[Any, Any, Any, Any], config: Any) -> Any:
        state = await graph.aget_state(config)
        if not state.values.get("messages"):
            await self.context.keep_call()
            return {"messages": await self._first_messages()}
        self.messages = state.values["messages"]
        if not self.context.steps:
            self.context.steps = restore_steps(self.messages, self._tools)
        if not self.context.tasks:
            self.context.tasks.merge(state.values.get("tasks", []))
        return None  # the call that was under way, if any, begins again, with a new review and a new approval

    async def _answer(self, interrupt: Interrupt) -> Any:
        pending = self._pending_call(interrupt)
        # A stop may have come since the model answered: there is nobody to wait for any more.
        self.context.check_halt()
        if kind_of(self._tools[pending.tool]) == "person" and not is_question(pending.tool, pending.args):
            await self.requests.hand_over()
            async with self._watching_person():
                return await self._decided(interrupt, pending)
        return await self._decided(interrupt, pending)

    async def _decided(self, interrupt: Interrupt, pending: PendingCall) -> Any:
        from langgraph.types import Command

        decided: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.insert(0, (pending, decided))
        if self._passes(pending):
            self._take({"type": "approve"}, by_person=pending.review.needs_person)
        else:
            self._auto, self._steps_free = Auto(), 0
            self._set("waiting" if pending.review.needs_person else "paused")
            if pending.review.needs_person:
                self._replay_decision(pending)
        try:
            return Command(resume={interrupt.id: await decided})
        except asyncio.CancelledError:
            raise RunHalted from None

    def _passes(self, pending: PendingCall) -> bool:
        review = pending.review
        if not review.needs_person:
            if self.context.pausing and self._steps_free == 0:
                return False
            self._steps_free = max(0, self._steps_free - 1)
            return True
        if review.strict or not self._auto.takes(pending):
            return False
        if not self._auto.by_code:
            record_decision(pending, {"type": "approve"})
        return True

    def _replay_decision(self, pending: PendingCall) -> None:
        """Decide as the person did when the cassette was recorded, if one is replayed."""
        decision = replayed_decision(pending)
        if decision is not None:
            self.decide(decision, pending.id, by_code=False)

    def _pending_call(self, interrupt: Interrupt) -> PendingCall:
        value = interrupt.value
        call_id, name = str(value["tool_call_id"]), str(value["name"])
        tool = self._tools[name]
        said = last_call(self.messages, call_id)
        return PendingCall(
            id=interrupt.id,
            call_id=call_id,
            tool=name,
            args=dict(value["args"]),
            said=said[0] if said else "",
            review=self.context.reviews[call_id],
            schema=input_schema(tool),
            decisions=DECISIONS,
        )

    def _end(self, status: RunStatus, error: SkillbookError | None = None) -> None:
        self._waiting.clear()
        self.error = error
        self._set(status)

    def _set(self, status: RunStatus) -> None:
        self.status = status
        if status in FINAL_STATUSES:
            self.context.remember(status, self.error or self.result)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.context.notify()


def _words_of_help(obstacle: Obstacle, decision: dict[str, Any]) -> str:
    """What the model learns of a person's help."""
    what, words = obstacle.kind.replace("_", " "), decision.get("message", "")
    if decision["type"] == "reject":
        why = words or "no reason given"
        return f"A person was needed ({what}) and could not do it: {why}. Go another way, or end."
    if words:
        return f"A person was needed ({what}) and says: {words}"
    return f"A person was needed ({what}) and says that it is done."


def _last_text(messages: list[AnyMessage]) -> str:
    return messages[-1].text if messages else ""


def _as_run_error(error: Exception) -> SkillbookError:
    if "LimitExceeded" in type(error).__name__:
        return BudgetExceeded(
            f"The run used up its limit: {error}",
            hint="Set `run.max_steps` higher; `run.start()` then goes on.",
        )
    return AgentError(
        f"The run failed: {type(error).__name__}: {error}", hint="`run.start()` goes on from here."
    )
