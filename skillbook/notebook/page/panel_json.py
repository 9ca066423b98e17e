"""A panel's state as its widget gets it: the run as every door shows it, and what only a notebook has."""

from __future__ import annotations

from typing import Any

from skillbook.agents.run.run_words import PHRASES, sentence_of, target_words
from skillbook.notebook.page.panel_source import PanelState, PendingView, StepView
from skillbook.protocol.asks.run_asks import (
    CallView,
    CellView,
    Offer,
    Question,
    RunView,
    StepLine,
    TaskView,
    VariableView,
)

_STATES: dict[str, Any] = {
    "idle": "created", "running": "executing", "waiting": "awaiting_user", "paused": "awaiting_user",
    "assistance": "blocked", "succeeded": "succeeded", "failed": "failed", "stopped": "cancelled",
}  # fmt: skip


def panel_json(state: PanelState) -> dict[str, Any]:
    """The state as plain data."""
    return {
        "run": run_view(state).model_dump(mode="json"),
        "refusals": state.refusal.serial if state.refusal else 0,
        "picking": state.picking,
        "picked": state.picked,
        "pick_problem": state.pick_problem,
        "remote_input_problem": state.remote_input_problem,
        "has_window": state.has_window,
        "past": None if state.past is None else vars(state.past),
        "gone": state.gone,
    }


def run_view(state: PanelState) -> RunView:
    """The run as every door shows it."""
    refusal = state.refusal.text if state.refusal else ""
    status: Any = "waiting" if state.status == "assistance" else state.status
    return RunView(
        id="run",
        kind="goal",
        title=state.goal,
        state=_STATES[state.status],
        words=state.status,
        started=0.0,
        status=status,
        progress_words=state.progress,
        under_way=sentence_of(state.under_way) if state.under_way else "",
        since=state.since,
        model=state.model,
        steps=[step_line(step) for step in state.steps],
        question=question(state.pending, refusal, state.help_noticed) if state.pending else None,
        tasks=[TaskView(**task) for task in state.tasks],
        variables=[VariableView(**each) for each in state.variables],
        tokens=state.tokens,
        cost=state.cost,
        max_steps=state.max_steps,
        budget=state.budget,
        budget_tokens=state.budget_tokens,
        forecast=state.forecast,
        origin=state.origin,
        visited=state.visited,
        warning=state.warning,
        notice=state.notice,
        result=state.result,
        error=state.error,
        offers=[Offer(label=label, cells=list(cells)) for label, cells in state.offers],
        can=_can(state.status),
    )


def _can(status: str) -> list[Any]:
    able: list[Any] = ["pause"] if status == "running" else []
    if status in {"running", "waiting", "paused", "assistance"}:
        able += ["stop"]
    if status in {"idle", "paused", "stopped", "failed"}:
        able += ["resume"]
    return able if status in {"succeeded", "failed", "stopped"} else [*able, "tell"]


def _risk(effect: str) -> Any:
    """An effect as a risk: a cell that calls nothing risks as little as a read."""
    return effect if effect in {"write", "irreversible"} else "read"


def step_line(step: StepView) -> StepLine:
    """A step as a line."""
    return StepLine(
        number=step.number, words=sentence_of(step.call or f"{step.tool} {step.args}"), ok=step.ok,
        declined=step.declined, outcome=step.outcome, decision=step.decision, effect=_risk(step.effect),
        reason=step.reason, said=step.said, elapsed_ms=step.elapsed_ms, url=step.url, tool=step.tool, args=step.args,
        code=step.code, tokens=step.tokens, cost=step.cost, after=step.after, fork=step.fork,
    )  # fmt: skip


def question(pending: PendingView, refusal: str, noticed: bool) -> Question:
    """What waits for the person."""
    call = None if pending.assistance else CallView(
        tool=pending.tool, args=pending.args, json_schema=pending.schema, targets=list(pending.targets),
        phrase=PHRASES.get(pending.tool, pending.tool), target=_target(pending), target_ref=pending.target_ref,
        puts_text=pending.puts_text,
    )  # fmt: skip
    decisions: Any = list(pending.decisions)
    always: Any = [*(pending.scopes if pending.learn else ()), *(["form"] if pending.form else [])]
    return Question(
        id=pending.id,
        kind="approve" if call else "choose" if pending.options else "assist",
        words=pending.reason if pending.assistance else pending.text,
        place=pending.place,
        why="" if pending.assistance else pending.reason,
        said=pending.said,
        risk=_risk(pending.effect),
        obstacle=pending.assistance,
        noticed=noticed,
        call=call,
        cell=None if pending.cell is None else CellView(**pending.cell),
        editable=list(pending.schema.get("properties", {})) if "edit" in pending.decisions else [],
        choices=list(pending.options),
        decisions=decisions,
        always=always,
        learn=pending.learn,
        form=pending.form,
        second_press=pending.effect == "irreversible",
        refusal=refusal,
    )


def _target(pending: PendingView) -> str:
    return target_words(pending.target_text, pending.place) if pending.targets else pending.target_text
