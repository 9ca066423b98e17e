"""A page as the I/O thread sees it: everything that can be done in one shared tab."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from skillbook.errors import (
    ApprovalPending,
    CommandTimeout,
    EvaluateRefused,
    InvalidInput,
    InvalidParams,
    NotActionable,
    PageNavigated,
    SkillbookError,
    StaleRef,
)
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.limits import READ_SECONDS
from skillbook.perception.escape import without_controls
from skillbook.perception.nodes import Node
from skillbook.perception.roles import FIELDS
from skillbook.perception.selectors import looked_for
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.word_search import FoundNodes, find_nodes
from skillbook.policy.rules import Actor
from skillbook.policy.secrets import MASK, Secret
from skillbook.protocol.commands import ACTIONS, COMMANDS, method_of
from skillbook.protocol.commands.act import PickResult
from skillbook.protocol.commands.read import DescribeResult
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.events import Gesture
from skillbook.protocol.refs import is_ref, make_ref
from skillbook.session.action import PreparedAction, Resolved
from skillbook.session.actions.aspects import Doing, do_with_aspects
from skillbook.session.actions.page_search import find_in_page
from skillbook.session.actions.prepare import prepare, split_call
from skillbook.session.actions.result import ActionResult, PerformedCall, catch_up_soon, put_off
from skillbook.session.actions.targets import ActsAgain, Target, known_node, resolve
from skillbook.session.actions.waiting import wait_for
from skillbook.session.page.held_requests import takes_over
from skillbook.session.page.page_reader import PageReader
from skillbook.session.page.recent_acts import RecentActs
from skillbook.session.page.seen_page import Seen, pointed_at
from skillbook.session.shared_tabs import SharedTabs

_PRINTED = frozenset({"text", "title", "attribute", "name"})
"""Facts that people print: in these, control characters of the page are signs to read."""


class PageDriver(PageReader):
    """One shared tab with everything that can be done on it.

    Everything above the session (agents, skills, extraction) works on drivers; `Page` in both twins is their facade.

    tab: the tab as the extension reported it.
    on_gesture: called with what a person does in the tab, while that is recorded.
    on_done: called with what Python calls do on the page, while those are recorded.
    on_read: called with the rows that an agent or a terminal reads, while what a person does in the tab is recorded.
    """

    browser: SharedTabs[PageDriver]

    def __init__(self, browser: SharedTabs[PageDriver], tab: Tab) -> None:
        super().__init__(browser, tab)
        self.on_gesture: Callable[[Gesture], None] | None = None
        self.on_done: Callable[[PerformedCall], None] | None = None
        self.on_read: Callable[[PerformedCall], None] | None = None
        self.recent = RecentActs(browser.settings.kept_acts)
        self._enclosing: list[str] = []
        self._lock = asyncio.Lock()
        self._doing = ""  # the command whose turn it is

    def __repr__(self) -> str:
        return f"<PageDriver {self.url}>"

    async def resolve(self, target: Target, *, timeout: float | None = None) -> Resolved:
        """Find a target on the page; see `skillbook.session.actions.targets.resolve`."""
        return await resolve(self, target, timeout=timeout)

    async def act(
        self,
        command: str,
        target: Target | None = None,
        *,
        drop_on: Target | None = None,
        actor: Actor = "person",
        approval: str | None = None,
        run: str | None = None,
        timeout: float | None = None,
        given_files: Collection[str] = (),
        seen: Seen | None = None,
        lazy: bool = False,
        questions: Sequence[str] = (),
        **params: Any,
    ) -> ActionResult:
        """Do something on the page and see what it changed. One action at a time.

        actor: who wants it, for the policy.
        approval: the token of a person's approval; it is used up, whatever comes of it.
        run: the agent run's or replay's id, for the journal.
        timeout: seconds that the action may take, its wait for its turn included.
        given_files: files that the person gave an agent or a skill to upload.
        seen: gives a ref's node as the caller saw it; see `prepare`.
        lazy: the page may look for the target by itself, and what changed is read when somebody looks; no snapshot is
            needed then. Not so where anybody records, shows or replays the page.
        questions: what a person has to answer before, in words.
        """
        self.require_open()
        seconds = READ_SECONDS if timeout is None else timeout
        again = ActsAgain(self, command, target, seconds) if approval is None else None
        if actor == "person" and takes_over(command):
            # Before the turn, which an agent's action may have that waits for a decision.
            await self.requests.release_held_requests()
        elif actor == "person" and self.requests.asking:
            raise ApprovalPending(
                f"page.{command} has to wait: a request of this page waits for your decision",
                hint="decide on it first: see `run.pending`",
            )
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                async with self._turn(command, deadline):
                    started = time.perf_counter()
                    timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
                    lazy = lazy and actor == "person" and self._may_wait(command)
                    with self._noting_unsent(command, actor, run, target=target, to=drop_on):
                        action = await prepare(
                            self, command, target, params, drop_on=drop_on, actor=actor, approval=approval, run=run,
                            timeout=timeout, given_files=given_files, questions=questions, seen=seen, lazy=lazy,
                        )  # fmt: skip
                    doing = Doing(self, action, started, self.note_performed, lazy=lazy)
                    return await self._do(doing, target if isinstance(target, str) else "")
            except (StaleRef, PageNavigated, NotActionable) as error:
                if again is None or not again.after(error):
                    raise

    def _may_wait(self, command: str) -> bool:
        """Whether nobody needs what an action changed before somebody looks."""
        spec, browser = COMMANDS[command], self.browser
        needed = (
            self.on_done is not None
            or bool(self._enclosing)
            or browser.settings.look_at_once
            or bool(self.observed)
            or browser.cassettes.of(self.tab.id) is not None
            or hooks.page_is_shown(self)
            or browser.hints_for(self.url) is not None
        )
        return not (needed or spec.navigates or spec.under_dialog or spec.file_param or spec.page_tools)

    @contextmanager
    def _noting_unsent(self, command: str, actor: Actor, run: str | None, **targets: Any) -> Iterator[None]:
        """An agent's call that fails before it is sent is in the journal all the same."""
        try:
            yield
        except SkillbookError as error:
            if actor == "agent":
                self.browser.gateway.note_unsent(
                    command, targets, error, tab=self.tab.id, url=self.url, run=run
                )
            raise

    async def do_judged(self, action: PreparedAction) -> ActionResult:
        """Do an action that was judged as part of another one."""
        async with self._turn(action.command):
            return await self._do(Doing(self, action.approved(), time.perf_counter(), self.note_performed))

    async def _do(self, doing: Doing, named: str = "") -> ActionResult:
        if doing.writes:
            self.tabs_before = frozenset(self.browser.pages)
        result = await do_with_aspects(doing)
        spec, target = COMMANDS[doing.action.command], doing.action.target
        if doing.writes and not spec.only_prepares:
            edits = spec.edits_text or spec.sets_value or spec.presses_keys
            node = target.node if target else None
            self.filled_last = edits and (node is None or node.role in FIELDS)
        return result

    @property
    def is_acting(self) -> bool:
        """Whether an action is being done: what is recorded of it comes when it is over."""
        return self._lock.locked()

    @property
    def recorded_within(self) -> str:
        """What is recorded as one thing and done now; "" where each is recorded by itself."""
        return self._enclosing[0] if self._enclosing else ""

    @contextmanager
    def recorded_as(
        self, command: str, params: Mapping[str, Any], actor: Actor = "person"
    ) -> Iterator[PerformedCall]:
        """Record what is done meanwhile as one thing, such as an extraction that turns pages.

        Gives what is recorded, to say of it that it failed; an error says so, too.
        """
        done = PerformedCall(command, params, None, self.latest, actor=actor)
        self._enclosing.append(command)
        try:
            yield done
        except BaseException:
            done.failed = True
            raise
        finally:
            self._enclosing.pop()
            self.note_performed(done)

    def note_performed(self, call: PerformedCall) -> None:
        """Report a call to whoever records them, unless it is a part of one that is recorded as a whole."""
        if self._enclosing:
            return
        if not call.failed:
            self.recent.add(call.actor, _without_secret(call), self.latest, self.url, fresh=call.fresh)
        if self.on_done is not None and call.actor != "agent":
            self.on_done(call)
        if self.on_read is not None and call.actor == "agent" and call.frame is not None:
            self.on_read(call)

    def note_gesture(self, gesture: Gesture) -> None:
        """A person did something in the tab, which nobody records; what a call of ours does there is none."""
        if not self.is_acting:
            self.recent.add("hands", gesture, self.latest, self.url, fresh=self.untouched)
            self.untouched = False

    async def typed_by_hand(self) -> Node | None:
        """A field that still holds what a person typed into it by hand; nobody knows whether that was sent."""
        typed = [
            act.done for act in self.recent if act.who == "hands" and COMMANDS[act.done.command].edits_text
        ]
        snapshot = await self.snapshot_if_readable() if typed else None
        there = {document.key for document in snapshot.documents} if snapshot is not None else set()
        for gesture in reversed(typed):
            field = pointed_at(snapshot, gesture.frame, gesture.path[:1]) if gesture.key in there else None
            if field is not None and (gesture.secret or field.value == gesture.params.get("value")):
                return field
        return None

    def forget_acts(self) -> None:
        """The tab isn't shared any more."""
        self.recent.clear()

    @property
    def keeps_gestures(self) -> bool:
        """Whether what a person does in the tab is kept; nobody does anything where there is no window."""
        return bool(self.recent.most) and self.browser.has_window

    async def keep_gestures(self) -> None:
        """Have the tab report what a person does in it, where there is a window for that; the page shows nothing."""
        if self.keeps_gestures and not self.closed and self.on_gesture is None:
            with suppress(SkillbookError):  # a page that can't be read says nothing of it
                await self.run("record", {"on": True, "text": ""})

    async def record(self, on: bool, text: str) -> None:
        """Have the tab report what a person does in it, or no more; the page shows the text."""
        await self.run("record", {"on": on, "text": text[:200]})
        if not on and not text:
            await self.keep_gestures()

    async def pick(self, text: str, *, timeout: float) -> Node | None:
        """Let a person point at an element in the page itself; what they press there doesn't reach the page.

        text: what the page shows meanwhile.
        timeout: seconds that they have.
        Raises CommandTimeout: they pointed at nothing in time. StaleRef: what they pointed at has gone since.
        """
        found = PickResult.model_validate(await self.run("pick", {"text": text[:200]}, timeout=timeout))
        if not found.path:
            return None
        node = pointed_at(await self.snapshot(), found.frame, found.path)
        if node is None:
            raise StaleRef(
                "What was pointed at has gone.", ref=make_ref(found.frame, found.path[0]), hint="Point again."
            )
        return node

    @asynccontextmanager
    async def _turn(self, command: str, deadline: float | None = None) -> AsyncIterator[None]:
        """One action at a time, which is stopped as a whole; the journal notes nothing meanwhile that may wait."""
        gateway = self.browser.gateway
        with gateway.stopping.operation():
            await gateway.stopping.between_actions()
            put_off(gateway)
            try:
                async with asyncio.timeout(None if deadline is None else deadline - time.monotonic()):
                    await self._lock.acquire()
            except TimeoutError:
                raise CommandTimeout(
                    f"{method_of(command)} was not begun: {method_of(self._doing)} on this page took until its timeout",
                    hint="wait for the other action, or give a longer timeout; nothing was done",
                    awaited=self._doing,
                ) from None
            self._doing = command
            try:
                with gateway.stopping.steps():
                    yield
            finally:
                self._lock.release()
                catch_up_soon(gateway)

    async def read(
        self, command: str, target: Target | None = None, *, lazy: bool = False, **params: Any
    ) -> Any:
        """Run a reading command and return its result's data; `lazy` as for `act`."""
        self.require_open()
        spec = COMMANDS[command]
        if (spec.gives_fact or spec.captures_image) and not self.rest.is_known:
            await self.settled("rest")
        fact = {"command": command, "params": params} if spec.gives_fact else None
        find = partial(find_in_page, fact=fact) if lazy and self._may_wait(command) else None
        resolved = await resolve(self, target, find=find) if target is not None else None
        wire = {**params, "ref": resolved.ref} if resolved else params
        data: Any = resolved.fact if resolved else None
        if data is None:
            data = await self.run(command, wire, target=resolved)
        if spec.gives_fact and params.get("what") in _PRINTED and isinstance(data.get("value"), str):
            return {**data, "value": without_controls(data["value"])}
        return data

    async def wait_for(
        self,
        *,
        timeout: float | None = None,
        actor: Actor = "person",
        approval: str | None = None,
        run: str | None = None,
        **conditions: Any,
    ) -> Snapshot | None:
        """Wait for exactly one condition; see `skillbook.session.actions.waiting.wait_for`."""
        found = await wait_for(self, conditions, timeout, actor=actor, approval=approval, run=run)
        if self.browser.cassettes.of(self.tab.id) is not None:
            await self.settled("rest")
            found = found and await self.snapshot()
        if actor == "person":
            self.note_performed(PerformedCall("wait_for", conditions, None, self.latest))
        return found

    async def count(self, target: Target | None) -> int:
        """How many nodes a role selector matches now."""
        if not isinstance(target, str):
            raise InvalidParams("only a role selector's matches can be counted", hint='such as "listitem"')
        await self.settled("rest")
        return len((await self.snapshot_for(target)).find_all(target))

    async def find(self, query: str) -> FoundNodes:
        """The nodes that a selector names, else those that words describe; see `Page.find`."""
        await self.settled("rest")
        snapshot = await (self.snapshot_for(query) if looked_for([query]) else self.snapshot())
        return find_nodes(snapshot, query)

    async def perform(self, command: str, args: Mapping[str, Any], **options: Any) -> Any:
        """Run any command of the registry with the arguments of its `call_model`.

        command: its name; commands on the browser work on this page's tab.
        args: `target` and `to` as refs or role selectors, the rest as the wire has it.
        options: `actor`, `approval`, `run`, `timeout`, `given_files` for actions; see `act`.
        """
        target, drop_on, values = split_call(command, args)
        if drop_on is not None:
            options["drop_on"] = drop_on
        if command == "snapshot":
            return await self.snapshot(values.get("engine", "dom"))
        if command == "wait_for":
            options = {name: value for name, value in options.items() if name not in {"given_files", "seen"}}
            return await self.wait_for(**options, **values)
        if command in ACTIONS:
            return await self.act(command, target, **options, **values)
        return await self.read(command, target, **values)

    async def evaluate(self, expression: str, target: Target | None = None) -> Any:
        """Run JavaScript in the page; `EvaluateRefused` where that wasn't allowed."""
        if not self.browser.allow_evaluate:
            raise EvaluateRefused("evaluate isn't allowed in this browser")
        self.untouched = False
        return await self.read("evaluate", target, expression=expression)

    async def highlight(self, targets: Sequence[Target]) -> None:
        """Outline elements on the screen; none clears."""
        refs = [(await self.resolve(target)).ref for target in targets]
        await self.run("highlight", {"refs": refs})

    def known(self, target: str) -> Node:
        """The node of a target in the last snapshot; raises what `known_node` does.

        The page is read only if actions came after that snapshot.
        """
        self.read_if_stale_now()
        if is_ref(target) and self.latest is not None:
            self.snapshots.check(target, self.url)
        if not is_ref(target) and looked_for([target]) and not io.inside:
            return known_node(io.sync(self.snapshot_for(target)), target)
        return known_node(self.latest, target)

    def read_if_stale_now(self) -> None:
        """The same for those that wait, off the I/O thread."""
        if self.read_after < self.actions and not io.inside:
            io.sync(self.read_if_stale())

    async def describe(self, target: Target) -> DescribeResult:
        """An element's form, and what else the policy judges."""
        return DescribeResult.model_validate(await self.read("describe", target))


def _without_secret(call: PerformedCall) -> PerformedCall:
    """A call as it may be kept: a secret is there by its name, and one without a name isn't."""
    spec = COMMANDS.get(call.command)
    name = spec.typed_in(call.params) if spec is not None and call.hides else None
    if name is None or isinstance(call.params[name], Secret):
        return call
    return replace(call, params={**call.params, name: MASK})


def driver_of(page: Any) -> PageDriver:
    """The driver of a page of either twin, or the driver itself.

    Raises InvalidInput: it is no page.
    """
    driver = getattr(page, "driver", page)
    if not callable(getattr(driver, "snapshot", None)) or not hasattr(driver, "url"):
        raise InvalidInput(
            f"`page` must be a page, not {type(page).__name__}", hint="give what browser.open(url) returns"
        )
    found: PageDriver = driver
    return found
