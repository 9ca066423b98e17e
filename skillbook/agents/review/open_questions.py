"""What of a run waits for a person, and what becomes of their answer: calls, requests for help, held requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from skillbook.agents.review.decisions import Auto, RunRequests, record_decision, replayed_decision
from skillbook.agents.review.person_help import PersonHelp
from skillbook.agents.state.question_queue import OUTPUTS, Place, QuestionQueue
from skillbook.agents.state.run_context import RunContext, RunHalted
from skillbook.agents.state.sealing import masked_args, seal_typed
from skillbook.agents.state.step_records import (
    ASSISTANCE,
    FINAL_STATUSES,
    FORM_ONLY_READS,
    RUN_CELL,
    Obstacle,
    PendingCall,
    Review,
    RunStatus,
    StepRecord,
    call_in_words,
)
from skillbook.agents.tools.tool_base import check_args
from skillbook.cells.foresight import foresee
from skillbook.config import load_settings
from skillbook.errors import AgentError, ApprovalPending, SkillbookError
from skillbook.policy import RequestRule
from skillbook.policy.approvals import SCOPES, Kind, Rule, Scope
from skillbook.protocol.commands import COMMANDS
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.session.rule_book import RuleBook

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_SETTLED = FINAL_STATUSES | {"waiting", "paused"}


class Waiting:
    """The questions of one run; every method runs on the I/O thread's loop.

    tools: the agent's tools by name.
    """

    def __init__(self, context: RunContext, tools: dict[str, BaseTool]) -> None:
        self.context = context
        self.status: RunStatus = "idle"
        self.at_end = False
        """How the run ends is known, and nobody is asked about anything more."""
        self.error: SkillbookError | None = None
        self.result: Any = None
        self._tools = tools
        self.requests = context.requests = RunRequests(context, self.ask_request)
        context.ask_help, context.ask_step = self.ask_help, self.ask_step
        self.help: PersonHelp | None = None
        self.given_up: AgentError | None = None
        """Why the run stopped by itself; None where it didn't."""
        self.questions = QuestionQueue[PendingCall]()
        self._auto = Auto()
        self._steps_free = 0
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def pending(self) -> PendingCall | None:
        """The question that waits for a decision; of several, the one that was asked first."""
        return self.questions.first

    async def settled(self, *, at_end: bool = False) -> None:
        """Wait until the run waits for somebody or has ended; with `at_end`, until it has ended."""
        while self.status not in (FINAL_STATUSES if at_end else _SETTLED):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter

    def _set(self, status: RunStatus) -> None:
        self.status = status
        if status in FINAL_STATUSES:
            self.context.remember(status, self.error or self.result)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.context.notify()

    # --- decisions ------------------------------------------------------------------------------

    def decide(
        self, decision: dict[str, Any], question: str, *, by_code: bool = True, place: Place | None = None
    ) -> bool:
        """Decide on the question that waits.

        decision: `{"type": "approve"}`, `{"type": "edit", "args": {...}}`, `{"type": "reject", "message"}` or `{"type":
            "respond", "message"}`. To approve, `"always": "session"` or `"always"` may be added: the command needs no
            approval on that origin any more.
        question: the id of the question that it answers; a decision for another one is ignored, so that a second click
            on the same button does nothing.
        by_code: whether code gave it; else a person in a panel, or a cassette in that person's place.
        place: where it was made, if a person's reading has to come before it; None for code that has compared the
            question with what it expects, for a cassette, and for a refusal where nobody could be asked.
        Raises ApprovalPending: the question wasn't shown there.
        Raises InvalidParams: edited arguments don't fit; the call still waits.
        """
        pending = self.pending
        if pending is None or not self.questions.waits(question):
            return False
        plain = self.plain_decision(decision, pending)
        problem = self.questions.problem(question, place)
        if problem:
            raise self.approval_pending(f"{problem} Nothing was decided.")
        where = place.words if place is not None else OUTPUTS.words if by_code else "without a person"
        if plain["type"] not in pending.decisions:
            raise AgentError(
                f"The call of {pending.tool} can't be answered with {plain['type']!r}.",
                hint=f"Its answers are: {', '.join(pending.decisions)}.",
            )
        self._accept(pending, plain, where, by_code=by_code)
        self.decided(decision, pending)
        return True

    def plain_decision(self, decision: dict[str, Any], pending: PendingCall) -> dict[str, Any]:
        """A decision as one that any question may get.

        Raises AgentError: this question can't be decided so.
        """
        return decision

    def decided(self, decision: dict[str, Any], pending: PendingCall) -> None:
        """A decision was taken."""

    def _accept(self, pending: PendingCall, given: dict[str, Any], where: str, *, by_code: bool) -> None:
        """Take a decision that the question may get."""
        decision = given
        if decision["type"] == "approve":
            decision = {"type": "approve"}
        if decision["type"] in {"reject", "respond"} and decision.get("message"):
            self.context.person_messages.append(str(decision["message"]))
        if decision["type"] == "edit":
            args = {**pending.args, **decision["args"]}
            check_args(self._tools[pending.tool], args)  # the person sees the tool's whole schema
            if pending.tool == RUN_CELL:
                foresee(str(args["code"]))
            seal_typed(pending.tool, args, self.context.latest)
            decision = {"type": "edit", "edited_action": {"name": pending.tool, "args": args}}
        noted = None if by_code else given
        if pending.request is not None:
            self._take_request(pending, decision, given)
            self.questions.answers[pending.id] = given, where
            record_decision(pending, noted)
        elif pending.obstacle is not None or pending.skill:
            self.questions.answers[pending.id] = given, where
            self._resolve(pending, decision)
            if pending.skill:
                record_decision(pending, noted)
        elif given.get("address") is not None or given.get("vary"):
            raise AgentError(
                "A call has no address or fields to widen.",
                hint="Only rules for requests have them; leave it out.",
            )
        else:
            learned = self._learn(pending, given.get("always") if given["type"] == "approve" else None)
            record_decision(pending, noted)
            self.questions.answers[pending.id] = given, where
            self._take(pending, decision, by_person=True)
            self.context.decisions[pending.call_id]["seen"] = True
            if learned is not None:
                self.context.decisions[pending.call_id]["rule"] = learned.id

    def _learn(self, pending: PendingCall, always: str | None) -> Rule | None:
        if always is None:
            return None
        kind = pending.review.learn
        if always == FORM_ONLY_READS:
            return self._learn_form(pending.review.form)
        if not isinstance(kind, Kind) or always not in SCOPES:
            raise AgentError(
                f"No rule can be made of this call of {pending.tool}.",
                hint="Steps that can't be undone and secrets ask every time; else use 'session' or 'always'.",
            )
        rules: RuleBook = self.context.page.browser.gateway.rules
        scope: Scope = "always" if always == "always" else "session"
        return rules.add(kind.command, kind.origin, scope, role=kind.role, label=kind.label)

    def _learn_form(self, form: RequestRule | None) -> Rule:
        if form is None:
            raise AgentError(
                "Nobody can say of this that a form only reads.",
                hint="It is said of a form that was sent with fields that the page shows with labels.",
            )
        rules: RuleBook = self.context.page.browser.gateway.rules
        return rules.add_request(form)

    def approval_pending(self, why: str = "", hint: str | None = None) -> ApprovalPending:
        """The error that names the question that waits; whoever reads it was shown that question.

        why: what went before, if anything, in sentences.
        """
        pending = self.pending
        if pending is None:
            return ApprovalPending(why)
        words = f"This call waits for your decision: {pending.text}."
        if pending.tool == RUN_CELL and pending.cell is not None:
            call = call_in_words(pending.tool, "", pending.args)
            words = f"This cell waits for your decision: {call}, {pending.text}"
            hint = hint or (
                "run.approve(), run.approve(stepping=True) to stop at each of its calls, run.edit(code=...), "
                "run.reject('why') or run.respond('text')"
            )
        error = ApprovalPending(f"{why} {words}".strip(), hint=hint)
        error.on_shown = pending.on_shown
        return error

    def _wait_for(self, pending: PendingCall) -> asyncio.Future[dict[str, Any]]:
        """Ask a question after those that wait already; returns the decision that is to come."""
        pending = replace(pending, on_shown=lambda: self.questions.shown.show(OUTPUTS, pending.id))
        decided = self.questions.ask(pending)
        self._set(self._waiting_status())
        if self.pending is pending:
            self._replay_decision()
        return decided

    def _waiting_status(self) -> RunStatus:
        """What the run does by the question that waits, if any."""
        first = self.pending
        return "running" if first is None else "waiting" if first.review.needs_person else "paused"

    def _resolve(
        self, pending: PendingCall, decision: dict[str, Any], note: Callable[[], None] | None = None
    ) -> None:
        """A question is answered: note that, then ask the next one, or go on."""
        with self.questions.answered(pending, decision):
            if note is not None:
                note()
            self._set(self._waiting_status())
        self._replay_decision()

    def _withdraw(self, decided: asyncio.Future[dict[str, Any]]) -> None:
        """A question is no longer asked, if it still is."""
        first = self.pending
        if self.questions.withdraw(decided):
            if self.status in {"waiting", "paused"}:
                self._set(self._waiting_status())
            if self.pending is not first:
                self._replay_decision()

    def _take(self, pending: PendingCall, decision: dict[str, Any], *, by_person: bool) -> None:
        self._resolve(pending, decision, lambda: self._note_decision(pending, decision, by_person=by_person))

    def _note_decision(self, pending: PendingCall, decision: dict[str, Any], *, by_person: bool) -> None:
        kind = decision["type"] if by_person else "auto"
        self.context.decisions[pending.call_id] = {"type": kind}
        if kind == "approve" and pending.review.binding is not None:
            self.context.approve(pending.call_id, pending.review.binding)
        if kind == "approve" or (kind == "edit" and not _goes(pending)):
            self.context.allow_sites(pending.review.sites)
        if decision["type"] in {"reject", "respond"}:
            self._record_unrun(pending, decision)
        if self.context.proposed == pending.call_id and decision["type"] != "approve":
            # What was proposed is not agreed to; an edited list is put in when the call is carried out.
            self.context.tasks.put(())

    def _replay_decision(self) -> None:
        """Decide on the question that waits now as the person did, if a cassette is replayed."""
        pending = self.pending
        if pending is None or not pending.review.needs_person or pending.obstacle is not None:
            return
        decision = replayed_decision(pending)
        if decision is not None:
            self.decide(decision, pending.id, by_code=False)

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
        async with self._watching_person():
            self._auto, self._steps_free = Auto(), 0
            decided = self._wait_for(pending)
            try:
                decision = await self._in_time(decided)
            except asyncio.CancelledError:
                raise RunHalted from None
            finally:
                self._withdraw(decided)
        await self.requests.join()
        self._record_unrun(pending, decision)
        return _words_of_help(obstacle, decision)

    async def _in_time(self, decided: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
        """A person's help; nobody is waited for for ever."""
        seconds = load_settings().assistance_timeout
        try:
            return await asyncio.wait_for(decided, seconds)
        except TimeoutError:
            self.given_up = AgentError(
                f"Nobody helped within {seconds:g} s.",
                hint="`run.start()` asks again; SKILLBOOK_ASSISTANCE_TIMEOUT sets how long a run waits.",
            )
            raise RunHalted from None

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
        if self.context.halt.is_set() or self.at_end or self.status in FINAL_STATUSES:
            return RequestDecision(False, "the run was stopped")
        pending = PendingCall(
            id=f"request-{uuid4().hex[:12]}",
            call_id=self.context.call_id,
            tool="send_request",
            args={"request": str(request.fact)},
            said="",
            review=Review(
                True,
                True,
                "irreversible",
                strict=True,
                reason=str(request),
                target=str(request.fact),
                learn=request.learn,
                form=request.form,
            ),
            schema={"type": "object", "properties": {}},
            decisions=("approve", "reject"),
            request=request,
            cell=self.context.cells.place(self.context.call_id) if self.context.cells is not None else None,
        )
        decided = self._wait_for(pending)
        try:
            decision = await decided
        finally:
            self._withdraw(decided)
        allow = decision["type"] == "approve"
        return RequestDecision(
            allow, "the person allowed it" if allow else f"the person refused: {decision['message']}"
        )

    async def ask_step(self, pending: PendingCall) -> bool:
        """Ask the person about something that a skill comes to; the call that runs it waits meanwhile.

        Raises RunHalted: the run is to stop.
        """
        self.context.check_halt()
        decided = self._wait_for(pending)
        try:
            return bool((await decided)["type"] == "approve")
        except asyncio.CancelledError:
            raise RunHalted from None
        finally:
            self._withdraw(decided)

    def _take_request(self, pending: PendingCall, decision: dict[str, Any], given: dict[str, Any]) -> None:
        assert pending.request is not None
        always, address = given.get("always") if decision["type"] == "approve" else None, given.get("address")
        if always == FORM_ONLY_READS:
            self._learn_form(pending.request.form)
        elif always is not None:
            learn = pending.request.learn
            if always != "session" or learn is None:
                raise AgentError(
                    "No rule can be made of this request.",
                    hint="What can't be undone, files and hidden values ask every time; others can be allowed for the "
                    "session.",
                )
            if address is not None and (learn := learn.with_address(address)) is None:
                raise AgentError(
                    f"No rule can be made for {address!r}: it isn't this request's address.",
                    hint=f"Write {{id}} for what may differ in {pending.request.learn.address!r}"
                    if pending.request.learn is not None
                    else "",
                )
            if given.get("vary") and (learn := learn.with_free(given["vary"])) is None:
                raise AgentError(
                    f"No rule can be made with {', '.join(map(repr, given['vary']))} free.",
                    hint=f"The body's fields are: {', '.join(pending.request.fact.fields)}",
                )
            rules: RuleBook = self.context.page.browser.gateway.rules
            rules.add_request(learn)
        self._resolve(
            pending, {"type": decision["type"], "message": decision.get("message", "no reason given")}
        )

    def _record_unrun(self, pending: PendingCall, decision: dict[str, Any]) -> None:
        record = StepRecord(
            index=0,
            tool=pending.tool,
            args=masked_args(pending.tool, pending.args, self.context.latest),
            call_id=pending.call_id,
            effect=pending.review.effect,
            decision=decision["type"],
            reason=pending.review.reason,
            said=pending.said,
            result=decision.get("message", ""),
            url=self.context.page.url if self.context.page is not None else "",
        )
        self.context.add_step(record)


def _goes(pending: PendingCall) -> bool:
    """Whether a call has an address, which a person who edits it may have replaced."""
    return pending.tool in COMMANDS and bool(COMMANDS[pending.tool].destination)


def _words_of_help(obstacle: Obstacle, decision: dict[str, Any]) -> str:
    """What the model learns of a person's help."""
    what, words = obstacle.kind.replace("_", " "), decision.get("message", "")
    if decision["type"] == "reject":
        why = words or "no reason given"
        return f"A person was needed ({what}) and could not do it: {why}. Go another way, or end."
    if words:
        return f"A person was needed ({what}) and says: {words}"
    return f"A person was needed ({what}) and says that it is done."
