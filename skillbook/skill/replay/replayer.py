"""Running a skill's steps without a model.

Each step reads the page afresh, finds its target, acts on it, and waits for what must hold afterwards.
The first step that can't be done surely ends the run; what was read until then is kept.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal
from urllib.parse import urldefrag

from skillbook.errors import (
    ConfigError,
    DebuggerUnavailable,
    InvalidSkill,
    NotAllowed,
    PageClosed,
    ReplayFailed,
    SkillbookError,
)
from skillbook.limits import CAUSE_SECONDS
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.events import DialogOpened
from skillbook.session.action import allow_landing
from skillbook.session.page.held_requests import PageRequests
from skillbook.session.page_driver import PageDriver
from skillbook.session.saved_state import SavedState
from skillbook.skill.consent.granting import UsedGrant
from skillbook.skill.consent.send_allowlist import Approve, SkillRequests, warn_of_late
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Loop, SkillStep, Start, SubSkill, in_order
from skillbook.skill.model.templates import Value, fill_selector, fill_url
from skillbook.skill.recording.expected_checks import page_error, text_beside
from skillbook.skill.replay.checks import StepFailures, url_matches
from skillbook.skill.replay.code_run import CodeRun
from skillbook.skill.replay.looping import ItemWalk
from skillbook.skill.replay.permission import Permission, signed_in
from skillbook.skill.replay.skill_result import (
    LoopState,
    Progress,
    SkillResult,
    Status,
    StepOutcome,
    Stopped,
    new_key,
)
from skillbook.skill.replay.step_actions import Attempt, OnFound, StepActions
from skillbook.skill.replay.step_outputs import check_columns
from skillbook.skill.replay.step_targets import StepTargets, small_screenshot
from skillbook.skill.targets.healing import Healer, LetPoint, say

BeforeStep = Callable[[int], Awaitable[None]]


async def run_skill(
    spec: SkillSpec, driver: PageDriver, inputs: Mapping[str, Value], **options: Any
) -> SkillResult:
    """Replay a skill on a page; a step that fails ends it with `ok` False and the error in the result.

    inputs: every input's value, as `bind_inputs` gives them.
    options: see `Replay`.
    Raises asyncio.CancelledError: the run was stopped; `result` says how far it came.
    """
    return await Replay(spec, driver, dict(inputs), **{"result": SkillResult(spec.name), **options}).run()


def loads_start(spec: SkillSpec, driver: PageDriver, inputs: Mapping[str, Value], start: Start) -> bool:
    """Whether a run loads its first address: unless the page is as it was when the recording began.

    Filters, dialogs and forms that somebody left are not.
    """
    if spec.start is None or start != "auto":
        return start == "always"
    if not url_matches(spec.start, driver.url, inputs):
        return True
    return not (
        spec.begins_in_the_middle or (driver.untouched and ("#" in driver.url) == ("#" in spec.start))
    )


@dataclass
class Replay:
    """One replay of a skill on a page.

    inputs: every input's value; the items of loops come to them.
    start: whether to go to the skill's first address: `auto` unless the page is there, `always`, `here` never.
    healer: picks a target that code alone can't find surely.
    let_point: lets a person point at one that the healer can't find either.
    approve: for steps that can't be undone: called with the step in words; or the skill's digest, which approves every
        step of exactly this version.
    result: filled in as the run goes on, so that what was read survives a cancellation.
    page: the `Page` on which the rows' cells can be shown again.
    given: the inputs' values that whoever runs it gave: of files, only these are uploaded without asking.
    stopped: where an earlier run ended; this one goes on there, on the page as it is.
    on_found: awaited with each target that was found as recorded, before anything is done to it.
    keep_screenshots: keep what each of these looks like, in the settings' `home`.
    before_step: awaited with each step's number before it begins, and with 0 before the start; what it raises ends the
        run before anything of the step is done or let through.
    state: what the skill is signed in by, if it isn't to be read here.
    judge_requests: end it where a request of a step fails that didn't fail in the recording.
    """

    spec: SkillSpec
    driver: PageDriver
    inputs: dict[str, Value]
    start: Start = "auto"
    healer: Healer | None = None
    let_point: LetPoint | None = None
    approve: Approve | None = None
    progress: Progress | None = None
    result: SkillResult = field(kw_only=True)
    page: Any = None
    given: Collection[str] = ()
    stopped: Stopped | None = None
    on_found: OnFound | None = None
    keep_screenshots: bool = False
    before_step: BeforeStep | None = None
    state: SavedState | None = None
    judge_requests: bool = True
    targets: StepTargets = field(init=False)
    loops: dict[int, LoopState] = field(default_factory=dict)
    requests: SkillRequests = field(init=False)
    permission: Permission = field(init=False)
    actions: StepActions = field(init=False)
    failures: StepFailures = field(init=False)
    key: str = field(default_factory=new_key)
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.targets = StepTargets(
            self.spec, self.driver, self.inputs, self.healer, self.let_point, self.keep_screenshots,
            key=self.key,
        )  # fmt: skip
        self.resumed = self.stopped
        """Where it goes on, until it has come there."""
        if self.resumed is not None:
            self.loops = deepcopy(dict(self.resumed.loops))
            self.targets.changes = list(self.result.patch.changes) if self.result.patch is not None else []

    async def run(self) -> SkillResult:
        """Do the steps; see `run_skill`."""
        start, stopping = self.start, self.driver.browser.gateway.stopping
        try:
            if self.stopped is None:
                start = await signed_in(self.spec, self.driver, self.inputs, start, self.state)
            async with self.driver.emulation.as_on(self.spec.device) as is_other:
                if is_other and start == "auto" and self.spec.start:
                    start = "always"  # a page chooses by the device while it loads
                with stopping.operation(), stopping.steps():
                    return await self._run("here" if self.stopped else start)
        except (ConfigError, NotAllowed, DebuggerUnavailable) as error:
            self.result.ok, self.result.error = False, error
            return self.result

    async def _run(self, start: Start) -> SkillResult:
        self.result.inputs = dict(self.inputs)
        self.requests = SkillRequests(self.spec, self.inputs, self.key, self.approve)
        for loop in (step.loop for step in self.spec.all_steps if step.loop is not None):
            self.inputs.setdefault(loop.name, "")
        dialog_before = self.driver.dialogs.open
        try:
            self.permission = Permission(self.spec, self.inputs, self.driver.browser.gateway, self.approve)
            self.permission.place = lambda: (self.requests.step, self.driver.url)
            self.permission.granted = self.requests.granted = self._grants()
            self.actions = StepActions(
                self.driver, self.inputs, self.targets, self.permission, self.requests, self.result,
                self.key, self.page, self.given, self.on_found,
            )  # fmt: skip
            self.failures = StepFailures(self.spec, self.driver, self.key, counts=self.judge_requests)
            await self.driver.requests.attach(self.requests)
            await self._announce(0)
            is_there = not loads_start(self.spec, self.driver, self.inputs, start)
            await self._begin(self.spec.start, "here" if is_there else start)
            await self.failures.check(self.result.outcomes, waits=False)
            if self.spec.code:
                await CodeRun(self.spec, self.driver, self.inputs, self.result, self._step).run()
            else:
                await self._steps(self.spec.steps, 1)
            await self._rest()
            await self.failures.check(self.result.outcomes, waits=True)
            returned = [] if self.result.returned is None else [self.result.returned]
            check_columns(self.spec, [*self.result.frames, *returned])
            self.requests.on_late = self._blocked_late
            self.result.ok = True
        except asyncio.CancelledError:
            self.result.error = ReplayFailed(
                f"{self.spec.name} was stopped at step {self.requests.step}",
                hint="what it read is in `skill.last.frame`",
            )
            raise
        except SkillbookError as error:
            self.result.error = error
            refused = {"request", "page_says"} & set(error.data)
            self.result.sent = self.requests.sent_whole and not refused
            if self.result.sent:
                error.message += "; all that the skill sends was sent, and nothing said that it failed"
                error.hint = f"look whether it was done before you run it again; {error.hint or ''}".rstrip(
                    "; "
                )
                error.data["sent"] = True
            elif self.requests.let_out:
                error.message += f"; before that it sent {_counted(self.requests.let_out)}"
                error.data["done"] = list(self.requests.let_out)
            await self._close_dialogs(dialog_before)
        finally:
            if self.spec.code:
                self.result.stopped = None  # its variables are gone, so nothing can go on in its middle
            self.requests.end()
            await self.driver.requests.detach(self.requests)
            self.result.elapsed_ms = (time.perf_counter() - self.started) * 1000
            self.result.patch = self.targets.patch or self.result.patch
            self._note_answers()
        return self.result

    async def _close_dialogs(self, before: DialogOpened | None) -> None:
        """Close what a failed run left open and what keeps others from acting on the page.

        That is a JavaScript dialog, and a modal one of the page where the run can't go on inside of it.
        """
        goes_on = self.result.again is not None and not self.spec.code
        with suppress(SkillbookError):
            if not self.driver.closed and self.driver.dialogs.open is not before:
                await self.driver.act("handle_dialog", actor="replay", run=self.key, accept=False)
            if goes_on or self.spec.begins_in_the_middle or not self.result.outcomes:
                return
            snapshot = await self.driver.snapshot_if_readable()
            if snapshot is not None and snapshot.modals:
                await self.driver.act("press", key="Escape", actor="replay", run=self.key)

    def _grants(self) -> UsedGrant:
        return UsedGrant(self.spec, self.inputs, self.key, lambda: self.driver.latest)

    def _note_answers(self) -> None:
        """Requests of a step may have been answered after it."""
        known = {request.n: request for request in self.driver.network.requests()}
        self.result.outcomes[:] = [
            replace(outcome, requests=tuple(known.get(each.n, each) for each in outcome.requests))
            for outcome in self.result.outcomes
        ]

    async def _begin(self, address: str | None, start: Start) -> None:
        if address is None or start == "here":
            return
        url = fill_url(address, self.inputs)
        if (field := await self.driver.typed_by_hand()) is not None:
            raise ReplayFailed(
                f"{say(field)} holds what somebody typed, and going to where the skill begins would lose it",
                hint="send or clear it, or run the skill in another tab: browser.open(url)",
            )
        if urldefrag(url)[0] == urldefrag(self.driver.url)[0] and "#" in url:
            await self.driver.act(
                "goto", actor="replay", run=self.key, url="about:blank"
            )  # else it isn't loaded
        self.permission.check_origin(url, "start")
        await self.permission.with_approval(
            lambda approval: self.driver.act(
                "goto", actor="replay", run=self.key, url=url, approval=approval
            ),
        )
        # The person who approved the skill has seen where it starts.
        allow_landing(self.driver.browser.gateway.policy, url, self.driver.url)
        if self.requests.step == 0:
            self.driver.requests.begin_anew()

    async def _rest(self) -> None:
        """Wait until what the last steps set going is over, and see what of it was blocked.

        A skill that sends nothing doesn't wait for what its page may still send: its result has that later. What it set
        last may be put back by a page that checks it after a pause.
        """
        requests, held = self.driver.requests, self.driver.filled.held
        sends = self.requests.writes and requests.acted
        if sends or held:
            await self._await_effects(requests)
        self.requests.check()
        if held:
            self.driver.filled.require_kept(None, await self.driver.snapshot_if_readable())

    async def _await_effects(self, requests: PageRequests) -> None:
        """Wait for what the last step caused, and until what it sends is decided on."""
        with suppress(PageClosed):
            answer = await self.driver.settled("answers")
            if not answer.script:
                await requests.settled()
        await requests.decided()

    def _blocked_late(self, error: SkillbookError) -> None:
        """The page sent something after the end that the skill doesn't list: the result isn't what it seemed."""
        warn_of_late(error)
        if self.result.ok:
            self.result.ok, self.result.error = False, error

    async def _steps(self, steps: Sequence[SkillStep], first: int) -> None:
        """Do some steps, from the one on where an earlier run ended."""
        number = first
        for step in steps:
            following = number + 1 + len(list(in_order(step.steps)))
            if self.resumed is None or self.resumed.step < following:
                await self._step(number, step)
            number = following

    async def _announce(self, index: int) -> None:
        if self.before_step is not None:
            await self.before_step(index)

    async def _step(self, index: int, step: SkillStep) -> Attempt:
        await self._announce(index)
        attempt = Attempt(index, step, first_request=self.driver.network.log.count, before=self.driver.latest)
        if self.resumed is not None and self.resumed.step == index:
            attempt.done, self.resumed = self.resumed.done, None
        self.result.stopped = self._stopped(index)
        self.requests.step = index
        self.failures.enter(index)
        sent = len(self.requests.let_out)
        try:
            await self.driver.browser.gateway.stopping.between_steps()
            goes_on = self.resumed is not None  # inside of this step, so that it was begun
            if step.when is not None and not goes_on and not await self._is_shown(step.when):
                self.result.stopped = None
                self._report(attempt, "skipped")
                return attempt
            await self._carry_out(attempt)
            self.requests.check()
            await self.failures.check(self.result.outcomes, waits=_may_send(step))
            has_sent = len(self.requests.let_out) > sent and self.spec.says_shown_errors
            if _shows(step) and not step.shows_error and (has_sent or not step.expect):
                await self._require_taken(attempt)
        except SkillbookError as error:
            if self._ended_inside(index):
                raise
            if isinstance(error, ReplayFailed) and "request" not in error.data:
                error.message += self.failures.words()
                if "page_says" not in error.data and (words := await self._refusal(attempt)):
                    error.message += f", and the page says {words!r}"
                    error.data["page_says"] = words
            if attempt.done == "yes" and not isinstance(error, ReplayFailed):
                error.message = f"{step.command} was done, but then: {error.message}"
            self.result.stopped = self._stopped(index, attempt.done)
            await self._look(attempt)
            self._report(attempt, "skipped" if step.optional else "failed", error.message)
            if not step.optional:
                raise self._failure(attempt, error) from error
            self.result.stopped = None
        except asyncio.CancelledError:
            if self._ended_inside(index):
                raise
            self.result.stopped = self._stopped(index, attempt.done)
            self._report(attempt, "failed", "stopped")
            raise
        else:
            self.result.stopped = None
            await self._look(attempt)
            self._report(attempt, "ok")
        finally:
            self.failures.leave()
        return attempt

    async def _page_error(self, attempt: Attempt) -> str:
        """What the page finds wrong since a step."""
        before = attempt.target.node.snapshot if attempt.target is not None else attempt.before
        return page_error(before, await self.driver.snapshot_if_readable())

    async def _refusal(self, attempt: Attempt) -> str:
        """What the page says where a step failed: an error, or what came into the form that is still there."""
        words = await self._page_error(attempt)
        if words or attempt.done != "yes" or attempt.target is None or not _shows(attempt.step):
            return words
        return text_beside(attempt.target.node, await self.driver.snapshot_if_readable())

    async def _require_taken(self, attempt: Attempt) -> None:
        """See that the page doesn't find what a step did wrong; its checks may hold all the same."""
        if words := await self._page_error(attempt):
            raise ReplayFailed(
                f"{attempt.step.command} was done, but the page says {words!r}",
                hint=f"look at the page. If it says that as well where all is right, give step {attempt.index} in "
                "replay.yaml `shows_error: true`",
                page_says=words,
            )

    async def _look(self, attempt: Attempt) -> None:
        """Keep what the page looks like after a step, if the settings want that."""
        if self.driver.browser.settings.thumbnails == "all" and not self.driver.closed:
            attempt.screenshot = await small_screenshot(self.driver)

    def _stopped(self, index: int, done: Literal["no", "yes", "unknown"] = "no") -> Stopped:
        return Stopped(index, done, deepcopy(self.loops))

    def _ended_inside(self, index: int) -> bool:
        """Whether it was a step inside of this one that ended the run, and has said so."""
        return self.result.stopped is not None and self.result.stopped.step > index

    async def _carry_out(self, attempt: Attempt) -> None:
        """Do what a step says, and see that what must hold afterwards does."""
        index, step = attempt.index, attempt.step
        if step.loop is not None:
            attempt.rows = await self._loop(index, step, step.loop)
        elif step.skill is not None:
            await self._skill(index, step, step.skill)
        else:
            await self.actions.do(attempt)
        await self.actions.check(attempt)

    async def _loop(self, index: int, step: SkillStep, loop: Loop) -> int:
        """Do the steps inside for each item; returns for how many."""
        state = self.loops.setdefault(index, LoopState())
        do = partial(self._item, index, step, loop, state)
        walk = ItemWalk(self.driver, loop, state, self.inputs, self.permission, self.key, do)
        try:
            await walk.run()
        finally:
            self._keep_facts(state)
            if self.result.stopped is not None and index in self.result.stopped.loops:
                self.result.stopped.loops[index].frame = state.frame
        del self.loops[index]
        return len(state.done)

    async def _item(self, index: int, step: SkillStep, loop: Loop, state: LoopState, key: str) -> None:
        state.current, self.inputs[loop.name] = key, key
        facts = [output.name for one in in_order(step.steps) if (output := one.output) is not None]
        if self.resumed is None:  # what the item before it gave is not this one's
            for name in facts:
                self.result.values.pop(name, None)
        await self._steps(step.steps, index + 1)
        if self.requests.writes and self.driver.requests.acted:
            await self._await_effects(self.driver.requests)
        if facts:
            read = {name: self.result.values.get(name) for name in facts}
            state.rows.append({loop.name: key, **read})
        state.done.append(key)
        state.current = None

    def _keep_facts(self, state: LoopState) -> None:
        """What the steps inside read, as a frame with a row for each item; a run that goes on replaces its frame."""
        if state.rows:
            import pandas as pd

            frames = self.result.frames
            if state.frame is not None and any(frame is state.frame for frame in frames):
                frames[:] = [frame for frame in frames if frame is not state.frame]
            state.frame = pd.DataFrame(state.rows)
            frames.append(state.frame)

    async def _skill(self, index: int, step: SkillStep, skill: SubSkill) -> None:
        """Do the steps of another skill, from where it begins."""
        if not step.steps:
            raise InvalidSkill(
                f"the steps of {skill.name} are not there",
                hint="save both skills in one folder, and load this one",
            )
        if self.resumed is None:
            # It goes on from what the steps before it did on the page.
            is_there = skill.start == "auto" and url_matches(
                skill.address or "", self.driver.url, self.inputs
            )
            await self._begin(skill.address, "here" if is_there else skill.start)
        await self._steps(step.steps, index + 1)

    async def _is_shown(self, selector: str) -> bool:
        """Whether the page, once it is at rest, shows what a step is only for."""
        await self.driver.settled("rest", CAUSE_SECONDS)
        wanted = fill_selector(selector, self.inputs)
        return bool((await self.driver.snapshot_for(wanted)).find_all(wanted))

    def _failure(self, attempt: Attempt, error: SkillbookError) -> SkillbookError:
        index, step = attempt.index, attempt.step
        where = f"step {index} of {len(self.spec.all_steps)} ({step.note or step.command})"
        if not isinstance(error, ReplayFailed):
            error.message = f"{self.spec.name}, {where}: {error.message}"
            return error
        return ReplayFailed(
            f"{self.spec.name}, {where}: {error.message}", hint=error.hint, **{**error.data, "step": index}
        )

    def _report(self, attempt: Attempt, status: Status, error: str = "") -> None:
        target = attempt.target
        outcome = StepOutcome(
            attempt.index,
            attempt.step.command,
            status,
            target.how if target else "",
            say(target.node) if target else "",
            self.driver.url,
            attempt.rows,
            (time.perf_counter() - attempt.begun) * 1000,
            error,
            " › ".join(state.current for state in self.loops.values() if state.current is not None),
            "; ".join(attempt.seen),
            self.driver.network.since(attempt.first_request) if self.driver.network.on else (),
            attempt.screenshot,
        )
        self.result.outcomes.append(outcome)
        if self.progress is not None:
            self.progress(outcome)


def _counted(requests: Sequence[str]) -> str:
    """Requests in words, the same ones once."""
    counts = Counter(requests)
    return ", ".join(
        f"{request}{f' ({count} times)' if count > 1 else ''}" for request, count in counts.items()
    )


def _shows(step: SkillStep) -> bool:
    """Whether the page answers what a step does, as it does a press."""
    command = COMMANDS.get(step.command)
    return command is not None and command.shows_outcome


def _may_send(step: SkillStep) -> bool:
    """Whether what a step does may have the page request something that is more than a suggestion."""
    command = COMMANDS.get(step.command)
    return (
        command is not None
        and command.effect is not Effect.READ
        and not (command.only_prepares or command.text_param)
    )
