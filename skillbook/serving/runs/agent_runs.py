"""An agent's run in the side panel: the same run, questions and words as in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_code import cell_view, code_of, variable_views
from skillbook.agents.run.run_words import (
    PHRASES,
    brief_args,
    call_of,
    decided_words,
    help_kind,
    progress_of,
    question_words,
    sentence_of,
    target_words,
    to_decision,
    warning_of,
)
from skillbook.agents.state.question_queue import Place
from skillbook.agents.state.step_records import FORM_ONLY_READS, PendingCall, StepRecord
from skillbook.errors import InvalidParams, SkillbookError
from skillbook.policy.approvals import SCOPES
from skillbook.protocol.asks.run_asks import (
    Breadcrumb,
    CallView,
    DecideParams,
    DecisionKind,
    Question,
    RunState,
    RunView,
    StepLine,
    TaskEdit,
    TaskView,
)
from skillbook.protocol.commands import CALL_NAMES, COMMANDS
from skillbook.serving.outputs import FactsOutput, FileOutput, RowsOutput, RunOutput, TextOutput
from skillbook.serving.runs.served_run import ServedRun
from skillbook.session.page_driver import PageDriver

_OUTCOME_LENGTH = 2_000
_ARGS_LENGTH = 200


class AgentRun(ServedRun):
    """A run of `sb.agent`, or of the workflow `copilot`.

    by_panel: whether the side panel started it, so that who waits for its end waits for decisions given there.
    """

    def __init__(self, run: Run, *, by_panel: bool = False) -> None:
        super().__init__(run.id, "goal", run.goal)
        self.run = run
        (run.on_change if by_panel else run.on_progress).append(lambda _: self.changed())

    @property
    def state(self) -> RunState:
        return self.run.state

    @property
    def words(self) -> str:
        return "paused" if self.run.status == "paused" else super().words

    @property
    def page(self) -> PageDriver | None:
        found: PageDriver | None = self.run.page
        return found

    def view(self) -> RunView:
        run = self.run
        steps = run.records
        error = run.error
        return RunView(
            **self._summary(),
            status=run.status,
            progress=run.progress,
            progress_words=progress_of(run),
            under_way=sentence_of(run.under_way) if run.under_way else "",
            model=run.model,
            breadcrumbs=breadcrumbs_of(steps, self.started),
            steps=[step_line(step) for step in steps],
            question=self.question,
            tasks=[TaskView(**task) for task in run.tasks.to_json()],
            tasks_words=run.tasks.progress(),
            variables=variable_views(run.cell_variables),
            tokens=run.cost.tokens,
            cost=run.cost.usd,
            max_steps=run.max_steps,
            budget=run.budget_usd,
            budget_tokens=run.budget_tokens,
            origin=run.origin,
            forecast="" if run.forecast is None else str(run.forecast),
            warning=warning_of(run),
            notice=run.notice,
            result="" if run.result is None else str(run.result),
            error="" if error is None else error.message,
            hint="" if error is None else error.hint,
            outputs=[output.view() for output in self.outputs()],
            can=self._can(),
        )

    def _can(self) -> list[Any]:
        status = self.run.status
        able: list[Any] = []
        if status == "running":
            able += ["pause"]
        if status in {"running", "waiting", "paused"}:
            able += ["stop", "tell"]
        if status in {"idle", "paused", "stopped", "failed"}:
            able += ["resume"]
        if status not in {"running", "idle"} and self.run.records:
            able += ["save_skill"]
        return [*able, "write_notebook"]

    def outputs(self) -> Sequence[RunOutput]:
        run, found = self.run, list[RunOutput]()
        frames = [(step.index, step.extra["frame"]) for step in run.records if "frame" in step.extra]
        if not frames and run.frame is not None:
            frames = [(0, run.frame)]
        for number, frame in frames:
            title = "Rows" if len(frames) == 1 else f"Rows of step {number}"
            ended_early = run.status in {"failed", "stopped"} and not frame.attrs
            found.append(RowsOutput(f"rows-{number}", title, frame, self.page, ended_early))
        result = run.result
        if isinstance(result, pd.DataFrame):
            found.append(RowsOutput("result", "Result", result, self.page))
        elif hasattr(result, "model_dump"):
            found.append(FactsOutput("result", "Result", result.model_dump(mode="json")))
        elif isinstance(result, Mapping):
            found.append(FactsOutput("result", "Result", result))
        elif result is not None and str(result):
            found.append(TextOutput("result", "Answer", str(result)))
        for step in run.records:
            for number, path in enumerate(step.extra.get("files", ()), 1):
                found.append(FileOutput(f"file-{step.index}-{number}", Path(path)))
        return found

    def note_shown(self, question: str, place: Place) -> None:
        self.run.note_shown(question, place)

    @property
    def question(self) -> Question | None:
        pending = self.run.first_question
        return None if pending is None else question_of(self.run, pending)

    def answer_to(self, question: str) -> str:
        earlier = self.run.answer_to(question)
        return "" if earlier is None else f"{decided_words(earlier[0])} {earlier[1]}"

    def take(self, question: Question, given: DecideParams, place: Place) -> str:
        kind, text = given.decision, given.text
        if kind == "choose":
            kind = "respond"
        elif kind == "done":
            # Without words the tool goes on and reads the page; words go to the agent in its place.
            kind = "respond" if text else "approve"
        decision = to_decision(kind, given.args, text, given.always, given.until)
        return decided_words(decision) if self.run.take_decision(question.id, decision, place) else ""

    async def stop(self) -> None:
        await self.run.halt()

    def pause(self) -> None:
        self.run.pause()

    async def resume(self) -> None:
        self.run.go_on(0)

    def tell(self, text: str) -> None:
        self.run.feedback(text)

    def change_tasks(self, edits: Sequence[TaskEdit]) -> None:
        for edit in edits:
            self.run.tasks.edit(edit.act, edit.id, edit.title, edit.to)

    def thumbnail(self, number: int) -> tuple[str, bytes] | None:
        """A step's small screenshot and its format; None where there is none."""
        steps = self.run.records
        if not 1 <= number <= len(steps):
            raise InvalidParams(f"there is no step {number}", hint=f"there are {len(steps)}")
        step, page = steps[number - 1], self.page
        if (shot := step.extra.get("screenshot")) is not None:
            return str(shot["format"]), bytes(shot["data"])
        key = f"{self.run.id}#{step.call_id}"
        found = page.browser.journal.thumbnail(key) if page is not None else None
        return None if found is None else ("jpeg", found)


