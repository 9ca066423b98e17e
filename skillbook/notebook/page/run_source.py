"""A run as the panel sees it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_code import began_at, cell_view, cells_to_insert, code_of, variable_views
from skillbook.agents.run.run_words import (
    POINT_WORDS,
    brief_args,
    call_of,
    help_kind,
    progress_of,
    resume_code,
    to_decision,
    warning_of,
)
from skillbook.agents.state.question_queue import NOTEBOOK_PANEL, OUTPUTS
from skillbook.agents.state.step_records import FINAL_STATUSES, RUN_CELL, PendingCall, StepRecord
from skillbook.errors import CommandTimeout, SkillbookError
from skillbook.limits import PRESENT_SECONDS
from skillbook.notebook.escaping import shorten
from skillbook.notebook.page.page_rows import key_of, visited_line, with_target
from skillbook.notebook.page.panel_source import (
    Decision,
    DecisionKind,
    PageView,
    PanelState,
    PendingView,
    Refusal,
    Shot,
    Status,
    StepView,
    TaskEdit,
)
from skillbook.notebook.page.past import Past
from skillbook.notebook.page.presence import Presence
from skillbook.notebook.page.remote_input import Pointer, RemoteInput
from skillbook.notebook.page.watcher import PageWatcher
from skillbook.policy.approvals import SCOPES
from skillbook.protocol.commands import CALL_NAMES, COMMANDS
from skillbook.session.page.page_rest import in_words
from skillbook.skill.model.spec_base import slug

if TYPE_CHECKING:
    from skillbook.session.page_driver import PageDriver


@dataclass(frozen=True)
class Picked:
    """The element that a person pointed at for the question `id`; `serial` distinguishes two choices."""

    id: str
    serial: int
    ref: str


class Picker:
    """Lets the person point in the page while a call waits. Used on the I/O thread only.

    driver_of: gives the page; None while there is none.
    changed: called when one of the attributes is another one.
    waits_for: the question for which the person is to point; empty while the page is as ever.
    problem: why pointing ended without an element, where they didn't end it themselves.
    """

    def __init__(self, driver_of: Callable[[], PageDriver | None], changed: Callable[[], None]) -> None:
        self.waits_for = ""
        self.picked: Picked | None = None
        self.problem = ""
        self._driver_of = driver_of
        self._changed = changed
        self._going: asyncio.Task[None] | None = None

    def begin(self, question: str) -> None:
        """Have the page wait for the person's click, where a person can see the page."""
        driver = self._driver_of()
        if driver is None or driver.closed or not driver.browser.has_window or self.waits_for == question:
            return
        self.end()
        self.waits_for, self.problem = question, ""
        self._going = asyncio.ensure_future(self._wait(driver, question))
        self._changed()

    def end(self) -> None:
        """The page is as ever again."""
        if self._going is not None:
            self._going.cancel()
            self._going = None
        if self.waits_for:
            self.waits_for = ""
            self._changed()

    async def _wait(self, driver: PageDriver, question: str) -> None:
        problem = ""
        try:
            # A page that a person forgot takes no clicks for so long at most.
            node = await driver.pick(POINT_WORDS, timeout=PRESENT_SECONDS)
            if node is not None and node.ref is not None:
                serial = self.picked.serial + 1 if self.picked else 1
                self.picked = Picked(question, serial, node.ref)
        except CommandTimeout:
            problem = "Nothing was pointed at in the page."
        except SkillbookError as error:
            problem = error.message
        self._going, self.waits_for, self.problem = None, "", problem
        self._changed()


_OUTCOME_LENGTH = 300
_ARGS_LENGTH = 200
_DETAIL_LENGTH = 8_000


