"""Recording what a person does: by hand in the browser, or by Python calls on the page."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Any, Literal
from urllib.parse import urlsplit

from skillbook.errors import InvalidInput, SkillbookError
from skillbook.io_thread import io
from skillbook.limits import SHOWN_SECONDS
from skillbook.perception.roles import words
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.secrets import Secret
from skillbook.protocol.events import Gesture
from skillbook.session.actions.result import PerformedCall
from skillbook.session.page.act_requests import FailedRequest
from skillbook.session.page_driver import PageDriver
from skillbook.skill.authoring.skill_writer import save_recording
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec_steps import EXTRACT, RUN_SKILL, STEP_COMMANDS
from skillbook.skill.recording.annotations import Marks
from skillbook.skill.recording.gesture_steps import GestureSteps, SentRequests, step_of_call
from skillbook.skill.recording.literals import field_name
from skillbook.skill.recording.recorded_steps import (
    RecordedStep,
    Recording,
    fold_in,
    same_element,
    with_requests_of,
)
from skillbook.skill.recording.written_parts import words_of

Way = Literal["hands", "calls"]
_SILENT = "Recorded by hand"
_INTERNAL = words(
    "add begin can_redo changed columns in_the_middle inputs driver finish on_change pointing remembers_approvals "
    "request request_mark take unrecorded way"
)
"""Members for front ends and the I/O thread, which completion leaves out."""


@dataclass(eq=False)
class Demonstration(Marks):
    """A recording under way: what a person does becomes steps, which can be taken back, marked and saved.

    Parameters
    ----------
    driver : the page's driver.
    goal : what it is for; texts in it that are typed or chosen become inputs.
    way : what is recorded: what a person does in the browser, or Python calls on the page.
    in_the_middle : whether somebody had acted on the page before.
    remembers_approvals : whether a person did all of it, so that a skill may do again what can't be undone.
    """

    driver: PageDriver
    goal: str = ""
    way: Way = "hands"
    state: Literal["recording", "paused", "stopped"] = "stopped"
    on_change: list[Callable[[], None]] = field(default_factory=list)
    _steps: list[RecordedStep] = field(default_factory=list)
    _taken_back: list[tuple[int, RecordedStep]] = field(default_factory=list)
    pointing: str = ""
    problem: str = ""
    columns: list[str] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _acted_at: float = 0.0
    _failed: list[FailedRequest] = field(default_factory=list)
    _opening: list[FailedRequest] = field(default_factory=list)
    in_the_middle: bool = False
    remembers_approvals: bool = True
    _sent: SentRequests = field(init=False)
    _gestures: GestureSteps = field(init=False)

    def __post_init__(self) -> None:
        self._sent = SentRequests(self._note_sent, lambda: self.driver.recorded_within == RUN_SKILL)
        self._gestures = GestureSteps(self.driver)

    _after_input = False
    """Whether what the page sends is let go only from the person's first input on."""

    def start(self) -> Demonstration:
        """Begin, or go on after `pause()`.

        Returns
        -------
        Demonstration
            The recording itself.
        """
        io.sync(self.begin())
        self.changed()
        return self

    resume = start

    def _follow_failures(self) -> None:
        """Note what fails from now on, and whether the document itself failed to load."""
        acts = self.driver.acts
        if not self._steps and acts.document is not None:
            self._opening = [replace(acts.document, url=self.driver.url)]
        if self._note_failed not in acts.listeners:
            acts.listeners.append(self._note_failed)

    def _note_failed(self, request: FailedRequest) -> None:
        self._note("failed", request, self._failed, self._opening)

    def _note(self, part: str, what: Any, inside: list[Any], early: list[Any]) -> None:
        """What the page does belongs to the last step: gestures are reported before what they cause, calls after it.

        Text that is typed is reported once it is whole: what the page sends meanwhile may be sent a step too early.
        """
        with self._lock:
            if self.way == "calls" and (self.driver.recorded_within or self.driver.is_acting):
                inside.append(what)
            elif self._steps:
                last = self._steps[-1]
                more: dict[str, Any] = {part: (*getattr(last, part), what)}
                self._steps[-1] = replace(last, **more)
            else:
                early.append(what)

    async def _watch(self) -> None:
        """See what the page sends from now on; a page that can't be watched is recorded without that."""
        try:
            await self.driver.requests.watch(self._sent, after_input=self._after_input)
        except SkillbookError:
            self._sent.missed_requests()

    def _note_sent(self, fact: RequestFact) -> None:
        self._note("sent", fact, self._sent.inside, self._sent.early)

    async def begin(self) -> None:
        """Begin to record, or go on, for code on the I/O thread."""
        self.state = "recording"
        if not self._steps:
            self.in_the_middle = not self.driver.untouched
        self._follow_failures()
        if self.way == "calls":
            self.driver.on_done = self._take_call
            await self._watch()
            return
        self.driver.on_gesture, self.driver.on_read = self._take_gesture, self._take_call
        self._gestures.begin()
        await self._watch()
        await self.driver.snapshot()
        await self.driver.record(True, self._badge())

    async def finish(self, state: Literal["paused", "stopped"] = "stopped") -> None:
        """End the recording, or pause it, for code on the I/O thread."""
        self.state = state
        self.driver.on_done = self.driver.on_gesture = self.driver.on_read = None
        if not self.driver.closed:
            await self._settle(state == "stopped")

    def request(self, what: str) -> None:
        """Pause, resume or stop from another thread, without waiting until the page knows."""
        act = {"pause": self.pause, "resume": self.start, "stop": self.stop}[what]
        threading.Thread(target=act, name=f"skillbook-recording-{what}", daemon=True).start()

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to put back."""
        return bool(self._taken_back)

    def pause(self) -> None:
        """Do things that aren't recorded; `resume()` goes on."""
        self._end("paused")

    def stop(self) -> Recording:
        """End the recording and return it.

        Returns
        -------
        Recording
            The recording.
        """
        if self.state != "stopped":
            self._end("stopped")
        return self.recording

    def _end(self, state: Literal["paused", "stopped"]) -> None:
        io.sync(self.finish(state))
        self.changed()

    async def _settle(self, is_over: bool) -> None:
        # A browser that has ended shows no sign any more; what was recorded is kept.
        with suppress(SkillbookError):
            if self.way == "hands":
                await self.driver.record(False, "" if is_over else "Recording paused")
            if self._sent.known:
                await asyncio.sleep(max(0.0, self._acted_at + SHOWN_SECONDS - time.monotonic()))
                await self.driver.requests.unwatch(self._sent)
        if self._note_failed in self.driver.acts.listeners:
            self.driver.acts.listeners.remove(self._note_failed)
        if self._steps and (left := self._sent.take_inside()):  # of a call that failed
            self._steps[-1] = replace(self._steps[-1], sent=(*self._steps[-1].sent, *left))
        after = None
        with suppress(SkillbookError):
            after = await self.driver.snapshot_if_readable()
        for step in self._gestures.ended(after):
            self.add(step)
        self.note_after(after)

    def note_after(self, after: Snapshot | None) -> None:
        """Keep what the page became after the last step.

        Parameters
        ----------
        after : Snapshot or None
            The page as it was read then; with None its address alone is kept.
        """
        if self._steps and not self._steps[-1].after:
            url = after.url if after else self._steps[-1].url_after or self.driver.url
            self._steps[-1] = replace(self._steps[-1], after=after, url_after=url)

    @property
    def steps(self) -> list[str]:
        """The steps in words, in order; a step's number is its place, from 1."""
        return [self._words(step) for step in self._steps]

    @property
    def inputs(self) -> list[tuple[str, bool]]:
        """Of each step the input that it is marked as, empty for none, and whether it can be one."""
        return [(step.input, _can_be_input(step)) for step in self._steps]

    @staticmethod
    def _words(step: RecordedStep) -> str:
        return words_of(step) + (f" (input {step.input})" if step.input else "")

    @property
    def recording(self) -> Recording:
        """What was recorded so far."""
        steps = list(self._steps)
        if steps and self._sent.early:
            steps[0] = replace(steps[0], sent=(*self._sent.early, *steps[0].sent))
        goal = self.goal or self._default_goal()
        device = self.driver.emulation.now.device
        opening = tuple(dict.fromkeys(self._opening))
        return Recording(
            goal, tuple(steps), self._sent.known, by_hand=True, device=device, opening=opening,
            in_the_middle=self.in_the_middle, approved=self.remembers_approvals,
        )  # fmt: skip

    def _default_goal(self) -> str:
        inputs = ", ".join(step.input for step in self._steps if step.input)
        where = urlsplit(self._steps[0].url_before).hostname if self._steps else ""
        return f"{_SILENT} on {where or 'a page'}" + (f", with {inputs}" if inputs else "")

    def undo(self) -> None:
        """Take the last step back from the recording; the page stays as it is."""
        with self._lock:
            if self._steps:
                self._taken_back.append((len(self._steps) - 1, self._steps.pop()))
        self.changed()

    def redo(self) -> None:
        """Put back what was undone or deleted last."""
        with self._lock:
            if self._taken_back:
                place, step = self._taken_back.pop()
                self._steps.insert(place, step)
        self.changed()

    def delete(self, number: int) -> None:
        """Leave a step out.

        Parameters
        ----------
        number : int
            The step's number, from 1.

        Raises
        ------
        InvalidInput
            There is no step of that number.
        """
        with self._lock:
            place = self._place(number)
            self._taken_back.append((place, self._steps.pop(place)))
        self.changed()

    def input(self, number: int, name: str = "") -> None:
        """Mark a step: what was typed, chosen or clicked there is an input of the skill.

        Parameters
        ----------
        number : int
            The step's number, from 1.
        name : str
            The input's name; the field's label where it is empty.

        Raises
        ------
        InvalidInput
            There is no step of that number, or nothing of it can be an input.
        """
        with self._lock:
            place = self._place(number)
            self._steps[place] = marked(self._steps[place], name, f"step {number}")
        self.changed()

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Do something that is no step of its own."""
        was_on = self.state == "recording"
        if was_on:
            self._listen(False)
        try:
            yield
        finally:
            if was_on:
                self._listen(True)

    def _listen(self, on: bool) -> None:
        if self.way == "calls":
            self.driver.on_done = self._take_call if on else None
            return
        io.sync(self.driver.record(on, self._badge()))
        self.driver.on_gesture = self._take_gesture if on else None

    def save_skill(
        self,
        name: str,
        folder: Path | str = "skills",
        *,
        description: str | None = None,
        overwrite: bool = True,
        keep: Sequence[int] = (),
        free: Sequence[str] = (),
        prove: bool = True,
    ) -> Skill:
        """End the recording and save it as a skill that replays without a model.

        Parameters
        ----------
        name : str
            The skill's name, and its folder's.
        folder : Path or str
            Where skills are kept.
        description : str, optional
            One or two sentences; the goal where it is None.
        overwrite : bool
            Replace a skill of that name.
        keep : sequence of int
            Numbers of steps that stay, though they seem to have had no effect; `skill.dropped_steps` lists those.
        free : sequence of str
            Texts that may be others in a run, such as a price or a count: neither the record nor the confirmation of a
            step that can't be undone is compared in them.
        prove : bool
            Replay the skill at once in a tab of its own, where it does nothing irreversible; what the page would send
            there that may change something is blocked. `skill.proof` says what came of it, or why it wasn't tried.

        Returns
        -------
        Skill
            The saved skill.

        Raises
        ------
        InvalidInput
            `keep` names no step that can be kept. InvalidSkillName.
        InvalidSkill
            Nothing was recorded, or there is one of that name.
        """
        recording = replace(self.stop(), free=tuple(free))
        saved = save_recording(
            recording,
            name,
            folder,
            description=description,
            outputs=self.columns,
            overwrite=overwrite,
            keep=keep,
        )
        return saved.prove(self.driver) if prove and not self.driver.closed else saved

    def _place(self, number: int) -> int:
        if not 1 <= number <= len(self._steps):
            raise InvalidInput(f"there is no step {number}", hint=f"there are {len(self._steps)}")
        return number - 1

    def _take_call(self, done: PerformedCall) -> None:
        if done.command == RUN_SKILL:
            io.submit(self._watch())  # it took the requests over
        if done.failed or done.command not in STEP_COMMANDS:
            return
        if done.frame is not None:
            self.columns = list(map(str, done.frame.columns))
        step = replace(
            step_of_call(done, self.driver.latest, self.driver.url),
            sent=self._sent.take_inside(),
            failed=tuple(self._failed),
        )
        self._failed.clear()
        self.add(step)

    def _take_gesture(self, gesture: Gesture) -> None:
        """A person did something; runs on the I/O thread."""
        if self.state != "recording" or gesture.command not in STEP_COMMANDS:
            return
        if self.driver.recorded_within == EXTRACT:
            return  # a reading turns its pages, and is one step
        try:
            steps = self._gestures.steps_of(gesture)
        except SkillbookError:
            return  # on a page that is never read, nothing is recorded either
        for step in steps:
            self.add(step, gesture.replaces if step is steps[-1] else 0)

    def take(self, step: RecordedStep) -> None:
        """Take a step that was done before this began; nobody saw all that it sent."""
        self._sent.known = False
        if step.frame is not None:
            self.columns = list(map(str, step.frame.columns))
        self._steps.append(step)

    def add(self, step: RecordedStep, replaces: int = 0) -> None:
        """Take a step; it comes in the place of so many of the same element before it."""
        with self._lock:
            self._acted_at = time.monotonic()
            if self._steps and self._steps[-1].after is None and not self._steps[-1].url_after:
                self._steps[-1] = replace(self._steps[-1], url_after=step.url_before)
            self._gestures.note_url(step.url_before)
            for _ in range(replaces):
                if self._steps and same_element(self._steps[-1], step):
                    step = with_requests_of(self._steps.pop(), step)
            fold_in(self._steps, step, by_hand=self.way == "hands")
            self._taken_back.clear()
        self.changed()

    def changed(self) -> None:
        """Those who show the recording show it anew, and so does the page's corner."""
        for listener in list(self.on_change):
            listener()
        if self.way == "hands" and self.state == "recording" and not self.pointing and not self.driver.closed:
            io.submit(self._show_badge())

    async def _show_badge(self) -> None:
        try:
            await self.driver.record(True, self._badge())
            await self.driver.snapshot()  # what is there before the mouse comes to it
        except SkillbookError:
            return  # the page is on its way elsewhere; the next document shows it

    def _badge(self) -> str:
        count = len(self._steps)
        last = f": {self._words(self._steps[-1])}" if count else " – show how it is done"
        return f"Recording, {count} step{'s' if count != 1 else ''}{last}"

    def __enter__(self) -> Demonstration:
        """Record the calls that stand in the block."""
        if self.way == "hands":
            self._end("paused")
            self.way = "calls"
        return self if self.state == "recording" else self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _INTERNAL]

    def __repr__(self) -> str:
        lines = [f"<Recording {self.state}, {len(self._steps)} step{'s' if len(self._steps) != 1 else ''}>"]
        return "\n".join([*lines, *(f"  {number}. {words}" for number, words in enumerate(self.steps, 1))])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        items = "".join(f"<li>{escape(words)}</li>" for words in self.steps)
        return {"text/plain": repr(self), "text/html": f"<b>Recording {self.state}</b><ol>{items}</ol>"}


def marked(step: RecordedStep, name: str, which: str) -> RecordedStep:
    """A step that is an input: by that name, else by its field's.

    which: what a person knows it as.
    Raises InvalidInput: nothing of it can be one.
    """
    if not _can_be_input(step):
        raise InvalidInput(
            f"nothing was typed or chosen in {which}: {words_of(step)}",
            hint="mark a step that fills, selects or clicks something with a name",
        )
    is_chosen = _typed_in(step) is None and not step.params.get("values")
    if is_chosen and step.node is None and step.called not in step.named:
        raise InvalidInput(
            f"{which} names only a part of {step.called!r}: {words_of(step)}",
            hint="do it again with the whole name in the selector",
        )
    return replace(step, input=name or ("item" if is_chosen else field_name(step.node)))


def _typed_in(step: RecordedStep) -> Any:
    return step.params.get(step.spec.text_param or "") if step.spec else None


def _can_be_input(step: RecordedStep) -> bool:
    """Whether something was typed, chosen or clicked that another run may want otherwise."""
    text = _typed_in(step)
    return not isinstance(text, Secret) and bool(text or step.params.get("values") or step.called)
