"""A page as the I/O thread sees it: snapshots, actions, reading and waiting.

Everything above the session (agents, skills, extraction) works on drivers; `Page` in both twins is their facade.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from skillbook.errors import (
    DialogBlocked,
    EvaluateRefused,
    InvalidParams,
    NoMatch,
    NotActionable,
    OriginChanged,
    PageClosed,
    SkillbookError,
    StaleRef,
    UnknownRef,
)
from skillbook.hooks import hooks
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.rules import Actor
from skillbook.protocol.commands import ACTIONS, COMMANDS, Effect
from skillbook.protocol.commands.read import DescribeResult
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.refs import is_ref
from skillbook.session.actions.action import call_of, prepare, split_call
from skillbook.session.actions.compound_actions import execute
from skillbook.session.actions.css_targets import find_target
from skillbook.session.actions.result import ActionResult, result_of
from skillbook.session.actions.step_log import log_step
from skillbook.session.actions.targets import Resolved, Target, known_node, node_of, ref_of, was_remounted
from skillbook.session.actions.waiting import changed_since, wait_for
from skillbook.session.page.dialogs import DialogDesk
from skillbook.session.page.snapshot_cache import SnapshotCache

if TYPE_CHECKING:
    from skillbook.perception.nodes import DocumentSnapshot
    from skillbook.policy import Call
    from skillbook.session.browser_driver import BrowserDriver

FIND_SECONDS = 5.0
UNREADABLE = frozenset(
    {"page_closed", "page_navigated", "page_unreachable", "dialog_blocked", "timeout", "not_allowed"}
)


class PageDriver:
    """One shared tab.

    Parameters
    ----------
    browser : the driver of its browser.
    tab : the tab as the extension reported it.

    Attributes
    ----------
    shared_by : who opened it, "kernel" or "page"; "user" where it was shared by hand, or that isn't known.
    """

    def __init__(self, browser: BrowserDriver, tab: Tab) -> None:
        self.browser = browser
        self.tab = tab
        self.latest: Snapshot | None = None
        self.closed: str | None = None
        self.shared_by = "user"
        self.snapshots = SnapshotCache()
        self._lock = asyncio.Lock()
        self.dialogs = DialogDesk(self)

    @property
    def url(self) -> str:
        """The address that the browser committed last."""
        return self.tab.url

    @property
    def title(self) -> str:
        """The document's title."""
        return self.tab.title

    def __repr__(self) -> str:
        return f"<PageDriver {self.url}>"

    async def snapshot(self, engine: str = "dom", *, timeout: float | None = None) -> Snapshot:
        """Read the page now."""
        held = self.snapshots.held(engine)
        data = await self.run("snapshot", self.snapshots.wanted(engine), timeout=timeout)
        return self._seen(data, held, engine)

    def _seen(self, data: Any, held: Mapping[str, DocumentSnapshot], engine: str = "dom") -> Snapshot:
        """Take in a snapshot's data."""
        snapshot = self.snapshots.take(self.browser.gateway.without_forbidden(data), held, engine)
        self.latest = snapshot
        self.moved_to(snapshot.url, snapshot.title)
        if hooks.snapshot_taken is not None:
            hooks.snapshot_taken(self, snapshot)
        return snapshot

    async def run(
        self,
        command: str,
        params: dict[str, Any] | None = None,
        *,
        target: Resolved | None = None,
        actor: Actor = "person",
        call: Call | None = None,
        run: str | None = None,
        timeout: float | None = None,
        observe: dict[str, Any] | None = None,
    ) -> Any:
        """Send one command of this page through the gateway; `params` as the wire has them.

        `call` is what the policy judges, where that was prepared already; `observe` asks for a snapshot that comes
        with an action's result.
        """
        if self.closed:
            raise PageClosed(f"the page was closed ({self.closed})", url=self.url)
        call = call or call_of(self, command, params or {}, target=target, actor=actor)
        describe = target.describe() if target else None
        send = partial(
            self.browser.gateway.run, call, params or {}, tab=self.tab.id, target=describe, run=run, timeout=timeout,
            observe=observe,
        )  # fmt: skip
        try:
            return await send()
        except DialogBlocked:
            # What only looks may look again once a rule has answered.
            if call.effect is not Effect.READ or await self.dialogs.settled() is None:
                raise
            return await send()
        except OriginChanged as error:
            return await self._elsewhere(error, command, params or {}, call, target, run=run, timeout=timeout)
        except UnknownRef as error:
            if target is None:
                raise
            # The kernel has seen this ref, so its document is another one by now.
            raise StaleRef(f"{target.ref} belongs to a document that is gone", **error.data) from None

    async def _elsewhere(
        self,
        error: OriginChanged,
        command: str,
        params: dict[str, Any],
        call: Call,
        target: Resolved | None,
        **options: Any,
    ) -> Any:
        """The page left by itself: a reading without a target is judged anew, all else is refused."""
        if not error.data.get("main"):
            raise error
        self.moved_to(str(error.data.get("url", "")), self.title)
        if target is not None:
            raise StaleRef(f"{target.ref} belongs to a document that is gone", **error.data) from None
        if call.effect is not Effect.READ:
            raise error
        again = replace(call, url=self.url)
        return await self.browser.gateway.run(again, params, tab=self.tab.id, **options)

    async def resolve(self, target: Target, *, timeout: float = FIND_SECONDS) -> Resolved:
        """Find a target on the page.

        A role selector is looked for on a fresh snapshot, again after every change until it matches.

        Raises
        ------
        UnknownRef, StaleRef, NoMatch, AmbiguousMatch, SelectorSyntaxError.
        """
        ref = ref_of(target, self, self.snapshots.documents)
        if ref is not None:
            self.snapshots.check(ref, self.url)
            return Resolved(ref, node_of(self.latest, ref))
        selector = str(target)
        deadline = time.monotonic() + timeout
        while True:
            snapshot = await self.snapshot()
            try:
                node = await find_target(self, selector, snapshot)
            except NoMatch:
                if not await self.changed_since(snapshot, deadline - time.monotonic()):
                    raise
                continue
            if isinstance(node, Resolved):
                return node
            if node.ref is None:
                raise InvalidParams(
                    f"{selector!r} matches plain text", hint="name the element that contains it"
                )
            return Resolved(node.ref, node)

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
        **params: Any,
    ) -> ActionResult:
        """Do something on the page and see what it changed. One action at a time.

        Parameters
        ----------
        command : the command's name.
        target, drop_on : what to act on, and what to drop it on.
        actor : who wants it, for the policy.
        approval : the token of a person's approval; it is used up, whatever comes of it.
        run : the agent run's or replay's id, for the journal.
        timeout : seconds the command may take.
        params : the command's other parameters.
        """
        once = partial(self._act, command, target, params, drop_on, actor, approval, run, timeout)
        try:
            return await once()
        except (StaleRef, NotActionable) as error:
            if approval is not None or not was_remounted(error, command, target):
                raise
            return await once()

    async def _act(
        self, command: str, target: Target | None, params: dict[str, Any], drop_on: Target | None, actor: Actor,
        approval: str | None, run: str | None, timeout: float | None,
    ) -> ActionResult:  # fmt: skip
        async with self._turn():
            started = time.perf_counter()
            gateway = self.browser.gateway
            ready = await prepare(
                self, command, target, params, drop_on=drop_on, actor=actor, asked=approval is not None
            )
            resolved, call = ready.target, ready.call
            own_names = COMMANDS[command].local_fields
            own = {name: value for name, value in ready.wire.items() if name in own_names}
            wire = {name: value for name, value in ready.wire.items() if name not in own_names}
            if approval is not None:
                call = gateway.redeem(approval, call, ready.binding)
            before = self.latest or (await self._peek() if not COMMANDS[command].under_dialog else None)
            if resolved and resolved.node is None:
                resolved = Resolved(resolved.ref, node_of(before, resolved.ref))
                node = resolved.node
                if node is not None and not call.label:
                    call = replace(call, role=node.role, label=node.name)
            options: dict[str, Any] = {"actor": actor, "run": run, "timeout": timeout}
            held = self.snapshots.document_snapshots
            doing = execute(self, command, resolved, wire, own, call, options)
            data = await self._answered(command, doing)
            observation = data.pop("observation", None)
            elapsed = (time.perf_counter() - started) * 1000
            result = result_of(command, data, resolved.node if resolved else None, elapsed, call.effect.value)
            self.moved_to(result.url, str(result.data.get("title", self.title)))
            if actor == "person" and wire.get("url"):
                self.browser.gateway.policy.allow_landing(wire["url"], result.url)
            after = None
            if observation and before is not None and not (result.dialog or result.navigated):
                after = self._seen(observation, held)
            seen = await self._observe(result, before, after)
            log_step(self, seen, before, actor)
            return seen

    async def _answered(self, command: str, doing: Awaitable[Any]) -> Any:
        """An action's outcome, once dialogs on its way that a rule answers are answered."""
        try:
            data = await doing
        except DialogBlocked:
            answer = await self.dialogs.settled()
            if answer is None or not COMMANDS[command].navigates:
                raise
            # The dialog held up a navigation, which went on, or was called off, with the answer.
            await self.run("wait_for", {"load": True})
            title = await self.run("get", {"what": "title"})
            url = await self.run("get", {"what": "url"})
            return {"url": url["value"], "title": title["value"], "elapsed_ms": answer["elapsed_ms"]}
        answer = await self.dialogs.settled()
        if answer is None or not data.get("dialog"):
            return data
        also = {name: data[name] or answer[name] for name in ("changed", "navigated")}
        return {
            **data,
            **also,
            "answered": True,
            "url": answer["url"],
            "opened_tabs": data["opened_tabs"] + answer["opened_tabs"],
        }

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """One action at a time, which is stopped as a whole."""
        with self.browser.gateway.stopping.operation():
            async with self._lock:
                yield

    async def _observe(
        self, result: ActionResult, before: Snapshot | None, after: Snapshot | None
    ) -> ActionResult:
        held = result.dialog is not None and not result.data.get("answered")
        if held or before is None or self.closed:
            return result
        after = after or await self._peek()
        if after is None:
            return result
        diff = after.diff(before)
        return replace(result, diff=diff, changed=result.changed or not diff.empty)

    async def _peek(self) -> Snapshot | None:
        """A snapshot, or None where the page can't be read at the moment (closed, blocked, not a web page)."""
        try:
            return await self.snapshot()
        except SkillbookError as error:
            if error.code in UNREADABLE:
                return None
            raise

    async def read(self, command: str, target: Target | None = None, **params: Any) -> Any:
        """Run a reading command and return its result's data."""
        resolved = await self.resolve(target) if target is not None else None
        wire = {**params, "ref": resolved.ref} if resolved else params
        return await self.run(command, wire, target=resolved)

    async def wait_for(self, *, timeout: float | None = None, **conditions: Any) -> Snapshot | None:
        """Wait for exactly one condition; see `skillbook.session.actions.waiting.wait_for`."""
        return await wait_for(self, conditions, timeout)

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""
        return await changed_since(self, snapshot, seconds)

    async def count(self, target: Target | None) -> int:
        """How many nodes a role selector matches now."""
        if not isinstance(target, str):
            raise InvalidParams("only a role selector's matches can be counted", hint='such as "listitem"')
        return len((await self.snapshot()).find_all(target))

    async def perform(self, command: str, args: Mapping[str, Any], **options: Any) -> Any:
        """Run any command of the registry with the arguments of its `call_model`.

        Parameters
        ----------
        command : its name; commands on the browser work on this page's tab.
        args : `target` and `to` as refs or role selectors, the rest as the wire has it.
        options : `actor`, `approval`, `run`, `timeout` for actions; see `act`.

        Returns
        -------
        An `ActionResult` for actions, a `Snapshot` for "snapshot", else the result's data.
        """
        target, drop_on, values = split_call(command, args)
        if drop_on is not None:
            options["drop_on"] = drop_on
        if command == "snapshot":
            return await self.snapshot(values.get("engine", "dom"))
        if command == "wait_for":
            return await self.wait_for(timeout=options.get("timeout"), **values)
        if command in ACTIONS:
            return await self.act(command, target, **options, **values)
        return await self.read(command, target, **values)

    async def evaluate(self, expression: str, target: Target | None = None) -> Any:
        """Run JavaScript in the page; `EvaluateRefused` where that wasn't allowed."""
        if not self.browser.allow_evaluate:
            raise EvaluateRefused("evaluate isn't allowed in this browser")
        return await self.read("evaluate", target, expression=expression)

    async def highlight(self, targets: Sequence[Target]) -> None:
        """Outline elements on the screen; none clears."""
        refs = [(await self.resolve(target)).ref for target in targets]
        await self.run("highlight", {"refs": refs})

    def known(self, target: str) -> Node:
        """The node of a target in the last snapshot, without asking the page; raises what `known_node` does."""
        if is_ref(target) and self.latest is not None:
            self.snapshots.check(target, self.url)
        return known_node(self.latest, target)

    async def describe(self, target: Target) -> DescribeResult:
        """An element's form and a CSS selector for it."""
        return DescribeResult.model_validate(await self.read("describe", target))

    def updated(self, tab: Tab) -> None:
        """The extension reported the tab's state."""
        self.tab = tab

    def moved_to(self, url: str, title: str) -> None:
        if (url, title) != (self.tab.url, self.tab.title):
            self.tab = self.tab.model_copy(update={"url": url, "title": title})
