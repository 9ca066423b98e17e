"""What a run remembers: steps and the pending call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from skillbook.agents.state.question_queue import (
    Expectation,
    expected_call,
    expected_cell,
    expected_help,
    expected_request,
)
from skillbook.errors import SkillbookError
from skillbook.perception.escape import shorten_middle
from skillbook.policy import Binding, Kind, RequestRule
from skillbook.policy.secrets import store
from skillbook.session.page.act_requests import NOT_SENT, REQUEST_FAILED, ActRequests, HeldRequest

_LONGEST_TARGET = 300
ObstacleKind = Literal["captcha", "login", "two_factor", "cookies", "permission", "failure"]
DecisionName = Literal["approve", "edit", "reject", "respond"]
RunStatus = Literal["idle", "running", "waiting", "paused", "succeeded", "failed", "stopped"]
RUN_CELL = "run_cell"
"""The tool that runs a cell: Python over the page."""
ASSISTANCE = "request_assistance"
"""The tool by which a model requests help; a person's answer to it is its result."""
SKIPPED = "The person skipped this step. Go on with what comes next."
_OUTCOMES = {
    "auto": "done",
    "approve": "done, approved",
    "edit": "done, edited",
    "reject": "rejected",
    "skip": "skipped",
    "respond": "answered",
    "person": "done by the person",
}
NOBODY_KNOWS = frozenset(
    [
        "connection_lost",
        "timeout",
        "stopped",
        "internal",
        "page_unreachable",
        "page_closed",
        "outcome_unknown",
    ]
)
"""Errors after which nobody knows whether the step happened."""
UNTRUE_CALLS = frozenset({NOT_SENT, REQUEST_FAILED})
"""Errors of a call whose input the page got, and whose requests were refused or failed."""
FORM_ONLY_READS = "form"
"""What an approval says of a form, as the value of its `always`."""
FINAL_STATUSES = frozenset({"succeeded", "failed", "stopped"})


@dataclass(frozen=True)
class Review:
    """Whether a call needs a person, what it may do, and why.

    waits: whether the run waits before the call.
    needs_person: whether a person decides; else the wait is a pause between steps.
    strict: whether a person has to see this very call, so that `run.auto(n)` doesn't let it pass.
    effect: read, write or irreversible.
    reason: why a person decides, one sentence.
    unshown: values that an approval lets go and the page doesn't show; page text, for the question alone, never kept.
    target: the element in words, such as `button "Delete"`; page text, untrusted.
    place: what is around it, such as `row "Ann"`; page text, untrusted.
    binding: what an approval is for: tab, document, element, its words, its values, its form; checked again at the act.
    learn: the calls that a rule made with an approval would be for; None where none may be made.
    form: the rule that the form only reads which is sent; None where none may be made.
    rule: id of the learned rule that lets the call pass.
    sites: origins that an approval allows from then on, as `reason` says.
    refusal: why the call can't be carried out at all; the model gets this error, no person decides.
    """

    waits: bool
    needs_person: bool
    effect: str
    strict: bool = False
    reason: str = ""
    unshown: str = ""
    target: str = ""
    place: str = ""
    binding: Binding | None = None
    learn: Kind | RequestRule | None = None
    form: RequestRule | None = None
    rule: str = ""
    sites: tuple[str, ...] = ()
    refusal: SkillbookError | None = None


@dataclass(frozen=True)
class Obstacle:
    """What stands in the way.

    Parameters
    ----------
    kind: what it is.
    message: what the person should do, one or two sentences without page text.
    ref: the element that shows it, where there is one.
    """

    kind: ObstacleKind
    message: str
    ref: str = ""


@dataclass(frozen=True)
class CellPlace:
    """Where a call that waits stands in a cell.

    line: the line of the call; 0 where the whole cell waits, or the call is in a function of an earlier cell.
    start, end: where the call is in the text, in characters.
    forecast: what the whole cell is going to do, where that waits.
    """

    number: int
    code: str
    line: int = 0
    start: int = 0
    end: int = 0
    forecast: str = ""

    @property
    def marked(self) -> str:
        """The text with line numbers, and an arrow at the line."""
        lines = self.code.rstrip("\n").split("\n")
        return "\n".join(
            f"{'→' if at == self.line else ' '} {at:>3}  {line}".rstrip() for at, line in enumerate(lines, 1)
        )


