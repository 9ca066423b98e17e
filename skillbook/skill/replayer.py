"""Running a skill's steps without a model.

Each step reads the page afresh, finds its target, acts on it, and waits for what must hold afterwards.
The first step that can't be done surely ends the run; what was read until then is kept.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from skillbook.config import load_settings
from skillbook.errors import (
    ApprovalRequired,
    CommandTimeout,
    InvalidSkill,
    NotAllowed,
    PageClosed,
    ReplayFailed,
    SkillbookError,
)
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.session.page_driver import PageDriver
from skillbook.skill.approvals import covers_irreversible
from skillbook.skill.extract_step import ReplaySource, rest, run_extract
from skillbook.skill.facts import check_columns, typed
from skillbook.skill.healing import FIND_SECONDS, Found, Healer, LetPoint, Wanted, find_target, say
from skillbook.skill.looping import MOST_ITEMS, Shown, shown_items
from skillbook.skill.model import (
    EXTRACT,
    Loop,
    SkillOutput,
    SkillSpec,
    SkillStep,
    Start,
    StepTarget,
    SubSkill,
    in_order,
)
from skillbook.skill.predicates import await_check, in_words, url_matches
from skillbook.skill.recording import target_of
from skillbook.skill.result import (
    Change,
    LoopState,
    Patch,
    Progress,
    SkillResult,
    Status,
    StepOutcome,
    Stopped,
)
from skillbook.skill.screenshots import keep_screenshot, kept_screenshot, target_screenshot
from skillbook.skill.sends import Approve, SkillRequests, answer_of, warn_of_late
from skillbook.skill.templates import Value, as_texts, fill, fill_selector, fill_text, fill_url, placeholders

if TYPE_CHECKING:
    import pandas as pd

OnFound = Callable[[int, str, Wanted, str], Awaitable[None]]
REST_SECONDS = 1.0
"""How long a replay waits at its end for a page that doesn't come to rest."""
_MOST_QUESTIONS = 6
"""Half of them are asked anew, where what the approval was for changed before the action."""
_REFUSED = {"approval_required", "not_allowed"}
_NOT_DONE = {"stale_ref", "unknown_ref", "not_actionable"}


async def run_skill(
    spec: SkillSpec,
    driver: PageDriver,
    inputs: Mapping[str, Value],
    *,
    start: Start = "auto",
    healer: Healer | None = None,
    let_point: LetPoint | None = None,
    approve: Approve | None = None,
    progress: Progress | None = None,
    result: SkillResult | None = None,
    page: Any = None,
    given: Collection[str] = (),
    stopped: Stopped | None = None,
    on_found: OnFound | None = None,
    keep_screenshots: bool = False,
) -> SkillResult:
    """Replay a skill on a page; a step that fails ends it with `ok` False and the error in the result.

    Parameters
    ----------
    inputs : every input's value, as `bind_inputs` gives them.
    start : whether to go to the skill's first address: `auto` unless the page is there, `always`, `here` never.
    healer : picks a target that code alone can't find surely.
    let_point : lets a person point at one that the healer can't find either.
    approve : for steps that can't be undone: called with the step in words; or the skill's digest, which approves
        every step of exactly this version.
    result : filled in as the run goes on, so that what was read survives a cancellation.
    page : the `Page` on which the rows' cells can be shown again.
    given : the inputs' values that whoever runs it gave: of files, only these are uploaded without asking.
    stopped : where an earlier run ended; this one goes on there, on the page as it is.
    on_found : awaited with each target that was found as recorded, before anything is done to it.
    keep_screenshots : keep what each of these looks like, in the settings' `home`.

    Raises
    ------
    asyncio.CancelledError : the run was stopped; `result` says how far it came.
    """
    run = _Replay(
        spec, driver, dict(inputs), healer, approve, progress, result or SkillResult(spec.name), page, given
    )
    run.resumed, run.on_found, run.let_point = stopped, on_found, let_point
    run.keep_screenshots = keep_screenshots
    if stopped is not None:
        run.loops = deepcopy(dict(stopped.loops))
        run.changes = list(run.result.patch.changes) if run.result.patch is not None else []
    return await run.run("here" if stopped else start)


