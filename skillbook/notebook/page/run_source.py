"""A run as the panel sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_code import began_at, cells_to_insert
from skillbook.agents.run.run_view import decision_of, run_view, target_ref
from skillbook.agents.run.run_words import POINT_WORDS, kept_words
from skillbook.agents.state.question_queue import NOTEBOOK_PANEL, OUTPUTS
from skillbook.agents.state.step_records import FINAL_STATUSES
from skillbook.errors import CommandTimeout, SkillbookError
from skillbook.limits import PRESENT_SECONDS
from skillbook.notebook.escaping import shorten
from skillbook.notebook.page.page_rows import visited_line, with_target
from skillbook.notebook.page.panel_source import PageView, PanelState, Shot
from skillbook.notebook.page.past import Past
from skillbook.notebook.page.presence import Presence
from skillbook.notebook.page.remote_input import Pointer, RemoteInput
from skillbook.notebook.page.watcher import PageWatcher
from skillbook.protocol.asks.run_asks import DecideParams, TaskEdit
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
"""Of a step's outcome in its line, which is sent anew with each change; its details have more."""
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
        self._completed: tuple[PageView | None, str, PageView | None] = None, "", None
        self._refused: Exception | None = None
        self._refusals = 0
        run.on_change.append(self._run_changed)

    def _page(self) -> PageDriver | None:
        return self._run.page

    def panel_state(self) -> PanelState:
        """The run, as plain data."""
        run, pending = self._run, self._run.first_question
        if pending is not None:
            run.note_shown(pending.id, NOTEBOOK_PANEL)
        if run.last_refusal is not self._refused:
            self._refused = run.last_refusal
            self._refusals += 1
        view = run_view(run, _OUTCOME_LENGTH)
        warning = "\n".join(filter(None, [self._problem, view.warning]))
        return PanelState(
            view.model_copy(update={"warning": warning}),
            visited=visited_line(run.breadcrumbs),
            waits=kept_words(pending),
            refusals=self._refusals,
            offers=offers_of(run),
            picking=bool(self._picker.waits_for),
            picked=asdict(self._picker.picked) if self._picker.picked else None,
            pick_problem=self._picker.problem if pending else "",
            remote_input_problem=self._remote_input.problem,
            has_window=self._remote_input.has_window,
            past=self._past.step,
            gone="" if run.status in FINAL_STATUSES else self._presence.gone,
        )

    def page_view(self) -> PageView | None:
        """The run's page, as it was after the last change, with the target of the call that waits."""
        view, pending = self._watcher.view, self._run.first_question
        target = target_ref(pending) if pending is not None else ""
        if view is None or view is not self._completed[0] or target != self._completed[1]:
            page = self._page()
            latest = page.latest if page is not None else None
            self._completed = view, target, view and with_target(view, latest, target)
        return self._completed[2]

    def _pointed(self, ref: str) -> None:
        """The target of the call that waits was scrolled to: show it there, once, if the screenshot doesn't have it."""
        pending, view = self._run.first_question, self._watcher.view
        if pending is None or pending.id == self._brought or ref != target_ref(pending) or view is None:
            return
        self._brought = pending.id
        row = next((row for row in (self.page_view() or view).rows if row.ref == ref), None)
        if row is None or row.box is None or view.shot is None or not _is_in(view.shot, row.box):
            self._watcher.refresh()

    def past_view(self) -> PageView | None:
        """The page as it was before the step that is looked at."""
        return self._past.view

    def note_read(self, question: str, since: float | None = None) -> None:
        """A question is on the screen, so that a cell may answer it, too."""
        self._run.note_shown(question, OUTPUTS, since)

    def answer(self, given: DecideParams) -> None:
        """Hand the person's decision to the run, which takes one for each call."""
        self._run.decide(given.question, decision_of(given), NOTEBOOK_PANEL)

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


def offers_of(run: Run) -> dict[str, tuple[str, ...]]:
    """What can be made of a run that is over, each as cells."""
    steps = run.records
    if run.status not in FINAL_STATUSES or not steps:
        return {}
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
    return {label: codes for label, codes in found.items() if codes}


def _is_in(shot: Shot, box: tuple[float, float, float, float]) -> bool:
    """Whether the middle of a box is on a screenshot."""
    x, y = box[0] + box[2] / 2 - shot.origin[0], box[1] + box[3] / 2 - shot.origin[1]
    return 0 <= x < shot.width and 0 <= y < shot.height