@dataclass(frozen=True)
class PendingCall:
    """A tool call that waits for a decision.

    id: the decision's id; a decision for another id is ignored.
    tool, args: what the model wants to call.
    said: what the model said beside it.
    schema: JSON schema of the arguments, for an editor.
    request: the request that waits, where it isn't a call but what a call wants to send.
    obstacle: what a person has to get out of the way, where no call waits but the run noticed that by itself.
    skill: the skill whose step or permission waits, where it isn't the call itself, which runs that skill.
    on_shown: called when its text was rendered where a person reads it.
    """

    id: str
    call_id: str
    tool: str
    args: dict[str, Any]
    said: str
    review: Review
    schema: dict[str, Any]
    decisions: tuple[DecisionName, ...]
    request: HeldRequest | None = None
    obstacle: Obstacle | None = None
    cell: CellPlace | None = None
    skill: str = ""
    on_shown: Callable[[], None] | None = field(default=None, repr=False, compare=False)

    @property
    def is_call(self) -> bool:
        """Whether a call of the model waits, rather than a request or an obstacle."""
        return self.request is None and self.obstacle is None and not self.skill

    @property
    def options(self) -> tuple[str, ...]:
        """The answers to choose from, where it is a question that has some; page text may be in them."""
        given = self.args.get("options") if is_question(self.tool, self.args) else None
        return tuple(map(str, given or ()))

    @property
    def is_strict(self) -> bool:
        """Whether a person has to see this very question: it can't be undone, or the policy asks about what it does."""
        review = self.review
        return review.effect == "irreversible" or (
            review.strict and bool(review.target or review.effect != "read")
        )

    @property
    def expectation(self) -> Expectation:
        """What code that can't look calls it: `run.approve(expect="button 'Buy'")`."""
        if self.request is not None:
            fact = self.request.fact
            same_site = fact.origin == fact.from_origin
            shown = self.request.address or fact.path
            return expected_request(fact.method, fact.origin, fact.address, shown, same_site=same_site)
        if self.tool == ASSISTANCE:
            return expected_help(str(self.args.get("type", "custom")), str(self.args.get("message", "")))
        if self.tool == RUN_CELL:
            return expected_cell(str(self.args.get("code", "")), in_full=self.is_strict)
        target = self.review.target or str(self.args.get("target") or "")
        return expected_call(self.tool, target, self.review.place, self.args, in_full=self.is_strict)

    @property
    def why(self) -> str:
        """Why a person decides, with what would leave the page unseen; for the question alone, never kept."""
        reason = self.review.reason if self.request is None else self.request.question
        return "; ".join(filter(None, [reason, self.review.unshown]))

    @property
    def text(self) -> str:
        """It in words, as `repr` has them; reading this counts for no person's reading."""
        name = self.expectation.words
        expect = f", expect={name!r}" if name else f", id={self.id!r}"
        form = f"; always='form' would say that {self.review.form}" if self.review.form is not None else ""
        if self.request is not None:
            learn = self.review.learn
            rule = f"; always='session' would allow {learn}" if learn is not None else ""
            return f"PendingRequest({self.request.question}{rule}{form}{expect})"
        if self.obstacle is not None:
            return f"PendingHelp({self.obstacle.kind}: {self.obstacle.message}{expect})"
        if self.options:
            return f"PendingQuestion({self.args.get('message')!r}, options={list(self.options)}{expect})"
        if self.cell is not None and self.tool == RUN_CELL:
            return f"PendingCell({self.cell.forecast}{expect})\n{self.cell.marked}"
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.args.items())
        where = f", a step of the skill {self.skill}: {self.review.reason}" if self.skill else ""
        line = f", line {self.cell.line} of cell {self.cell.number}" if self.cell is not None else ""
        unshown = f"; {self.review.unshown}" if self.review.unshown else ""
        effect = f"{where}, effect={self.review.effect}"
        return f"PendingCall({self.tool}({arguments}){effect}{line}{unshown}{form}{expect})"

    def __repr__(self) -> str:
        if self.on_shown is not None:
            self.on_shown()
        return self.text


def is_question(tool: str, args: Mapping[str, Any]) -> bool:
    """Whether a call asks the person something, rather than to do something."""
    return tool == ASSISTANCE and args.get("type") == "question"


def call_in_words(tool: str, target: str, args: Mapping[str, Any]) -> str:
    """A call in words, such as `fill searchbox 'Name' (value="tea")`; page text.

    target: its element in words; its argument where empty.
    """
    if tool == RUN_CELL:
        lines = str(args.get("code", "")).strip("\n").count("\n") + 1
        return f"{tool} ({lines} line{'s' * (lines > 1)})"
    rest = ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}"
        for name, value in args.items()
        if name != "target" and value not in (None, [], {}) and value != target
    )
    return " ".join(
        filter(
            None,
            [
                tool,
                shorten_middle(target or str(args.get("target") or ""), _LONGEST_TARGET),
                f"({rest})" if rest else "",
            ],
        )
    )


