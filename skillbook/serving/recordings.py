"""What a person shows in the page for the side panel: a recording, and another element for a call that waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from skillbook.agents.run.run_words import POINT_WORDS
from skillbook.errors import CommandTimeout, InvalidInput, InvalidParams, InvalidSkill, PageClosed
from skillbook.io_thread import io
from skillbook.limits import PRESENT_SECONDS
from skillbook.perception.nodes import Node
from skillbook.protocol.asks.run_asks import Pointed, PointParams, SkillSaved
from skillbook.protocol.asks.skill_asks import (
    MarkRecordingParams,
    RecordedStepView,
    RecordingState,
    RecordingView,
    SaveRecordingParams,
)
from skillbook.serving.runs.served_run import ServedRun
from skillbook.session.page_driver import PageDriver
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.authoring.record import check_free, recording_of_recent
from skillbook.skill.facade import Skill
from skillbook.skill.model.inputs import describe_inputs


class Recordings:
    """The recording of one browser that is under way, or waits to be saved.

    changed: called with how many steps it has, and whether it goes on, on any thread.
    """

    def __init__(self, changed: Callable[[int, bool], None]) -> None:
        self._changed = changed
        self._current: Demonstration | None = None

    def note(self, rec: Demonstration) -> None:
        """Show a recording that a cell started."""
        self._current = rec
        rec.on_change.append(lambda: self._report(rec))
        self._report(rec)

    def _report(self, rec: Demonstration) -> None:
        if rec is self._current:
            self._changed(len(rec.steps), rec.state != "stopped")

    def state(self) -> RecordingState:
        """What is shown of it."""
        rec = self._current
        if rec is None:
            return RecordingState(recording=None)
        steps = [
            RecordedStepView(number=number, words=words, input=input, can_be_input=can_be)
            for number, (words, (input, can_be)) in enumerate(zip(rec.steps, rec.inputs, strict=False), 1)
        ]
        view = RecordingView(
            state=rec.state,
            tab=None if rec.driver.closed else rec.driver.tab.id,
            goal=rec.goal,
            steps=steps,
            can_redo=rec.can_redo,
            pointing=rec.pointing,
            problem=rec.problem,
        )
        return RecordingState(recording=view)

    async def start(self, driver: PageDriver, goal: str) -> RecordingState:
        """Record what is done in a page.

        Raises InvalidSkill: something is recorded already.
        """
        if self._current is not None and self._current.state != "stopped":
            raise InvalidSkill("a recording is under way", hint="stop it first, or drop it")
        check_free(driver)
        rec = Demonstration(driver, goal)
        self.note(rec)
        try:
            await asyncio.to_thread(rec.start)
        except BaseException:
            self._current = None
            raise
        return self.state()

    async def take_recent(self, driver: PageDriver, last: int, goal: str) -> RecordingState:
        """Show the last acts of a tab as a recording that has ended.

        Raises InvalidSkill: something is recorded now. InvalidInput : nothing was done there.
        """
        if self._current is not None and self._current.state != "stopped":
            raise InvalidSkill("a recording is under way", hint="stop it first, or drop it")
        self.note(await asyncio.to_thread(recording_of_recent, driver, last, goal=goal))
        return self.state()

    async def mark(self, given: MarkRecordingParams) -> RecordingState:
        """Mark something, take steps back, or pause.

        Raises InvalidInput: there is no such step, or nothing of it can be an input.
        """
        rec, mark = self._recording(), given.mark
        if mark in {"undo", "redo"}:
            (rec.undo if mark == "undo" else rec.redo)()
        elif mark in {"delete", "input"}:
            if given.step is None:
                raise InvalidInput("no step is named", hint="give the step's number")
            if mark == "delete":
                rec.delete(given.step)
            else:
                rec.input(given.step, given.name)
        elif mark in {"pause", "resume"}:
            await asyncio.to_thread(rec.pause if mark == "pause" else rec.start)
        elif mark in {"rows", "check"}:
            if rec.state != "recording":
                raise InvalidInput("nothing is recorded now", hint="go on with the recording first")
            rec.request_mark("rows" if mark == "rows" else "check")
        return self.state()

    async def stop(self) -> RecordingState:
        """End it; it can be saved then."""
        rec = self._recording()
        await asyncio.to_thread(rec.stop)
        return self.state()

    async def drop(self) -> RecordingState:
        """End it, and forget it."""
        rec = self._current
        if rec is not None:
            await asyncio.to_thread(rec.stop)
            self._current = None
            io.call_soon(self._changed, 0, False)
        return self.state()

    async def save(self, given: SaveRecordingParams, folder: Path) -> SkillSaved:
        """Save it as a skill, and try it at once where that does nothing.

        Raises InvalidSkill: nothing was recorded, or there is a skill of that name. InvalidSkillName.
        """
        rec = self._recording()
        saved = await asyncio.to_thread(
            lambda: rec.save_skill(
                given.name, folder, description=given.description or None, overwrite=given.overwrite
            )
        )
        self._current = None
        io.call_soon(self._changed, 0, False)
        return saved_words(saved)

    def _recording(self) -> Demonstration:
        if self._current is None:
            raise InvalidInput("there is no recording", hint="start one")
        return self._current


def saved_words(skill: Skill) -> SkillSaved:
    """What became of saving a skill."""
    proof = "" if skill.proof is None else str(skill.proof)
    dropped = f"Left out: {'; '.join(skill.dropped_steps)}" if skill.dropped_steps else ""
    return SkillSaved(
        name=skill.name,
        path=str(skill.path or ""),
        words="\n".join(filter(None, [proof, dropped])),
        inputs=describe_inputs(skill.spec) if skill.spec.inputs else "",
    )


class Pointing:
    """One element at a time is pointed at; used on the I/O thread only."""

    def __init__(self) -> None:
        self._going: asyncio.Future[Node | None] | None = None

    def end(self) -> None:
        """The page takes clicks again."""
        if self._going is not None:
            self._going.cancel()
            self._going = None

    async def point(self, run: ServedRun, given: PointParams) -> Pointed:
        """Wait for the person's click in the page of a run whose call waits.

        Raises InvalidParams: nothing that can be pointed at waits by that id. PageClosed : the run has no page any
            more.
        Raises StaleRef: what they pointed at has gone.
        """
        self.end()
        question, page = run.view().question, run.page
        if not given.on:
            return Pointed()
        if question is None or question.id != given.question or question.call is None:
            raise InvalidParams("this question is gone: there is nothing to point at")
        if page is None or page.closed:
            raise PageClosed("the run's page was closed", hint="stop the run, and start it on another page")
        # A page that a person forgot takes no clicks for so long at most.
        going = self._going = asyncio.ensure_future(page.pick(POINT_WORDS, timeout=PRESENT_SECONDS))
        try:
            node = await going
        except CommandTimeout:
            return Pointed(words="Nothing was pointed at in the page.")
        except asyncio.CancelledError:
            if not going.cancelled():
                going.cancel()
                raise
            return Pointed()
        return Pointed(ref=(node and node.ref) or "")
