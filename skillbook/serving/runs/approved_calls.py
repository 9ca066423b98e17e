"""A run that calls an agent's tools with a person's approval, judged and recorded as an agent's calls."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from skillbook.agents.review.request_review import RunRequests
from skillbook.agents.run.run_words import sentence_of
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.state.step_records import FORM_ONLY_READS, call_in_words
from skillbook.errors import ApprovalRequired, NotAllowed
from skillbook.policy import Binding
from skillbook.protocol.asks.run_asks import DecideParams
from skillbook.protocol.commands import COMMANDS
from skillbook.serving.runs.task_run import TaskRun
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
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

        Raises
        ------
        NotAllowed : the person rejects it. NobodyApproved : nobody answered in time.
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

        Raises
        ------
        NotAllowed : they reject it. NobodyApproved : nobody answered in time.
        """
        decided = await self.ask(kind, words, **more)
        require_approved(decided)
        return decided

    async def _decide_request(self, request: HeldRequest) -> RequestDecision:
        form = request.form
        always = [] if form is None else [FORM_ONLY_READS]
        try:
            decided = await self.decision(
                "held_request", f"Send {request.fact}", why=str(request), risk="write", always=always,
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

    Raises
    ------
    NotAllowed : it doesn't.
    """
    if decided.decision != "approve":
        why = f": {decided.text}" if decided.text else ""
        raise NotAllowed(f"the person rejected it{why}", hint="do something else, or ask them why")