@dataclass
class CallNotes:
    """What a tool reports about the call that it carries out, for the step's record; `value` and `words` of an error
    are for a cell's code, `act` has what became of its requests, and `refused` those of a call that is no act.
    """

    summary: str = ""
    url: str = ""
    changed: bool | None = None
    error: str | None = None
    value: Any = None
    words: str = ""
    act: ActRequests | None = None
    refused: str = ""
    carried: dict[str, Any] | None = None
    before: Any = None
    after: Any = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(repr=False)
class StepRecord:
    """One tool call of a run, carried out or not.

    tool, args: what the model called; `edited` holds the arguments that a person put in their place.
    carried: the arguments as a tool carried them out, where it replaced refs by what outlives the page.
    decision: who let it pass: `auto` for the policy, `person` where a person did it, else their decision.
    effect: read, write or irreversible.
    result: what happened, for people; page text, untrusted.
    error: the error's code, or None.
    elapsed_ms: time the call took in milliseconds, waiting for a person left out.
    url: the page's address afterwards.
    tokens, cost: of the model's answers since the step before; cost in US dollars or None.
    before, after: snapshots, where they were taken.
    extra: more for skills and front ends, such as the target's `node`.
    at: when it was done, in seconds since 1970; 0 where nobody knows.
    next: the question that waited when a decision or a step returned this record; None where none did.
    """

    index: int
    tool: str
    args: dict[str, Any]
    call_id: str
    effect: str = "read"
    decision: Literal["auto", "approve", "edit", "reject", "respond", "person"] = "auto"
    edited: dict[str, Any] | None = None
    carried: dict[str, Any] | None = None
    reason: str = ""
    said: str = ""
    result: str = ""
    error: str | None = None
    changed: bool | None = None
    elapsed_ms: float = 0.0
    url: str = ""
    tokens: int = 0
    cost: float | None = 0.0
    before: Any = field(default=None, repr=False)
    after: Any = field(default=None, repr=False)
    extra: dict[str, Any] = field(default_factory=dict, repr=False)
    at: float = field(default_factory=time.time, repr=False, compare=False)
    next: PendingCall | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the call was carried out, or a request for help was answered, and did not fail."""
        answered = self.decision == "respond" and self.tool == ASSISTANCE
        return self.error is None and (answered or self.decision not in {"reject", "respond"})

    def correct(self, act: ActRequests) -> None:
        """Take what became known of its requests."""
        if self.error is None or self.error in UNTRUE_CALLS:
            self.error = act.error
        self.extra["failed"] = list(act.failed)
        if (problem := store.redact_kept(act.problem)) and problem not in self.result:
            self.result += f"\n{problem}"

    @property
    def place(self) -> str:
        """Which line of which cell made the call, such as "cell 2, line 3"; empty for a call that the model made."""
        cell, line = self.extra.get("cell"), self.extra.get("line")
        return "" if not cell else f"cell {cell}, line {line}" if line else f"cell {cell}"

    @property
    def decided(self) -> str:
        """The decision, where leaving a step out isn't a rejection: `skip`."""
        return "skip" if self.decision in {"reject", "respond"} and SKIPPED in self.result else self.decision

    @property
    def was_declined(self) -> bool:
        """Whether a person decided that the call isn't made: nothing failed then."""
        return not self.ok and self.decision in {"reject", "respond"}

    def __repr__(self) -> str:
        arguments = ", ".join(
            f"{name}={value!r}" for name, value in self.final_args.items() if value not in (None, [], {})
        )
        call = self.in_words if self.tool == RUN_CELL else f"{self.tool}({arguments})"
        outcome = f"failed, {self.error}" if self.error else _OUTCOMES[self.decided]
        waits = "" if self.next is None else f"\nNext: {self.next!r}"
        return f"<Step {self.index}: {call}: {outcome}>{waits}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = {"text/plain": repr(self)}
        screenshot = self.extra.get("screenshot")
        return shown | ({f"image/{screenshot['format']}": screenshot["data"]} if screenshot else {})

    @property
    def in_words(self) -> str:
        """The call in words, such as `fill searchbox 'Name' (value="tea")`; page text."""
        node = self.extra.get("node")
        target = "" if node is None else f"{node.role} {node.label!r}"
        return call_in_words(self.tool, target, self.final_args)

    @property
    def final_args(self) -> dict[str, Any]:
        """The arguments that were carried out."""
        if self.carried is not None:
            return self.carried
        return self.args if self.edited is None else self.edited