class RunSource:
    """The `PanelSource` of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._listeners: list[Callable[[], None]] = []
        self._watcher = PageWatcher(self._page, self._announce)
        self.point = Pointer(self._page, self._pointed).point
        self._brought = ""  # id of the question whose target was scrolled to
        self._picker = Picker(self._page, self._picker_changed)
        self._remote_input = RemoteInput(self._page, self._watcher, self._announce)
        self.use_remote_input = self._remote_input.take
        self._presence = Presence(self._page, self._announce)
        self._past = Past(lambda: self._run, self._announce)
        self.look_at = self._past.show
        self._problem = ""
        self._picked: Picked | None = None
        self._shown_state: tuple[object, ...] = ()
        self._doing: tuple[object, ...] = ()
        self._completed: tuple[PageView | None, str, PageView | None] = None, "", None
        self._since = 0.0
        self._refused: Exception | None = None
        self._refusals = 0
        run.on_change.append(self._run_changed)

    def _page(self) -> PageDriver | None:
        return self._run.page

    def panel_state(self) -> PanelState:
        """The run, as plain data."""
        state = state_of(self._run)
        if state.pending is not None:
            self._run.note_shown(state.pending.id, NOTEBOOK_PANEL)
        return replace(
            state,
            refusal=self._refusal(state.pending),
            warning="\n".join(filter(None, [self._problem, state.warning])),
            picking=bool(self._picker.waits_for),
            picked=asdict(self._picker.picked) if self._picker.picked else None,
            pick_problem=self._picker.problem if state.pending else "",
            remote_input_problem=self._remote_input.problem,
            has_window=self._remote_input.has_window,
            past=self._past.step,
            gone="" if state.status in FINAL_STATUSES else self._presence.gone,
            since=self._since,
        )

    def _refusal(self, pending: PendingView | None) -> Refusal | None:
        error = self._run.last_refusal
        if error is not self._refused:
            self._refused = error
            self._refusals += 1
        if error is None or pending is None:
            return None
        return Refusal(pending.id, self._refusals, str(error))

    def page_view(self) -> PageView | None:
        """The run's page, as it was after the last change, with the target of the call that waits."""
        view, pending = self._watcher.view, self._run.first_question
        target = _target_of(pending) if pending is not None else ""
        if view is None or view is not self._completed[0] or target != self._completed[1]:
            page = self._page()
            latest = page.latest if page is not None else None
            self._completed = view, target, view and with_target(view, latest, target)
        return self._completed[2]

    def _pointed(self, ref: str) -> None:
        """The target of the call that waits was scrolled to: show it there, once, if the screenshot doesn't have it."""
        pending, view = self._run.first_question, self._watcher.view
        if pending is None or pending.id == self._brought or ref != _target_of(pending) or view is None:
            return
        self._brought = pending.id
        row = next((row for row in (self.page_view() or view).rows if row.ref == ref), None)
        if row is None or row.box is None or view.shot is None or not _is_in(view.shot, row.box):
            self._watcher.refresh()

    def past_view(self) -> PageView | None:
        """The page as it was before the step that is looked at."""
        return self._past.view

    def note_read(self, question: str) -> None:
        """A question is on the screen, so that a cell may answer it, too."""
        self._run.note_shown(question, OUTPUTS)

    def answer(self, decision: Decision) -> None:
        """Hand the person's decision to the run, which takes one for each call."""
        self._run.decide(decision.id, to_run_decision(decision), NOTEBOOK_PANEL)

    def edit_tasks(self, edit: TaskEdit) -> None:
        """Change the run's task list; a task that is gone by now can't be changed."""
        with suppress(SkillbookError):
            self._run.tasks.edit(edit.act, edit.id, edit.title, edit.to)

    def step_details(self, number: int) -> dict[str, str] | None:
        """A step's outcome in full, and what it changed on the page."""
        frames = self._run.replay()
        if not 1 <= number <= len(frames):
            return None
        step = frames[number - 1].step
        outcome = f"{step.error}: {step.result}" if step.error else step.result
        return {
            "outcome": shorten(outcome, _DETAIL_LENGTH),
            "changes": shorten(frames[number - 1].changes, _DETAIL_LENGTH),
        }

    def fork(self, number: int) -> Run | None:
        """Go another way from a step, and show that run from now on."""
        try:
            branch = self._run.fork(number)
        except SkillbookError as error:
            self._problem = str(error)
            self._announce()
            return None
        self._run.on_change.remove(self._run_changed)
        self._run, self._problem = branch, ""
        self._past.show(None)
        self._picker.end()
        branch.on_change.append(self._run_changed)
        branch.go_on(0)
        return branch

    def pick(self, question: str | None) -> None:
        """Let the person point at an element in the real page for a call that waits; None ends it."""
        if question is None:
            self._picker.end()
        else:
            self._picker.begin(question)

    def stop(self) -> None:
        """Stop the run."""
        self._run.stop()

    def pause(self) -> None:
        """Have the run wait before its next call."""
        self._run.pause()

    def go_on(self, n: int | None, until: Literal["write", "irreversible"]) -> None:
        """Have the run go on, and let calls pass."""
        self._run.go_on(n, until)

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back after each change of the run or of its page's view."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def _run_changed(self, run: Run) -> None:
        doing = (run.status, run.under_way, len(run.records))
        if doing != self._doing:
            self._doing, self._since = doing, time.time()
        if self._picker.waits_for and (
            run.first_question is None or run.first_question.id != self._picker.waits_for
        ):
            self._picker.end()
        self._presence.follow()
        # Not on a decision: a screenshot taken then would stand in the way of the call that was just approved.
        seen = run.page.latest if run.page is not None else None
        now = (len(run.records), run.status in FINAL_STATUSES, id(seen))
        if seen is not None and now != self._shown_state:
            self._shown_state = now
            self._watcher.refresh()
        if run.under_way:
            self._watcher.follow(lambda: run.under_way)
        self._announce()

    def _picker_changed(self) -> None:
        if self._picker.picked is not self._picked:
            # What was pointed at may have come since the tree was read.
            self._picked = self._picker.picked
            self._watcher.refresh()
        self._announce()

    def _announce(self) -> None:
        for callback in list(self._listeners):
            callback()

    def __repr__(self) -> str:
        return self._run.line


