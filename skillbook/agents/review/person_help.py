"""While a person does something in the page for a run: what they do becomes steps, and that it is done is noticed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from skillbook.agents.review.assistance_reasons import find_obstacle
from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import SkillbookError
from skillbook.protocol.commands import COMMANDS
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.recording.recorded_steps import RecordedStep

_SETTLE_SECONDS = 5.0
_FAILURES = 3
"""Looks in a row at a page that can't be read; then the next thing that the person does looks again."""
_BADGE = "The agent waits for you: do it here, then press Done in the notebook"


class _HelpRecording(Demonstration):
    """A demonstration that begins and ends on the I/O thread and shows what the agent waits for."""

    _after_input = True

    def _badge(self) -> str:
        return _BADGE


class PersonHelp:
    """Watches a page while a person helps. Used on the I/O thread only.

    Parameters
    ----------
    page: the page's driver.
    goal: the run's goal.
    changed: called when it seems to be done.
    """

    def __init__(self, page: Any, goal: str, changed: Callable[[], None]) -> None:
        self.noticed = False
        self._page = page
        self._goal = goal
        self._changed = changed
        self._recording: _HelpRecording | None = None
        self._looking: asyncio.Task[None] | None = None
        self._again = False
        latest = page.latest
        self._obstacle = find_obstacle(latest, goal) if latest is not None else None

    async def begin(self) -> None:
        """Record what the person does, where nobody records the page already."""
        if self._page.on_gesture is not None or self._page.on_done is not None:
            return
        recording = _HelpRecording(self._page)
        try:
            await recording.begin()
        except SkillbookError:
            return  # a page that can't be read is no reason not to help
        recording.on_change.append(self.look)
        self._recording = recording

    def look(self) -> None:
        """The person did something: see soon whether what was in the way is gone."""
        if self._obstacle is None:
            return
        self._again = True
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        """Look until nothing was done meanwhile: the last thing that a person does is what matters."""
        failures = 0
        while self._again and failures < _FAILURES:
            self._again = False
            try:
                await self._page.wait_for(idle=True, timeout=_SETTLE_SECONDS)
                snapshot = await self._page.snapshot()
            except SkillbookError:
                # The page is on its way elsewhere, or gone.
                self._again, failures = True, failures + 1
                continue
            noticed = find_obstacle(snapshot, self._goal) is None
            if noticed is not self.noticed:
                self.noticed = noticed
                self._changed()

    async def end(self) -> list[StepRecord]:
        """Stop watching; returns what the person did, as steps of the run."""
        if self._looking is not None:
            self._looking.cancel()
        if self._recording is None:
            return []
        recording, self._recording = self._recording, None
        recording.on_change.clear()
        try:
            await recording.finish()
        except SkillbookError:
            pass  # what was recorded until the page went away stays
        done = recording.recording
        return [step_of(step, known=done.held) for step in done.steps]


def step_of(step: RecordedStep, *, known: bool = False) -> StepRecord:
    """Something that a person did, as a step of a run; `known` where it was seen what it sent."""
    args = dict(step.params)
    for name, node in (("target", step.node), ("to", step.to_node)):
        if node is not None and node.ref is not None:
            args[name] = node.ref
    command = COMMANDS.get(step.command)
    effect = "irreversible" if step.irreversible else command.effect.value if command is not None else "read"
    label = f" {step.role} {step.label!r}" if step.node is not None else ""
    return StepRecord(
        index=0,
        tool=step.command,
        args=args,
        call_id="",
        effect=effect,
        decision="person",
        result=f"the person did it:{label}" if label else "the person did it",
        url=step.url_after or step.url_before,
        before=step.before,
        after=step.after,
        extra={
            "node": step.node,
            "to_node": step.to_node,
            "sent": list(step.sent),
            "failed": list(step.failed),
            "sent_known": known,
        },
    )
