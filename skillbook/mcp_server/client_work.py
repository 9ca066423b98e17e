"""What one client does here: a run of its own, whose calls the client makes; on the I/O thread."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from contextlib import suppress
from typing import Any

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.outside_run import OutsideAnswer, OutsideCall, OutsideCalls, outside_run
from skillbook.agents.run.run_words import to_decision
from skillbook.agents.state.question_queue import Place
from skillbook.agents.state.run_parts import RunTabs, WorkflowGiven
from skillbook.agents.state.step_records import FINAL_STATUSES, PendingCall, StepRecord
from skillbook.errors import AgentError, BudgetExceeded, InvalidParams, NotAllowed, SkillbookError, Stopped
from skillbook.limits import PRESENT_SECONDS
from skillbook.mcp_server.client_limits import CallRate, ClientLimits, CutAnswers
from skillbook.mcp_server.client_tools import (
    changes_something,
    check_required,
    is_tool,
    names_of_tools,
    offered_tools,
    to_run,
)
from skillbook.mcp_server.client_workflows import ClientWorkflow, start_workflow
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS
from skillbook.serving.workflows.workflow_result import Progress
from skillbook.session.action import lending
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.page_driver import PageDriver


class ClientWork:
    """One client: its tabs, its run, and what waits for a person.

    cells: whether it may send code.
    """

    def __init__(self, driver: BrowserDriver, name: str, limits: ClientLimits, *, cells: bool) -> None:
        self.driver, self.name, self.limits = driver, name, limits
        self.place = Place(f"in {name}", secrets.token_hex(8))
        self.turn = asyncio.Lock()
        self.used_at = time.monotonic()
        self.cut = CutAnswers(limits.answer_tokens)
        self.run: Run | None = None
        self.changed = asyncio.Event()
        self._cells = cells
        self._rate = CallRate(limits.calls_a_minute)
        self._tabs = RunTabs(shared=limits.tabs == "shared")
        self._calls = OutsideCalls(name)
        self._current: OutsideCall | None = None
        self._tokens: dict[str, tuple[OutsideCall, str]] = {}
        self._handed_at = 0.0
        self._past: list[StepRecord] = []
        self.workflow: ClientWorkflow | None = None
        self.reports: deque[Progress] = deque()

    @property
    def steps(self) -> list[StepRecord]:
        """What it did so far, in all its runs."""
        return [*self._past, *(self.run.records if self.run is not None else [])]

    @property
    def page(self) -> PageDriver | None:
        """The page that it works on."""
        found: PageDriver | None = self.run.page if self.run is not None else None
        return found

    @property
    def question(self) -> PendingCall | None:
        """What it waits for: of its own run, or of an agent that a workflow started."""
        return next((run.first_question for run in self._runs if run.first_question is not None), None)

    @property
    def _runs(self) -> list[Run]:
        own = [self.run] if self.run is not None else []
        return [*own, *(self.workflow.agents if self.workflow is not None else [])]

    # --- calls ----------------------------------------------------------------------------------

    async def begin(self, name: str, args: dict[str, Any]) -> OutsideCall:
        """Make a call.

        Raises BudgetExceeded: it made too many. InvalidParams : there is no such tool. NotAllowed : it may not do that.
        Raises Stopped: the person stopped it.
        """
        self._rate.take()
        tool, given = to_run(name, args)
        if not is_tool(tool):  # it never comes to the run, whose person would be asked about calls that fail
            raise InvalidParams(f"there is no tool {name!r}", hint="list the tools")
        check_required(name, args)
        await self._end_last()
        self._check_count()
        if self.limits.read_only and changes_something(tool, given):
            raise NotAllowed(
                f"`{name}` may change something, and this server only reads",
                hint="start it without --read-only",
            )
        run = await self._ready()
        self._check_origin(tool, given, run)
        call = self._current = self._calls.put(tool, given)
        return call

    async def next(self, call: OutsideCall) -> OutsideAnswer | PendingCall:
        """Wait for a call's answer, or for a question that comes before it.

        Raises SkillbookError: the run ended.
        """
        while True:
            self.changed.clear()
            if call.answer.done():
                return self._screened(call.answer.result())
            if self.question is not None:
                return self.question
            run = self.run
            if run is None or (run.status in FINAL_STATUSES and not call.answer.done()):
                raise self._why_ended()
            await self._wait(call)

    def call_off(self, call: OutsideCall) -> None:
        """The client doesn't wait for a call any more: its question is withdrawn, and what is under way of it ends."""
        if call.answer.done():
            return
        call.called_off = True
        self._tokens = {}
        refused: set[str] = set()
        while (question := self.question) is not None and question.id not in refused:
            refused.add(question.id)
            self.refuse(question, "the program that made this call called it off")
        if self.run is not None:
            self.run.call_off(call.id)

    def went_on(self, came: float) -> None:
        """The client made another call, at a time: if that was after it got a question to answer, it left that one.

        A call that it made before stands beside the one whose question waits.
        """
        if self._tokens and self._current is not None and came > self._handed_at:
            self.call_off(self._current)

    async def _wait(self, call: OutsideCall) -> None:
        """Wait until the run or the call has something new."""
        changed: asyncio.Future[Any] = asyncio.ensure_future(self.changed.wait())
        answer: asyncio.Future[Any] = call.answer
        try:
            await asyncio.wait({changed, answer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            changed.cancel()

    async def question_over(self, question: PendingCall) -> None:
        """Wait until a question is decided, wherever, or gone."""
        while (now := self.question) is not None and now.id == question.id:
            self.changed.clear()
            await self.changed.wait()

    def note_shown(self, question: PendingCall) -> None:
        """The client shows a question to the person, and may bring their answer."""
        for run in self._runs:
            run.note_shown(question.id, self.place)

    def answer(self, question: str, kind: str, text: str, always: str = "") -> bool:
        """Decide on a question as the person did in the client; nothing happens unless it is the one that waits.

        kind: `approve`, `reject` or `respond`.
        text: words for the agent.
        always: whether the approval makes a rule.
        Raises ApprovalPending: the client didn't show it.
        """
        return self._decide(question, kind, text, self.place, always)

    def _decide(self, question: str, kind: str, text: str, place: Place | None, always: str = "") -> bool:
        pending = self.question
        if pending is None or pending.id != question:
            return False
        run = next(run for run in self._runs if run.first_question is pending)
        return run.take_decision(question, to_decision(kind, {}, text, always), place)

    def refuse(self, question: PendingCall, why: str) -> None:
        """Answer for a person who can't be asked."""
        kind = "respond" if "respond" in question.decisions and question.is_call else "reject"
        self._decide(question.id, kind, why, None)

    # --- questions that the client brings back --------------------------------------------------

    def token_for(self, call: OutsideCall, question: PendingCall) -> str:
        """What a client that asks the person itself shows with the answer: it is for this question alone."""
        token = secrets.token_urlsafe(24)
        self._tokens, self._handed_at = {token: (call, question.id)}, time.monotonic()
        return token

    def redeem(self, token: str) -> tuple[OutsideCall, str] | None:
        """The call and the question that a token was made for; None for any other, and the second time."""
        return self._tokens.pop(token, None)

    # --- the run --------------------------------------------------------------------------------

    async def _ready(self) -> Run:
        """The run, made at the first call, and anew where its page is gone."""
        run = self.run
        if run is not None and run.status in FINAL_STATUSES:
            if not self._may_begin_anew(run):
                raise self._why_ended()
            self._past += run.records
            run = self.run = None
        if run is None:
            page = await self._first_page()
            run = self.run = outside_run(
                page,
                self._calls,
                self._tabs,
                autonomy=self.limits.autonomy,
                max_calls=self.limits.max_calls - len(self._past),
                cells=self._cells,
                names=names_of_tools(),
                offered=offered_tools(),
                new_sites="visit" if self.limits.read_only else "act",
                only_origins=self.limits.origins,
                run_workflow=None if self.limits.read_only else self._run_workflow,
                report=self._report,
            )
            run.on_progress.append(lambda _: self.changed.set())
            await asyncio.to_thread(run.start)
        return run

    def _report(self, text: str, done: float, total: float | None) -> None:
        self.reports.append(Progress(text, done, total))

    async def _run_workflow(self, name: str, inputs: dict[str, Any]) -> WorkflowGiven:
        """Carry a workflow out on the client's page."""
        assert self.page is not None, "its run called this"
        with lending():  # the person approved this run, not that every program acts where its code goes
            flow = self.workflow = await start_workflow(self.driver, self.page, name, inputs)
        flow.on_change(self._workflow_moved)
        try:
            return await flow.over()
        finally:
            self._workflow_moved()
            self.workflow = None

    def _workflow_moved(self) -> None:
        if self.workflow is not None:
            self.reports += self.workflow.new_progress()
        self.changed.set()

    def _may_begin_anew(self, run: Run) -> bool:
        """Whether an ended run is followed by another: not where a person stopped it, or its calls are used up."""
        gone = run.page is None or run.page.closed or run.error is not None
        return gone and not isinstance(run.error, BudgetExceeded)

    async def _first_page(self) -> PageDriver:
        """The tab to begin in: the person's where they share theirs, else a new one."""
        front = self.driver.active
        if front is not None and self._tabs.has(front):
            return front
        page = await self.driver.open("about:blank", active=False)
        self._tabs.add(page)
        return page

    def _why_ended(self) -> SkillbookError:
        run = self.run
        if run is not None and run.error is not None:
            return run.error
        return Stopped(
            "the person stopped this client", hint="they can let it go on in the side panel, with Resume"
        )

    async def _end_last(self) -> None:
        """Wait for the call before this one; a question that its client left without an answer is refused."""
        last = self._current
        if last is None or last.answer.done() or self.run is None or self.run.status in FINAL_STATUSES:
            return
        if not last.called_off:
            with suppress(TimeoutError):
                # So long a call waits for another one of its client that a person still decides on.
                await asyncio.wait_for(asyncio.shield(last.answer), PRESENT_SECONDS)
                return
            if self.question is None:
                raise AgentError("the call before is still under way", hint="wait for it")
        while isinstance(step := await self.next(last), PendingCall):
            self.refuse(step, "the client went on without an answer")

    def _check_count(self) -> None:
        """Refuse a call more than there may be."""
        made = sum(step.decision != "person" for step in self.steps)
        if made >= self.limits.max_calls:
            raise BudgetExceeded(
                f"{made} calls were made, as many as this server lets a client make",
                hint="have the person start it with a higher --max-calls",
                steps=made,
            )

    def _check_origin(self, tool: str, args: dict[str, Any], run: Run) -> None:
        """Refuse pages of origins that the client isn't for."""
        command = COMMANDS.get(tool)
        going = command.destination if command is not None else None
        url = str(args.get(going) or "") if going else str(run.page.url)
        if command is not None and command.scope == "browser" and not going:
            return
        if self.limits.forbids(url):
            only = ", ".join(self.limits.origins)
            raise NotAllowed(
                f"{origin_of(url)} isn't one of the origins that this server is for",
                hint=f"stay on {only}: `open` goes there",
                origin=origin_of(url),
            )

    def _screened(self, answer: OutsideAnswer) -> OutsideAnswer:
        """The answer, unless the page went where the client may see nothing."""
        page = self.page
        if page is None or not self.limits.forbids(page.url):
            return answer
        words = f"The page is at {origin_of(page.url)} now, which isn't one of the origins that this server is for."
        return OutsideAnswer(f"{words} `open` goes back to one of them.", False)

    async def close(self, *, tabs: bool) -> None:
        """The client left: its run ends, and the tabs that it opened are closed if wanted."""
        under_way = self._current is not None and not self._current.answer.done()
        if self.run is not None and under_way:
            await self.run.halt()
        else:
            self._calls.end()
        if tabs:
            for page in list(self.driver.pages.values()):
                if page.shared_by != "user" and self._tabs.has(page):
                    with suppress(SkillbookError):
                        await self.driver.close_page(page)
