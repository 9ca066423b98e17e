"""A run as every door shows it: one `RunView`, made here from the run and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from skillbook.agents.run.run_code import can_step, cell_view, code_of, variable_views
from skillbook.agents.run.run_words import (
    PHRASES,
    brief_args,
    call_of,
    help_kind,
    progress_of,
    question_words,
    sentence_of,
    state_words,
    target_words,
    to_decision,
    warning_of,
)
from skillbook.agents.state.step_records import FINAL_STATUSES, FORM_ONLY_READS, PendingCall, StepRecord
from skillbook.perception.escape import shorten
from skillbook.policy.approvals import SCOPES
from skillbook.protocol.asks.run_asks import (
    Breadcrumb,
    CallView,
    DecideParams,
    DecisionKind,
    Question,
    QuestionKind,
    RunView,
    StepLine,
    TaskView,
)
from skillbook.protocol.commands import CALL_NAMES, COMMANDS
from skillbook.session.page.page_rest import in_words

if TYPE_CHECKING:
    from skillbook.agents.run.agent_run import Run

_OUTCOME_LENGTH = 2_000
_ARGS_LENGTH = 200


def run_view(run: Run, outcome_length: int = _OUTCOME_LENGTH, **more: Any) -> RunView:
    """Everything that is shown of a run.

    outcome_length: of a step's outcome in its line.
    more: what the door knows of it beside, such as when it began to show it.
    """
    steps, error, pending = run.records, run.error, run.first_question
    facts: dict[str, Any] = {
        "id": run.id,
        "kind": "goal",
        "title": run.goal,
        "state": run.state,
        "words": state_words(run),
        "started": 0.0,
        "status": run.status,
        "progress": run.progress,
        "progress_words": progress_of(run),
        "under_way": sentence_of(in_words(run.under_way, run.awaits)) if run.under_way else "",
        "since": run.since,
        "model": run.model,
        "steps": [step_line(step, outcome_length) for step in steps],
        "question": None if pending is None else question_of(run, pending),
        "tasks": [TaskView(**task) for task in run.tasks.to_json()],
        "variables": variable_views(run.cell_variables),
        "tokens": run.cost.tokens,
        "cost": run.cost.usd,
        "max_steps": run.max_steps,
        "budget": run.budget_usd,
        "budget_tokens": run.budget_tokens,
        "forecast": "" if run.forecast is None else str(run.forecast),
        "origin": run.origin,
        "warning": warning_of(run),
        "notice": run.notice,
        "result": "" if run.result is None else str(run.result),
        "error": "" if error is None else error.message,
        "hint": "" if error is None else error.hint,
        "can": _can(run),
        **more,
    }
    return RunView(breadcrumbs=breadcrumbs_of(steps, facts["started"]), **facts)


def _can(run: Run) -> list[Any]:
    status = run.status
    able = [
        ("pause", status == "running"),
        ("stop", status in {"running", "waiting", "paused"}),
        ("resume", status in {"idle", "paused", "stopped", "failed"}),
        ("tell", status not in FINAL_STATUSES),
        ("save_skill", status not in {"running", "idle"} and bool(run.records)),
        ("write_notebook", True),
    ]
    return [what for what, holds in able if holds]


def step_line(step: StepRecord, outcome_length: int = _OUTCOME_LENGTH) -> StepLine:
    """A step as a line."""
    return StepLine(
        number=step.index,
        words=sentence_of(step.in_words),
        record=str(step.extra.get("place") or ""),
        ok=step.ok,
        declined=step.was_declined,
        error="" if step.error is None else shorten(f"{step.error}: {step.result}", outcome_length),
        hint=str(step.extra.get("hint") or ""),
        outcome=shorten(step.result, outcome_length),
        decision=step.decided,
        effect=_risk(step.effect),
        reason=step.reason,
        said=step.said,
        elapsed_ms=step.elapsed_ms,
        url=step.url,
        thumbnail=step.effect != "read" and step.error is None,
        tool=step.tool,
        args=shorten(brief_args(step.final_args), _ARGS_LENGTH),
        code=code_of(step),
        tokens=step.tokens,
        cost=step.cost,
        after="" if step.after is None else step.after.key,
    )


def _risk(effect: str) -> Any:
    """An effect as a risk: a cell that calls nothing risks as little as a read."""
    return "read" if effect == "none" else effect


def breadcrumbs_of(steps: Sequence[StepRecord], started: float) -> list[Breadcrumb]:
    """The pages that a run came over, and what led there."""
    way: list[Breadcrumb] = []
    first = next((step.before for step in steps if step.before is not None), None)
    if first is not None:
        way.append(Breadcrumb(url=first.url, title=first.title, time=started))
    for step in steps:
        if step.url and (not way or way[-1].url != step.url):
            after = step.after if step.after is not None and step.after.url == step.url else None
            title = after.title if after is not None else ""
            way.append(Breadcrumb(url=step.url, title=title, label=sentence_of(call_of(step)), time=step.at))
    return way


def question_of(run: Run, pending: PendingCall) -> Question:
    """What a run waits for."""
    review, help_wanted = pending.review, help_kind(pending)
    kind: QuestionKind = "held_request" if pending.request is not None else "approve"
    if help_wanted:
        kind = "choose" if pending.options else "assist"
    is_edited = "edit" in pending.decisions and not help_wanted
    scopes = SCOPES if pending.request is None else ("session",)
    return Question(
        id=pending.id,
        kind=kind,
        words=question_words(pending),
        place=review.place,
        why="" if help_wanted else pending.why,
        said=pending.said,
        risk=_risk(review.effect),
        obstacle=help_wanted,
        noticed=run.help_noticed,
        call=None if help_wanted else _call_view(pending),
        cell=cell_view(pending),
        editable=list(pending.schema.get("properties", {})) if is_edited else [],
        choices=list(pending.options),
        decisions=_decisions(pending, help_wanted),
        always=[*(scopes if review.learn else []), *([FORM_ONLY_READS] if review.form else [])],
        learn=str(review.learn or ""),
        form=str(review.form or ""),
        second_press=review.effect == "irreversible",
        refusal=str(run.last_refusal or ""),
    )


def _decisions(pending: PendingCall, help_wanted: str) -> list[DecisionKind]:
    offered: list[tuple[DecisionKind, bool]] = [(each, True) for each in pending.decisions]
    if help_wanted:
        offered = [
            ("choose" if pending.options else "done", True),
            ("respond", "respond" in pending.decisions),
            ("reject", True),
        ]
    offered += [("skip", pending.is_call and not help_wanted), ("step", can_step(pending))]
    return [decision for decision, holds in offered if holds]


def _call_view(pending: PendingCall) -> CallView:
    review, command = pending.review, COMMANDS.get(pending.tool)
    words, phrase = question_words(pending), PHRASES.get(pending.tool, pending.tool)
    has_element = bool(command and command.ref_fields and review.target)
    if not has_element and not words.startswith(phrase):
        phrase = ""  # its words are another sentence
    return CallView(
        tool=pending.tool,
        args=pending.args,
        json_schema=pending.schema,
        targets=[CALL_NAMES[name] for name in command.ref_fields] if command else [],
        phrase=phrase,
        target=target_words(review.target, review.place)
        if has_element
        else words.removeprefix(phrase).strip(),
        target_ref=target_ref(pending),
        puts_text=bool(command and command.edits_text),
    )


def target_ref(pending: PendingCall) -> str:
    """The ref of a call's element; empty where that isn't known."""
    return (pending.review.binding.ref if pending.review.binding else None) or ""


def decision_of(given: DecideParams) -> dict[str, Any]:
    """A person's answer as `Run.decide` takes it."""
    kind: str = given.decision
    if kind == "choose":
        kind = "respond"
    elif kind == "done":
        # Without words the tool goes on and reads the page; words go to the agent in its place.
        kind = "respond" if given.text else "approve"
    return to_decision(kind, given.args, given.text, given.always, given.until)