@dataclass
class _Replay:
    spec: SkillSpec
    driver: PageDriver
    inputs: dict[str, Value]
    healer: Healer | None
    approve: Approve | None
    progress: Progress | None
    result: SkillResult
    page: Any = None
    given: Collection[str] = ()
    resumed: Stopped | None = None
    on_found: OnFound | None = None
    let_point: LetPoint | None = None
    keep_screenshots: bool = False
    screenshots: dict[tuple[int, str], bytes] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    loops: dict[int, LoopState] = field(default_factory=dict)
    requests: SkillRequests = field(init=False)
    key: str = field(default_factory=lambda: f"replay-{uuid.uuid4().hex[:12]}")
    started: float = field(default_factory=time.perf_counter)

    async def run(self, start: Start) -> SkillResult:
        with self.driver.browser.gateway.stopping.operation():
            return await self._run(start)

    async def _run(self, start: Start) -> SkillResult:
        self.result.inputs = dict(self.inputs)
        self.requests = SkillRequests(self.spec, self.inputs, self.key, self.approve)
        for loop in (step.loop for step in self.spec.all_steps if step.loop is not None):
            self.inputs.setdefault(loop.name, "")
        try:
            self.origins = {origin_of(fill_text(origin, self.inputs)) for origin in self.spec.all_origins} - {
                None
            }
            await self.driver.requests.attach(self.requests)
            await self._begin(self.spec.start, start)
            await self._steps(self.spec.steps, 1)
            await self._rest()
            check_columns(self.spec, self.result.frames)
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
        finally:
            self.requests.end()
            await self.driver.requests.detach(self.requests)
            self.result.elapsed_ms = (time.perf_counter() - self.started) * 1000
            if self.changes:
                self.result.patch = Patch(self.spec.name, self.spec.digest, tuple(self.changes))
        return self.result

    async def _begin(self, address: str | None, start: Start) -> None:
        """Go to where a skill begins."""
        if address is None or start == "here":
            return
        if start == "auto" and url_matches(address, self.driver.url, self.inputs):
            return
        url = fill_url(address, self.inputs)
        self._check_origin(url, "start")
        opens = partial(self.driver.act, "goto", actor="replay", run=self.key, url=url)
        await self._unless_refused(opens, irreversible=True)
        # The person who approved the skill has seen where it starts.
        self.driver.browser.gateway.policy.allow_landing(url, self.driver.url)
        if self.requests.step == 0:
            self.driver.requests.begin_anew()

    async def _rest(self) -> None:
        """Wait until what the last steps set going is over, and see what of it was blocked.

        A skill that sends nothing doesn't wait for what its page may still send: its result has that later.
        """
        requests = self.driver.requests
        if self.requests.writes and requests.acted:
            if not self.requests.complete:
                await requests.settled()
            with suppress(CommandTimeout, PageClosed):
                await self.driver.wait_for(idle=True, timeout=REST_SECONDS, actor="replay", run=self.key)
            await requests.decided()
        self.requests.check()
        if self.driver.filled.held:
            self.driver.filled.require_kept(None, await self.driver.snapshot_if_readable())

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

    async def _step(self, index: int, step: SkillStep) -> None:
        begun = time.perf_counter()
        notes = _Notes()
        if self.resumed is not None and self.resumed.step == index:
            notes.done, self.resumed = self.resumed.done, None
        self.result.stopped = self._stopped(index)
        self.requests.step = index
        try:
            goes_on = self.resumed is not None  # inside of this step, so that it was begun
            if step.when is not None and not goes_on and not await self._is_shown(step.when):
                self.result.stopped = None
                self._report(index, step, notes, begun, "skipped", None)
                return
            await self._carry_out(index, step, notes)
            self.requests.check()
        except SkillbookError as error:
            if self._ended_inside(index):
                raise
            self.result.stopped = self._stopped(index, notes.done)
            self._report(index, step, notes, begun, "skipped" if step.optional else "failed", error)
            if not step.optional:
                raise self._failure(index, step, error) from error
            self.result.stopped = None
        except asyncio.CancelledError:
            if self._ended_inside(index):
                raise
            self.result.stopped = self._stopped(index, notes.done)
            self._report(index, step, notes, begun, "failed", ReplayFailed("stopped", hint=""))
            raise
        else:
            self.result.stopped = None
            self._report(index, step, notes, begun, "ok", None)

    def _stopped(self, index: int, done: Literal["no", "yes", "unknown"] = "no") -> Stopped:
        return Stopped(index, done, deepcopy(self.loops))

    def _ended_inside(self, index: int) -> bool:
        """Whether it was a step inside of this one that ended the run, and has said so."""
        return self.result.stopped is not None and self.result.stopped.step > index

    async def _loop(self, index: int, step: SkillStep, loop: Loop) -> int:
        """Do the steps inside for each item, page by page; returns for how many.

        The items of a page are read before the first is begun. Where some left the page because of what was done, those
        that moved up into their places are done as well.
        """
        state = self.loops.setdefault(index, LoopState())
        try:
            await self._pages(index, step, loop, state)
        finally:
            self._keep_facts(state)
            if self.result.stopped is not None and index in self.result.stopped.loops:
                self.result.stopped.loops[index].frame = state.frame
        del self.loops[index]
        return len(state.done)

    async def _skill(self, index: int, step: SkillStep, skill: SubSkill) -> None:
        """Do the steps of another skill, from where it begins."""
        if not step.steps:
            raise InvalidSkill(
                f"the steps of {skill.name} are not there",
                hint="save both skills in one folder, and load this one",
            )
        if self.resumed is None:
            await self._begin(skill.address, skill.start)
        await self._steps(step.steps, index + 1)

    async def _pages(self, index: int, step: SkillStep, loop: Loop, state: LoopState) -> None:
        if state.current is not None:
            await self._item(index, step, loop, state, state.current)
        page, shown = 1, await shown_items(self.driver, loop, self.inputs, FIND_SECONDS)
        if not shown.keys and not state.done and not loop.may_be_empty:
            raise ReplayFailed(
                f"nothing matches {loop.items} on {shown.snapshot.url}",
                hint="look at the page; `may_be_empty: true` accepts that",
            )
        while True:
            again = await self._items_of_page(index, step, loop, state, shown)
            if again is None:
                break
            following = await self._next_items(loop, again, page)
            if following is None:
                break
            page, shown = page + 1, following
            if known := set(shown.keys) & set(state.done):
                raise ReplayFailed(
                    f"{next(iter(known))[:80]!r} was done already and is on the next page again",
                    hint="give a `key` that says which item it is",
                )

    async def _items_of_page(
        self, index: int, step: SkillStep, loop: Loop, state: LoopState, shown: Shown
    ) -> Shown | None:
        """Do the items of a page; returns what it shows then, None where `max_items` are done."""
        first = shown
        while fresh := [key for key in shown.keys if key not in state.done]:
            for key in fresh:
                if len(state.done) >= (loop.max_items or MOST_ITEMS):
                    return None
                await self._item(index, step, loop, state, key)
            before, shown = shown, await shown_items(self.driver, loop, self.inputs, 0)
            if set(before.keys) <= set(shown.keys):
                break
        left = shown.snapshot.url.partition("#")[0] != first.snapshot.url.partition("#")[0]
        if loop.next is not None and not shown.keys and left:
            raise ReplayFailed(
                f"the last item's steps ended on {shown.snapshot.url}, so a next page of {loop.items} can't be known",
                hint="let them lead back to the list, with a step `back` for instance",
            )
        return shown

    async def _item(self, index: int, step: SkillStep, loop: Loop, state: LoopState, key: str) -> None:
        state.current, self.inputs[loop.name] = key, key
        facts = [output.name for one in in_order(step.steps) if (output := one.output) is not None]
        if self.resumed is None:  # what the item before it gave is not this one's
            for name in facts:
                self.result.values.pop(name, None)
        await self._steps(step.steps, index + 1)
        if self.requests.writes and self.driver.requests.acted:
            await self.driver.requests.settled()
        if facts:
            read = {name: self.result.values.get(name) for name in facts}
            state.rows.append({loop.name: key, **read})
        state.done.append(key)
        state.current = None

    async def _next_items(self, loop: Loop, shown: Shown, page: int) -> Shown | None:
        """Go to the next page and return its items; None where there is no such page."""
        from skillbook.extraction.pagers import find_next

        if loop.next is None:
            return None
        wanted = fill_selector(loop.next, self.inputs) if isinstance(loop.next, str) else True
        way = find_next(shown.snapshot, wanted, (), page)
        if way.control is None:
            if way.doubt:
                raise ReplayFailed(way.doubt, hint="give the way to the next page as a selector: `next`")
            return None
        self._check_origin(self.driver.url, "click")
        click = partial(self.driver.act, "click", way.control.ref, actor="replay", run=self.key)
        await self._unless_refused(click, irreversible=False)
        after = await shown_items(self.driver, loop, self.inputs, FIND_SECONDS, other_than=shown)
        if not after.keys or after.keys == shown.keys:
            raise ReplayFailed(
                f"{say(way.control)} was clicked, and no other items came",
                hint="look at the page, or give the way to the next page as a selector: `next`",
            )
        return after

    def _keep_facts(self, state: LoopState) -> None:
        """What the steps inside read, as a frame with a row for each item; a run that goes on replaces its frame."""
        if state.rows:
            import pandas as pd

            frames = self.result.frames
            if state.frame is not None and any(frame is state.frame for frame in frames):
                frames[:] = [frame for frame in frames if frame is not state.frame]
            state.frame = pd.DataFrame(state.rows)
            frames.append(state.frame)

    async def _is_shown(self, selector: str) -> bool:
        """Whether the page, once it is at rest, shows what a step is only for."""
        await rest(self.driver, FIND_SECONDS)
        return bool((await self.driver.snapshot()).find_all(fill_selector(selector, self.inputs)))

    async def _carry_out(self, index: int, step: SkillStep, notes: _Notes) -> None:
        if step.loop is not None:
            notes.rows = await self._loop(index, step, step.loop)
        elif step.skill is not None:
            await self._skill(index, step, step.skill)
        elif step.command == EXTRACT:
            source = ReplaySource(self.driver, self._check_origin, self.key, self.page)
            frame = await run_extract(source, step, self.inputs, keep=partial(self._keep, step))
            notes.rows = len(frame)
        elif step.command == "wait_for":
            waits = partial(
                self.driver.wait_for, actor="replay", run=self.key, **fill(step.params, self.inputs)
            )
            await self._unless_refused(waits, irreversible=step.irreversible)
        elif step.output is not None:
            await self._read(index, step, step.output, notes)
        elif notes.done != "yes":
            await self._act(index, step, notes)
            self.requests.check()
            notes.done = "yes"
        for check in step.expect:
            why = await await_check(
                self.driver, check, self.inputs, value_of=self._reader(step, notes), rows=notes.rows
            )
            if why is not None:
                raise ReplayFailed(
                    f"{step.command} was done, but {why}", hint="look at the page, or relax the check"
                )
            notes.seen.append(in_words(check, self.inputs, notes.rows))

    def _keep(self, step: SkillStep, frame: pd.DataFrame) -> None:
        frames = self.result.frames
        if step.extract is not None and step.extract.append and frames:
            import pandas as pd

            frame = pd.concat([frames.pop(), frame], ignore_index=True)
        frames.append(frame)

    async def _act(self, index: int, step: SkillStep, notes: _Notes) -> None:
        params = as_texts(step.command, fill(step.params, self.inputs))
        if "url" in step.params:
            params["url"] = fill_url(str(step.params["url"]), self.inputs)
        writes = COMMANDS[step.command].effect is not Effect.READ
        if writes:
            self._check_origin(params.get("url") or self.driver.url, step.command)
        for tries_left in (2, 1, 0):
            target = await self._find(index, step, "target", notes)
            to = await self._find(index, step, "to", notes)
            notes.done = "unknown"
            try:
                await self._send(step, target, to, params)
            except ReplayFailed:
                notes.done = "yes"
                raise
            except SkillbookError as error:
                notes.done = "no" if error.code in _NOT_DONE | _REFUSED else "unknown"
                seen = self.driver.latest
                if error.code not in _NOT_DONE or not tries_left or seen is None:
                    raise
                if error.code == "not_actionable" and not await self.driver.changed_since(seen, FIND_SECONDS):
                    raise
            else:
                break
        for part, found in (("target", notes.target), ("to", notes.to)):
            if found is not None and found.how != "locator":
                self._propose(index, step, part, found)

    async def _read(self, index: int, step: SkillStep, output: SkillOutput, notes: _Notes) -> None:
        """Read a fact; what the page gives must have the output's type."""
        target = await self._find(index, step, "target", notes)
        data = await self.driver.read(step.command, target, **fill(step.params, self.inputs))
        self.result.values[output.name] = typed(data["value"], output)
        if notes.target is not None and notes.target.how != "locator":
            self._propose(index, step, "target", notes.target)

    async def _find(
        self, index: int, step: SkillStep, part: Literal["target", "to"], notes: _Notes
    ) -> str | None:
        target: StepTarget | None = getattr(step, part)
        if target is None:
            return None
        found = await find_target(
            self.driver,
            Wanted.of(target, self.inputs),
            note=step.note,
            healer=self.healer,
            let_point=self.let_point,
            seconds=FIND_SECONDS,
        )
        if found.node.ref is not None and (found.how != "locator" or self.keep_screenshots):
            png = await target_screenshot(self.driver, found.node.ref)
            self.screenshots[index, part] = png
            if found.how == "locator" and png:
                keep_screenshot(load_settings().home, self.spec.digest, index, part, png)
        if found.how == "model":
            self.result.model_calls += 1
        setattr(notes, part, found)
        if self.on_found is not None and found.how == "locator" and found.node.ref is not None:
            await self.on_found(index, step.command, Wanted.of(target, self.inputs), found.node.ref)
        return found.node.ref

    async def _send(
        self, step: SkillStep, target: str | None, to: str | None, params: Mapping[str, Any]
    ) -> None:
        send = partial(
            self.driver.act,
            step.command,
            target,
            drop_on=to,
            actor="replay",
            run=self.key,
            given_files=self.given,
            **params,
        )
        done = await self._unless_refused(send, irreversible=step.irreversible)
        if done.notes:
            raise ReplayFailed(
                f"{step.command} was done, but {'; '.join(done.notes)}",
                hint="look at the page and undo what was saved; give a value that the page keeps",
            )
        if step.command == "download" and done.path is not None:
            self.result.files.append(done.path)

    async def _unless_refused(self, do: Callable[..., Awaitable[Any]], *, irreversible: bool) -> Any:
        """Do something, once more with a person's approval where it needs one and has it.

        `irreversible` says that a person approved it when it was recorded, as far as the skill's file tells.
        """
        approval = None
        for tries_left in reversed(range(_MOST_QUESTIONS)):
            try:
                return await do(approval=approval)
            except ApprovalRequired as error:
                if (
                    error.binding is None
                ):  # the page changed after the approval: by itself, so it is judged anew
                    if approval is None or not tries_left:
                        raise
                    approval = None
                    continue
                if not tries_left or not await self._approved(error, irreversible=irreversible):
                    raise ApprovalRequired(
                        error.message,
                        hint="run it with approve=skill.digest, or with a function that asks",
                        **error.data,
                    ) from None
                approval = self.driver.browser.gateway.approvals.issue(error.binding)
        return None

    async def _approved(self, question: ApprovalRequired, *, irreversible: bool) -> bool:
        if self.approve is None:
            return irreversible and covers_irreversible(load_settings().home, self.spec.digest)
        if isinstance(self.approve, str):
            return self.approve == self.spec.digest
        return await answer_of(self.approve, question.message, question)

    def _check_origin(self, url: str, what: str) -> None:
        origin = origin_of(url)
        if origin not in self.origins:
            listed = ", ".join(sorted(str(one) for one in self.origins)) or "none"
            raise NotAllowed(
                f"{self.spec.name} may not {what} on {origin or url!r}",
                hint=f"its origins are: {listed}; open the page it was made for, or add the origin to replay.yaml",
                origin=origin,
            )

    def _reader(self, step: SkillStep, notes: _Notes) -> Callable[[Snapshot], str | None]:
        def read(snapshot: Snapshot) -> str | None:
            ref = notes.target.node.ref if notes.target else None
            if ref is not None and ref in snapshot:
                return snapshot[ref].value
            if step.target is None:
                return None
            matched = snapshot.find_all(Wanted.of(step.target, self.inputs).selectors[0])
            return matched[0].value if len(matched) == 1 else None

        return read

    def _propose(self, index: int, step: SkillStep, part: str, found: Found) -> None:
        old: StepTarget = getattr(step, part)
        if next(placeholders(old.selectors), None) is not None:
            return  # this run's element is not the one of another input
        if index not in self.spec.own_numbers:
            return  # another skill's file says it
        change = Change(
            index,
            "to" if part == "to" else "target",
            old,
            target_of(found.node),
            found.why,
            found.score,
            kept_screenshot(load_settings().home, self.spec.digest, index, part),
            self.screenshots.get((index, part), b""),
        )
        self.changes = [one for one in self.changes if (one.step, one.part) != (index, change.part)]
        self.changes.append(change)

    def _failure(self, index: int, step: SkillStep, error: SkillbookError) -> SkillbookError:
        where = f"step {index} of {len(self.spec.all_steps)} ({step.note or step.command})"
        if not isinstance(error, ReplayFailed):
            error.message = f"{self.spec.name}, {where}: {error.message}"
            return error
        return ReplayFailed(
            f"{self.spec.name}, {where}: {error.message}", hint=error.hint, **{**error.data, "step": index}
        )

    def _report(
        self,
        index: int,
        step: SkillStep,
        notes: _Notes,
        begun: float,
        status: Status,
        error: SkillbookError | None,
    ) -> None:
        outcome = StepOutcome(
            index,
            step.command,
            status,
            notes.target.how if notes.target else "",
            say(notes.target.node) if notes.target else "",
            self.driver.url,
            notes.rows,
            (time.perf_counter() - begun) * 1000,
            error.message if error else "",
            " › ".join(state.current for state in self.loops.values() if state.current is not None),
            "; ".join(notes.seen),
        )
        self.result.outcomes.append(outcome)
        if self.progress is not None:
            self.progress(outcome)


@dataclass
class _Notes:
    target: Found | None = None
    to: Found | None = None
    done: Literal["no", "yes", "unknown"] = "no"
    rows: int | None = None
    seen: list[str] = field(default_factory=list)
