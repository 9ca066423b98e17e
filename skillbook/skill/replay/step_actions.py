"""Doing one step of a skill: its command, on the targets that it names, and what must hold afterwards."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import ReplayFailed, SkillbookError
from skillbook.limits import CAUSE_SECONDS, READ_SECONDS
from skillbook.perception.escape import quote
from skillbook.perception.nodes import Node
from skillbook.perception.records import ANY, ChangedFact
from skillbook.perception.selectors import find_all, looked_for
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.session.actions.result import ActionResult
from skillbook.session.page_driver import PageDriver
from skillbook.skill.consent.send_allowlist import SkillRequests
from skillbook.skill.model.spec_base import SkillOutput
from skillbook.skill.model.spec_steps import EXTRACT, SkillStep, StepTarget
from skillbook.skill.model.templates import Value, as_texts, fill, fill_text, fill_url
from skillbook.skill.replay.checks import await_check, in_words, way_past
from skillbook.skill.replay.permission import Permission
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.skill.replay.step_outputs import ReplaySource, run_extract, typed
from skillbook.skill.replay.step_targets import Part, StepTargets
from skillbook.skill.targets.confirmation import Confirmation, changes_of, listed_for
from skillbook.skill.targets.healing import Found, Wanted, find_now
from skillbook.skill.targets.surroundings import holds, states_of

if TYPE_CHECKING:
    import pandas as pd

OnFound = Callable[[int, str, Wanted, str], Awaitable[None]]
_OTHERWISE = "where it is confirmed, other things are listed than in the recording"
_LONGEST_WORDS = 80
_REFUSED = {"approval_required", "not_allowed"}
_NOT_DONE = {"stale_ref", "unknown_ref", "not_actionable"}


@dataclass
class Attempt:
    """What is known of a step while it is carried out."""

    index: int
    step: SkillStep
    begun: float = field(default_factory=time.perf_counter)
    target: Found | None = None
    to: Found | None = None
    done: Literal["no", "yes", "unknown"] = "no"
    rows: int | None = None
    seen: list[str] = field(default_factory=list)
    first_request: int = 0
    before: Snapshot | None = None
    screenshot: bytes = b""
    gave: ActionResult | None = None
    changes: list[ChangedFact] = field(default_factory=list)
    confirmation: Confirmation = field(default_factory=Confirmation)

    def saw(self, ref: str) -> Node | None:
        """A target as it was found: the page may show another record there by the press."""
        return next((found.node for found in (self.target, self.to) if found and found.node.ref == ref), None)


@dataclass(frozen=True)
class StepActions:
    """Does the steps of one replay that have no steps inside.

    inputs: every input's value; they change as loops go on.
    result: gets what is read.
    key: the replay's id, for the journal.
    page, given, on_found: see `skillbook.skill.replay.replayer.Replay`.
    changes: what records said when they were recorded and say otherwise now.
    """

    driver: PageDriver
    inputs: Mapping[str, Value]
    targets: StepTargets
    permission: Permission
    requests: SkillRequests
    result: SkillResult
    key: str
    page: Any
    given: Collection[str]
    on_found: OnFound | None
    changes: list[ChangedFact] = field(default_factory=list)

    async def do(self, attempt: Attempt) -> None:
        """Do a step's command, unless an earlier run did it already."""
        step = attempt.step
        if step.command == EXTRACT:
            attempt.rows = await self._extract(step)
        elif step.command == "wait_for":
            conditions = fill(step.params, self.inputs)
            await self.permission.with_approval(
                lambda approval: self.driver.wait_for(
                    actor="replay", run=self.key, approval=approval, **conditions
                ),
            )
        elif step.output is not None:
            await self._read(attempt, step.output)
        elif attempt.done != "yes":
            await self._act(attempt)
            self.requests.check()
            attempt.done = "yes"

    async def check(self, attempt: Attempt) -> None:
        """Wait for what must hold after a step."""
        value_of = partial(self._value_of, attempt)
        for check in attempt.step.expect:
            why = await await_check(self.driver, check, self.inputs, value_of=value_of, rows=attempt.rows)
            if why is not None:
                says = self._says_nothing_found() if check.rows is not None and not attempt.rows else ""
                raise ReplayFailed(
                    f"{attempt.step.command} was done, but {why}{says}", hint=way_past(check, attempt.index)
                )
            attempt.seen.append(in_words(check, self.inputs, attempt.rows))

    def _says_nothing_found(self) -> str:
        """In which words the page says that it found nothing; page text, empty where it says no such thing."""
        from skillbook.extraction.walking.nothing_found import found_nothing

        snapshot = self.driver.latest
        said = found_nothing(snapshot, []) if snapshot is not None else ""
        return f"; the page says {quote(said, _LONGEST_WORDS)}" if said else ""

    def _value_of(self, attempt: Attempt, snapshot: Snapshot) -> str | None:
        ref = attempt.target.node.ref if attempt.target else None
        if ref is not None and ref in snapshot:
            return snapshot[ref].value
        if attempt.step.target is None:
            return None
        primary = Wanted.of(attempt.step.target, self.inputs).selectors[0]
        if looked_for([primary], texts=False):
            return None  # an element that only CSS names has no value of its own to check once it is gone
        matched = find_all(snapshot, primary)
        return matched[0].value if len(matched) == 1 else None

    async def _extract(self, step: SkillStep) -> int:
        source = ReplaySource(self.driver, self.permission.check_origin, self.key, self.page)
        return len(await run_extract(source, step, self.inputs, keep=partial(self._keep, step)))

    def _keep(self, step: SkillStep, frame: pd.DataFrame) -> None:
        frames = self.result.frames
        if step.extract is not None and step.extract.append and frames:
            import pandas as pd

            frame = pd.concat([frames.pop(), frame], ignore_index=True)
        frames.append(frame)

    async def _act(self, attempt: Attempt) -> None:
        """Find a step's targets and do it; where they went before anything was done, find them again."""
        step = attempt.step
        params = as_texts(step.command, fill(step.params, self.inputs))
        if "url" in step.params:
            params["url"] = fill_url(str(step.params["url"]), self.inputs)
        if COMMANDS[step.command].effect is not Effect.READ:
            self.permission.check_origin(params.get("url") or self.driver.url, step.command)
        if step.until:
            await self._press_until(attempt, params)
        else:
            await self._do_once(attempt, params)
        self.targets.propose(attempt.index, step, "target", attempt.target)
        self.targets.propose(attempt.index, step, "to", attempt.to)

    async def _do_once(self, attempt: Attempt, params: Mapping[str, Any]) -> None:
        step = attempt.step
        for tries_left in (2, 1, 0):
            target = await self._find(attempt, "target")
            if target and step.target is not None and "name_under_mouse" in step.target.fingerprint:
                target = await self._under_mouse(attempt, target)
            to = await self._find(attempt, "to")
            attempt.done = "unknown"
            self.requests.addresses[attempt.index] = self.driver.url
            try:
                attempt.gave = await self._send(attempt, target, to, params)
                return
            except ReplayFailed:
                attempt.done = "yes"
                raise
            except SkillbookError as error:
                attempt.done = "no" if error.code in _NOT_DONE | _REFUSED else "unknown"
                if not tries_left or not await self._may_try_again(error):
                    raise

    async def _under_mouse(self, attempt: Attempt, ref: str) -> str | None:
        """Move the mouse to a target and read what it is called then: the press is judged on that.

        The element stays the one that was found: another one may be called so at rest.
        """
        await self.driver.act("hover", ref, actor="replay", run=self.key)
        now = await self.driver.snapshot()
        if attempt.target is None or ref not in now:
            return await self._find(attempt, "target")
        attempt.target = replace(attempt.target, node=now[ref])
        return ref

    async def _press_until(self, attempt: Attempt, params: Mapping[str, Any]) -> None:
        """Press a target until it is in the recorded state, and not at all where it is already."""
        step = attempt.step
        for count in range(step.presses):
            await self._find(attempt, "target")
            was = states_of(attempt.target.node) if attempt.target is not None else {}
            if attempt.target is not None and holds(step.until, attempt.target.node):
                attempt.seen += [] if count else [f"it was {_in_words(step.until)} already"]
                return
            await self._do_once(attempt, params)
            if await self._comes(attempt, was):
                return
        raise ReplayFailed(
            f"{step.command} was done as often as when it was recorded ({step.presses}), and its target isn't "
            f"{_in_words(step.until)}",
            hint="look at the page, and record the step again",
        )

    async def _comes(self, attempt: Attempt, was: Mapping[str, str]) -> bool:
        """Whether a target comes into its state; False at once where it comes into another one."""
        # How long a press may take to switch its target's state.
        step, deadline = attempt.step, time.monotonic() + READ_SECONDS
        while True:
            snapshot = await self.driver.snapshot_if_readable()
            node = self._now(attempt, snapshot) if snapshot is not None else None
            if node is not None and holds(step.until, node):
                return True
            left = deadline - time.monotonic()
            if node is not None and any(states_of(node).get(key) != was.get(key) for key in step.until):
                return False
            if left <= 0 or (snapshot is not None and not await self.driver.changed_since(snapshot, left)):
                return False

    def _now(self, attempt: Attempt, snapshot: Snapshot) -> Node | None:
        """A step's target as a later snapshot has it."""
        ref = attempt.target.node.ref if attempt.target is not None else None
        if ref is not None and ref in snapshot:
            return snapshot[ref]
        if attempt.step.target is None:
            return None
        found = find_now(snapshot, Wanted.of(attempt.step.target, self.inputs))
        return found.node if found is not None else None

    async def _may_try_again(self, error: SkillbookError) -> bool:
        """Whether an action that wasn't done may find its target now: a covered one only where the page changes."""
        seen = self.driver.latest
        if error.code not in _NOT_DONE or seen is None or error.data.get("reason") == "value_changed":
            return False
        return error.code != "not_actionable" or await self.driver.changed_since(seen, CAUSE_SECONDS)

    async def _read(self, attempt: Attempt, output: SkillOutput) -> None:
        """Read a fact; what the page gives must have the output's type."""
        step = attempt.step
        target = await self._find(attempt, "target")
        data = await self.driver.read(step.command, target, **fill(step.params, self.inputs))
        self.result.values[output.name] = typed(data["value"], output)
        self.targets.propose(attempt.index, step, "target", attempt.target)

    async def _find(self, attempt: Attempt, part: Part) -> str | None:
        found = await self.targets.find(attempt.index, attempt.step, part)
        if found is None:
            return None
        if found.how == "model":
            self.result.model_calls += 1
        setattr(attempt, part, found)
        target: StepTarget = getattr(attempt.step, part)
        changes = (*found.changed, *Wanted.of(target, self.inputs).changes(found.node))
        attempt.changes = list(dict.fromkeys([*attempt.changes, *changes]))
        attempt.seen += [str(change) for change in changes if str(change) not in attempt.seen]
        self.changes.extend(change for change in changes if change not in self.changes)
        if self.on_found is not None and found.how == "locator" and found.node.ref is not None:
            wanted = Wanted.of(target, self.inputs)
            await self.on_found(attempt.index, attempt.step.command, wanted, found.node.ref)
        return found.node.ref

    async def _send(
        self, attempt: Attempt, target: str | None, to: str | None, params: Mapping[str, Any]
    ) -> ActionResult:
        step, priced = attempt.step, [change for change in self.changes if change.is_price]

        async def listed() -> Confirmation:
            attempt.confirmation = await self._listed(attempt)
            return attempt.confirmation

        done = await self.permission.with_approval(
            lambda approval: self.driver.act(
                step.command,
                target,
                drop_on=to,
                actor="replay",
                run=self.key,
                given_files=self.given,
                seen=attempt.saw,
                questions=[_OTHERWISE] if attempt.confirmation.changed else [],
                approval=approval,
                **params,
            ),
            changed=list(dict.fromkeys([*attempt.changes, *priced])),
            listed=listed,
        )
        if done.notes:
            raise ReplayFailed(
                f"{step.command} was done, but {'; '.join(done.notes)}",
                hint="look at the page and undo what was saved; give a value that the page keeps",
            )
        if step.command == "download" and done.path is not None:
            self.result.files.append(done.path)
        return done

    async def _listed(self, attempt: Attempt) -> Confirmation:
        """What is listed where a step that can't be undone is confirmed, compared with what was recorded."""
        step = attempt.step
        if not step.irreversible:
            return Confirmation()
        now = await self._texts_to_confirm(attempt)
        if step.confirms is None:
            return Confirmation(tuple(now))
        recorded = [
            fill_text(text, self.inputs, encode=lambda value: value.replace(ANY, ""))
            for text in step.confirms
        ]
        return Confirmation(tuple(now), tuple(changes_of(recorded, now)))

    async def _texts_to_confirm(self, attempt: Attempt) -> list[str]:
        if COMMANDS[attempt.step.command].answers_dialog:
            opened = self.driver.dialogs.open
            return [opened.message] if opened is not None else []
        snapshot = await self.driver.snapshot_if_readable() if attempt.target is not None else None
        node = self._now(attempt, snapshot) if snapshot is not None else None
        return (listed_for(node, attempt.step.expect) or []) if node is not None else []


def _in_words(state: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in state.items())