def state_of(run: Run) -> PanelState:
    """A run as plain data."""
    steps = run.records
    question = run.first_question
    pending = pending_view(question) if question else None
    status: Status = "assistance" if pending and pending.assistance else run.status
    under_way = 0 if run.status in FINAL_STATUSES or run.status == "idle" else 1
    return PanelState(
        goal=run.goal,
        status=status,
        step=min(len(steps) + under_way, max(run.max_steps, len(steps))),
        max_steps=run.max_steps,
        tokens=run.cost.tokens,
        cost=run.cost.usd,
        budget=run.budget_usd,
        budget_tokens=run.budget_tokens,
        forecast="" if run.forecast is None else str(run.forecast),
        progress=progress_of(run),
        visited=visited_line(run.breadcrumbs),
        under_way=in_words(run.under_way, run.awaits),
        model=run.model,
        pending=pending,
        steps=tuple(step_view(step) for step in steps),
        result="" if run.result is None else str(run.result),
        error="" if run.error is None else str(run.error),
        resume="" if run.status in {"idle", "succeeded"} else resume_code(run),
        origin=run.origin,
        warning=warning_of(run),
        notice=run.notice if len(run.tasks) else "",
        tasks=tuple(run.tasks.to_json()),
        help_noticed=run.help_noticed,
        variables=tuple(each.model_dump() for each in variable_views(run.cell_variables)),
        offers=_offers(run, steps) if run.status in FINAL_STATUSES and steps else (),
    )


def _offers(run: Run, steps: Sequence[StepRecord]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What can be made of a run that is over, each as cells."""
    name = slug(run.goal) or "my-skill"
    url = began_at(run._context)
    begin = "" if url == "about:blank" else f"page.goto({url!r})\n"
    cells = cells_to_insert(run._context, steps)
    export = f"run.save_skill({name!r}, overwrite=True).to_playwright({f'{name}.py'!r})"
    if run._context.cells is not None:
        export = f"run.to_notebook({f'{name}.ipynb'!r})" if cells else ""
    is_skill = run.status == "succeeded"
    found = {
        "Save as skill…": (f"skill = run.save_skill({name!r})\nskill",) if is_skill else (),
        "Insert as cells": cells,
        "Run again": (f"{begin}run = run.fork(at=1)\nrun",),
        "Export": (export,) if is_skill and export else (),
    }
    return tuple((label, codes) for label, codes in found.items() if codes)


def to_run_decision(decision: Decision) -> dict[str, Any]:
    """A decision as `Run.decide` takes it."""
    return to_decision(decision.kind, decision.args, decision.message, decision.always, decision.until)


def pending_view(pending: PendingCall) -> PendingView:
    """A pending call as the panel shows it."""
    command = COMMANDS.get(pending.tool)
    decisions: tuple[DecisionKind, ...] = pending.decisions
    assistance, cell = help_kind(pending), cell_view(pending)
    return PendingView(
        id=pending.id,
        tool=pending.tool,
        args=pending.args,
        effect=pending.review.effect,
        schema=pending.schema,
        targets=tuple(CALL_NAMES[name] for name in command.ref_fields) if command else (),
        target_ref=_target_of(pending),
        puts_text=bool(command and command.edits_text),
        target_text=pending.review.target if pending.request is None else pending.request.what,
        place=pending.review.place,
        reason=str(pending.args.get("message", "")) if assistance else pending.why,
        said=pending.said,
        assistance=assistance,
        decisions=decisions,
        learn=str(pending.review.learn) if pending.review.learn else "",
        form=str(pending.review.form) if pending.review.form else "",
        scopes=("session",) if pending.request is not None else SCOPES,
        options=pending.options,
        cell=cell.model_dump() if cell is not None else None,
        text=pending.text,
        kept_text=pending.kept_text,
    )


def _target_of(pending: PendingCall) -> str:
    return (pending.review.binding.ref if pending.review.binding else None) or ""


def _is_in(shot: Shot, box: tuple[float, float, float, float]) -> bool:
    """Whether the middle of a box is on a screenshot."""
    x, y = box[0] + box[2] / 2 - shot.origin[0], box[1] + box[3] / 2 - shot.origin[1]
    return 0 <= x < shot.width and 0 <= y < shot.height


def step_view(step: StepRecord) -> StepView:
    """A step as a line of the timeline."""
    outcome = f"{step.error}: {step.result}" if step.error else step.result
    return StepView(
        number=step.index,
        tool=step.tool,
        args=shorten(brief_args(step.final_args), _ARGS_LENGTH),
        outcome=shorten(outcome, _OUTCOME_LENGTH),
        ok=step.ok,
        decision=step.decided,
        effect=step.effect,
        elapsed_ms=step.elapsed_ms,
        said=step.said,
        reason=step.reason,
        url=shorten(step.url, _OUTCOME_LENGTH),
        tokens=step.tokens,
        cost=step.cost,
        after="" if step.after is None else key_of(step.after),
        fork=f"branch = run.fork(at={step.index})",
        call=shorten(call_of(step), _ARGS_LENGTH),
        declined=step.was_declined,
        code=code_of(step),
        cell=str(step.final_args.get("code", "")) if step.tool == RUN_CELL else "",
    )
