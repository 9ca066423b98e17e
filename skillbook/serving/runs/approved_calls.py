"""Runs that call an agent's tools, or a page's, with a person's approval, judged and recorded as an agent's calls."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar, cast
from uuid import uuid4

from skillbook.agents.fence import unfence
from skillbook.agents.review.decisions import RunRequests
from skillbook.agents.run.run_words import sentence_of
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import FORM_ONLY_READS, CallNotes, call_in_words
from skillbook.agents.tools.command_tools import command_tools
from skillbook.errors import ApprovalRequired, NotAllowed
from skillbook.policy import Binding
from skillbook.protocol.asks.run_asks import DecideParams, RunView, StepLine
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.serving.outputs import RunOutput, TextOutput
from skillbook.serving.runs.served_run import TaskRun
from skillbook.session.action import acting_name
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.session.page_driver import PageDriver
from skillbook.session.rule_book import RuleBook

T = TypeVar("T")
_MOST_QUESTIONS = 6
_SHOWN_VALUE = 300


class NobodyApproved(Exception):
    """A person was asked, and gave no answer in time."""


class ApprovedCalls(TaskRun):
    """A run whose calls a person approves where they need it, and what they send.

    `context` is the calls', `requests` has what they send.
    """

    context: RunContext
    requests: RunRequests

    def judge_calls(self, context: RunContext) -> None:
        """Take the context of the calls; what they send is judged from now on."""
        self.context = context
        self.requests = RunRequests(context, self._decide_request)
        context.requests = self.requests

    async def approved(self, do: Callable[[], Awaitable[T]]) -> T:
        """Do something; where it needs an approval, once more with a person's.

        Raises NotAllowed: the person rejects it. NobodyApproved : nobody answered in time.
        """
        left, asked = _MOST_QUESTIONS, False
        while True:
            try:
                return await do()
            except ApprovalRequired as error:
                left -= 1
                if not left or (error.binding is None and not asked):
                    raise
                asked = False  # the page changed after the approval: it is judged anew
                if error.binding is not None:
                    await self.ask_about(error.binding, str(error.data.get("reason") or error.message), error)
                    self.context.approve(self.context.call_id, error.binding)
                    self.context.decisions[self.context.call_id] = {"seen": True}
                    asked = True

    async def ask_about(self, binding: Binding, reason: str, error: ApprovalRequired | None = None) -> None:
        """Have a person approve a call; returns if they do."""
        risk: Any = str(error.data.get("effect", "write")) if error is not None else "write"
        await self.decision(
            "approve", f"{call_words(binding)}: {reason}", place=binding.record, risk=risk,
            second_press=risk == "irreversible",
        )  # fmt: skip

    async def decision(self, kind: Any, words: str, **more: Any) -> DecideParams:
        """Ask a person; gives back their decision if they approve.

        Raises NotAllowed: they reject it. NobodyApproved : nobody answered in time.
        """
        decided = await self.ask(kind, words, **more)
        require_approved(decided)
        return decided

    async def _decide_request(self, request: HeldRequest) -> RequestDecision:
        form = request.form
        always = [] if form is None else [FORM_ONLY_READS]
        try:
            decided = await self.decision(
                "held_request", f"Send {request.what}", why=request.question, risk="write", always=always,
                form="" if form is None else str(form),
            )  # fmt: skip
        except NotAllowed as error:
            return RequestDecision(False, error.message)
        except NobodyApproved:
            return RequestDecision(False, "nobody decided in time")
        if form is not None and decided.always == FORM_ONLY_READS:
            rules: RuleBook = self.context.page.browser.gateway.rules
            rules.add_request(form)
        return RequestDecision(True, "approved by a person")


def call_words(binding: Binding) -> str:
    """A call as the panel's cards word it: its element or address, and the arguments that aren't the usual ones."""
    command = COMMANDS.get(binding.command)
    fields = command.params.model_fields if command is not None else {}
    usual = {name: field.get_default(call_default_factory=True) for name, field in fields.items()}
    given = {
        name: _shortened(value)
        for name, value in json.loads(binding.params).items()
        if name not in usual or value != usual[name]
    }
    target = " ".join(filter(None, [binding.role, binding.label and repr(binding.label)]))
    if command is not None and command.destination:
        target = str(given.get(command.destination) or target)
    return sentence_of(call_in_words(binding.command, target, given))


def _shortened(value: Any) -> Any:
    return f"{value[:_SHOWN_VALUE]}…" if isinstance(value, str) and len(value) > _SHOWN_VALUE else value


def require_approved(decided: Any) -> None:
    """Return if a person's decision lets the call go on.

    Raises NotAllowed: it doesn't.
    """
    if decided.decision != "approve":
        why = f": {decided.text}" if decided.text else ""
        raise NotAllowed(f"the person rejected it{why}", hint="do something else, or ask them why")


_CALL = "call_page_tool"


class PageToolRun(ApprovedCalls):
    """One call, which the person approves before it is made; what it sends is judged too."""

    def __init__(self, driver: PageDriver, tool: PageTool, args: Mapping[str, Any]) -> None:
        title = f"Call the page's tool {tool.name}"
        super().__init__("workflow", title, name=tool.name, inputs=dict(args), driver=driver)
        self.judge_calls(RunContext(self.id, title, driver, cast(Any, None), "all"))
        self._tool = tool
        self._answer = ""

    async def work(self) -> None:
        acting_name.set("side panel")
        self.context.call_id, self.context.notes = uuid4().hex[:8], CallNotes()
        [call] = [
            tool
            for tool in command_tools(self.context, allow_evaluate=False, page_tools=True)
            if tool.name == _CALL
        ]
        coroutine: Any = call.coroutine  # type: ignore[attr-defined]
        given = {"name": self._tool.name, "args": dict(self.inputs), "frame": self._tool.frame}
        await self.requests.join()
        try:
            answer = await self.approved(lambda: coroutine(**given))
            text = unfence(str(answer[0] if isinstance(answer, tuple) else answer))
            sent = self.requests.report()
            self._answer = f"{text}\nIts requests:\n{sent}" if sent else text
            self.ok = self.context.notes.error is None
        finally:
            await self.requests.leave()

    def outputs(self) -> Sequence[RunOutput]:
        return [TextOutput("answer", "What the page answered", self._answer)] if self._answer else []

    def view(self) -> RunView:
        steps = []
        if self.is_over:
            error, hint = self.error_words()
            line = StepLine(
                number=1, words=f"{_CALL} {self._tool.name}", ok=self.ok, error=error, hint=hint,
                outcome=self.context.notes.summary, effect="write", url=self._driver.url,
            )  # fmt: skip
            steps.append(line)
        return self.shown(steps=steps, more_questions=max(0, len(self.questions) - 1))