def step_line(step: StepRecord) -> StepLine:
    """A step as a line."""
    return StepLine(
        number=step.index,
        words=sentence_of(step.in_words),
        record=str(step.extra.get("place") or ""),
        ok=step.ok,
        declined=step.was_declined,
        error="" if step.error is None else f"{step.error}: {step.result}"[:_OUTCOME_LENGTH],
        hint=str(step.extra.get("hint") or ""),
        outcome=step.result[:_OUTCOME_LENGTH],
        decision=step.decided,
        effect=_risk(step.effect),
        reason=step.reason,
        said=step.said,
        elapsed_ms=step.elapsed_ms,
        url=step.url,
        thumbnail=step.effect != "read" and step.error is None,
        tool=step.tool,
        args=brief_args(step.final_args)[:_ARGS_LENGTH],
        code=code_of(step),
        tokens=step.tokens,
        cost=step.cost,
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
    review, command, kind = pending.review, COMMANDS.get(pending.tool), help_kind(pending)
    decisions: list[DecisionKind] = [*pending.decisions]
    if kind:
        decisions = ["choose" if pending.options else "done", "respond", "reject"]
        decisions = [each for each in decisions if each != "respond" or "respond" in pending.decisions]
    elif pending.is_call:
        decisions.append("skip")
    cell = cell_view(pending)
    if cell is not None and cell.steps:
        decisions.append("step")
    refusal: SkillbookError | None = run.last_refusal
    words, phrase = question_words(pending), PHRASES.get(pending.tool, pending.tool)
    has_element = bool(command and command.ref_fields and review.target)
    if not has_element and not words.startswith(phrase):
        phrase = ""  # its words are another sentence
    fields = list(pending.schema.get("properties", {}))
    return Question(
        id=pending.id,
        kind="choose"
        if pending.options
        else "assist"
        if kind
        else "held_request"
        if pending.request is not None
        else "approve",
        words=words,
        place=review.place,
        why="" if kind else pending.why,
        said=pending.said,
        risk=_risk(review.effect),
        obstacle=kind,
        noticed=run.help_noticed,
        call=None
        if kind or not pending.is_call
        else CallView(
            tool=pending.tool,
            args=pending.args,
            json_schema=pending.schema,
            targets=[CALL_NAMES[name] for name in command.ref_fields] if command else [],
            phrase=phrase,
            target=target_words(review.target, review.place)
            if has_element
            else words.removeprefix(phrase).strip(),
            target_ref=(review.binding.ref if review.binding else None) or "",
            puts_text=bool(command and command.edits_text),
        ),
        cell=cell,
        editable=fields if "edit" in pending.decisions and not kind else [],
        choices=list(pending.options),
        decisions=decisions,
        always=[
            *([] if review.learn is None else ["session"] if pending.request is not None else list(SCOPES)),
            *([FORM_ONLY_READS] if review.form is not None else []),
        ],
        learn=str(review.learn) if review.learn else "",
        form=str(review.form) if review.form else "",
        second_press=review.effect == "irreversible",
        refusal="" if refusal is None else str(refusal),
    )
