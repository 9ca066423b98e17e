"""A browser and its pages as the I/O thread sees them: the connection, the shared tabs, what is done on each."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from skillbook.bridge.server import BridgeServer
from skillbook.bridge.status import BridgeStatus
from skillbook.config import Settings
from skillbook.errors import (
    DialogBlocked,
    EvaluateRefused,
    InvalidParams,
    NotActionable,
    PageClosed,
    PageUnreachable,
    SkillbookError,
    StaleRef,
)
from skillbook.hooks import hooks
from skillbook.journal import Journal
from skillbook.launcher.process import ChromiumProcess
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.policy import Call, Policy, RuleBook, SecretStore
from skillbook.policy.rules import Actor
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands import ACTIONS, Effect
from skillbook.protocol.commands.act import PickResult
from skillbook.protocol.commands.read import DescribeResult
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.envelopes import Event
from skillbook.protocol.events import (
    EVENTS,
    DialogOpened,
    ExchangeRecorded,
    Gesture,
    RequestWanted,
    Stop,
    TabClosed,
    TabOpened,
    TabUpdated,
)
from skillbook.protocol.refs import is_ref, make_ref
from skillbook.session.action import PreparedAction, Resolved
from skillbook.session.actions.compound_actions import execute
from skillbook.session.actions.prepare import prepare, split_call
from skillbook.session.actions.result import ActionResult, result_of
from skillbook.session.actions.step_log import log_step
from skillbook.session.actions.targets import Target, known_node, resolve, was_remounted
from skillbook.session.actions.waiting import wait_for
from skillbook.session.gateway import Gateway
from skillbook.session.page.filled_fields import lost_upload
from skillbook.session.page.held_requests import RequestEvent
from skillbook.session.page.page_reader import BaseBrowser, PageReader
from skillbook.session.page.pointed_at import pointed_at
from skillbook.session.page.taped_tabs import TapedTabs

_log = logging.getLogger("skillbook.session")


@dataclass
class Done:
    """Something that a Python call did on a page.

    Parameters
    ----------
    command, params : what, as the wire has it; or `extract` with its arguments, or `run_skill` with name and inputs.
    result : what came of an action.
    before : the page before it.
    failed : whether it came to nothing, as only what is recorded as one can.
    columns : of an extraction: those of its frame.
    """

    command: str
    params: Mapping[str, Any]
    result: ActionResult | None
    before: Snapshot | None
    failed: bool = False
    columns: Sequence[str] = ()


class PageDriver(PageReader):
    """One shared tab with everything that can be done on it.

    Everything above the session (agents, skills, extraction) works on drivers; `Page` in both twins is their facade.

    Parameters
    ----------
    browser : the driver of its browser.
    tab : the tab as the extension reported it.

    Attributes
    ----------
    shared_by : who opened it, "kernel" or "page"; "user" where it was shared by hand, or that isn't known.
    on_gesture : called with what a person does in the tab, while that is recorded.
    on_done : called with what Python calls do on the page, while those are recorded.
    """

    browser: BrowserDriver

    def __init__(self, browser: BrowserDriver, tab: Tab) -> None:
        super().__init__(browser, tab)
        self.shared_by = "user"
        self.on_gesture: Callable[[Gesture], None] | None = None
        self.on_done: Callable[[Done], None] | None = None
        self._wholes: list[str] = []
        self._lock = asyncio.Lock()

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
        given_files : files that the person gave an agent or a skill to upload.
        params : the command's other parameters.
        """
        again = approval is None
        if actor == "person":
            # Before the turn, which an agent's action may have that waits for a decision.
            await self.requests.let_go()
        while True:
            try:
                async with self._turn():
                    started = time.perf_counter()
                    action = await prepare(
                        self, command, target, params, drop_on=drop_on, actor=actor, approval=approval, run=run,
                        timeout=timeout, given_files=given_files,
                    )  # fmt: skip
                    return await self._do(action, started)
            except (StaleRef, NotActionable) as error:
                if not again or not was_remounted(error, command, target):
                    raise
                again = False

    async def do_judged(self, action: PreparedAction) -> ActionResult:
        """Do an action that was judged as part of another one."""
        async with self._turn():
            return await self._do(action.approved(), time.perf_counter())

    async def _do(self, action: PreparedAction, started: float) -> ActionResult:
        """Do a prepared action; the result says what changed since before it."""
        spec, call = action.call.spec, action.call
        if (
            self.filled.held
            and call.effect is not Effect.READ
            and not (spec.under_dialog or spec.only_prepares)
        ):
            self.filled.require_kept(action, await self.snapshot_if_readable())
        before = self.latest or (None if spec.under_dialog else await self.snapshot_if_readable())
        known = self.snapshots.document_snapshots
        await self.requests.before_action(action)
        data = await self._with_dialogs_answered(execute(self, action), navigates=spec.navigates)
        data = await self._with_requests_decided(data, before, navigates=spec.navigates)
        observation = data.pop("observation", None)
        if call.effect is not Effect.READ and not data.get("dialog") and not self.closed:
            # What the page shows by now counts, not what it showed when the action was done.
            observation = None if await self._settle_taped() else observation
        elapsed = (time.perf_counter() - started) * 1000
        node = action.target.node if action.target else None
        result = result_of(action.command, data, node, elapsed, call.effect.value)
        self.moved_to(result.url, str(result.data.get("title", self.title)))
        if call.actor == "person" and call.destination:
            self.browser.gateway.policy.allow_landing(call.destination, result.url)
        after = None
        if observation and before is not None and not (result.dialog or result.navigated):
            after = self.take_in(observation, known)
        seen = await self._with_changes(result, before, after)
        now = self.latest if seen.diff is not None else None
        lost = lost_upload(action, now, shows_nothing=seen.diff is not None and seen.diff.empty)
        seen = replace(seen, notes=(*self.filled.changed_by_page(action, now), *lost))
        log_step(self, seen, before, call.actor)
        if self.on_done is not None and call.actor in {"person", "replay"} and not self._wholes:
            self.on_done(Done(action.command, {**action.wire, **action.local}, seen, before))
        return seen

    async def _settle_taped(self) -> bool:
        """Where a cassette runs, wait for what the action requested, decided on by a person or not."""
        if not await self.browser.taped.settle(self.tab.id):
            return False
        if self.requests.undecided:
            await self.requests.decided()
            await self.browser.taped.settle(self.tab.id)
        return True

    @property
    def within_one(self) -> str:
        """What is recorded as one thing and done now; "" where each is recorded by itself."""
        return self._wholes[0] if self._wholes else ""

    @contextmanager
    def as_one(self, command: str, params: Mapping[str, Any]) -> Iterator[Done]:
        """Record what is done meanwhile as one thing, such as an extraction that turns pages.

        Gives what is recorded, to say of it that it failed; an error says so, too.
        """
        done = Done(command, params, None, self.latest)
        self._wholes.append(command)
        try:
            yield done
        except BaseException:
            done.failed = True
            raise
        finally:
            self._wholes.pop()
            if self.on_done is not None and not self._wholes:
                self.on_done(done)

    async def record(self, on: bool, text: str) -> None:
        """Have the tab report what a person does in it, or no more; the page shows the text."""
        await self.run("record", {"on": on, "text": text[:200]})

    async def pick(self, text: str, *, timeout: float) -> Node | None:
        """Let a person point at an element in the page itself; what they press there doesn't reach the page.

        Parameters
        ----------
        text: what the page shows meanwhile.
        timeout: seconds that they have.

        Returns
        -------
        The element, in the page's latest snapshot; None where they pressed Escape.

        Raises
        ------
        CommandTimeout: they pointed at nothing in time. StaleRef: what they pointed at has gone since.
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

    async def _with_dialogs_answered(self, doing: Awaitable[Any], *, navigates: bool) -> Any:
        """An action's outcome, once dialogs on its way that a rule answers are answered."""
        try:
            data = await doing
        except DialogBlocked:
            answer = await self.dialogs.settled()
            if answer is None or not navigates:
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

    async def _with_requests_decided(
        self, data: dict[str, Any], before: Snapshot | None, *, navigates: bool
    ) -> dict[str, Any]:
        """An action's outcome, once the requests that it caused are decided on."""
        await self.requests.after_action()
        if not data.pop("awaits_decision", False) or self.closed:
            return data
        await self.run("wait_for", {"load": True})
        url = (await self.run("get", {"what": "url"}))["value"]
        if navigates:
            return {**data, "url": url, "title": (await self.run("get", {"what": "title"}))["value"]}
        data["busy"] = False
        after = await self.snapshot_if_readable()
        navigated = before is not None and after is not None and after.main.key != before.main.key
        return {**data, "url": url, "navigated": navigated, "changed": data["changed"] or navigated}

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """One action at a time, which is stopped as a whole."""
        with self.browser.gateway.stopping.operation():
            async with self._lock:
                yield

    async def _with_changes(
        self, result: ActionResult, before: Snapshot | None, after: Snapshot | None
    ) -> ActionResult:
        """The result with what differs between the snapshots before and after."""
        blocked = result.dialog is not None and not result.data.get("answered")
        if blocked or before is None or self.closed:
            return result
        after = after or await self.snapshot_if_readable()
        if after is None:
            return result
        diff = after.diff(before)
        return replace(result, diff=diff, changed=result.changed or not diff.empty)

    async def read(self, command: str, target: Target | None = None, **params: Any) -> Any:
        """Run a reading command and return its result's data."""
        resolved = await self.resolve(target) if target is not None else None
        wire = {**params, "ref": resolved.ref} if resolved else params
        return await self.run(command, wire, target=resolved)

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
        if await self.browser.taped.settle(self.tab.id) and found is not None:
            found = await self.snapshot()
        if self.on_done is not None and actor == "person" and not self._wholes:
            self.on_done(Done("wait_for", conditions, None, self.latest))
        return found

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
        options : `actor`, `approval`, `run`, `timeout`, `given_files` for actions; see `act`.

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
            options.pop("given_files", None)
            return await self.wait_for(**options, **values)
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
        """The node of a target in the last snapshot, without a query to the page; raises what `known_node` does."""
        if is_ref(target) and self.latest is not None:
            self.snapshots.check(target, self.url)
        return known_node(self.latest, target)

    async def describe(self, target: Target) -> DescribeResult:
        """An element's form and a CSS selector for it."""
        return DescribeResult.model_validate(await self.read("describe", target))


PageListener = Callable[[PageDriver, str], None]


class BrowserDriver(BaseBrowser):
    """A paired extension.

    Parameters
    ----------
    server : the bridge, started.
    settings : the settings in force.
    policy, journal, secrets : what the gateway works with.
    process : the Chromium that we started, if we did.
    allow_evaluate : whether JavaScript may be run in pages.
    """

    def __init__(
        self,
        server: BridgeServer,
        settings: Settings,
        policy: Policy,
        journal: Journal,
        secrets: SecretStore,
        process: ChromiumProcess | None = None,
        allow_evaluate: bool = False,
    ) -> None:
        from skillbook.policy.robots import Robots

        robots = Robots() if settings.robots else None
        rules = RuleBook(settings.home / "rules.json")
        gateway = Gateway(server, policy, journal, secrets, rules, robots)
        super().__init__(gateway, settings, allow_evaluate)
        self.server = server
        self.process = process
        self.journal = journal
        self.taped = TapedTabs(server)
        self.pages: dict[int, PageDriver] = {}
        self.listeners: list[PageListener] = []
        self._closed = False
        self._front: int | None = None
        self._refreshing: asyncio.Task[object] | None = None
        server.on_event(self._on_event)
        server.on_status(self._on_status)

    @property
    def active(self) -> PageDriver | None:
        """The page in front, else the one opened last."""
        pages = list(self.pages.values())
        in_front = [page for page in pages if page.tab.active]
        # Each window has a tab in front: then the one that came there last.
        in_front.sort(key=lambda page: page.tab.id == self._front)
        found = in_front or pages
        return found[-1] if found else None

    @property
    def has_window(self) -> bool:
        """Whether there is a window that a person can use: in every browser but those that were started without."""
        return self.process is None or not self.process.headless

    def page(self, tab: int) -> PageDriver:
        """The page of a tab.

        Raises
        ------
        PageClosed : there is no such shared tab.
        """
        if tab not in self.pages:
            raise PageClosed(f"there is no shared tab {tab}", hint="see browser.pages")
        return self.pages[tab]

    async def open(
        self, url: str, *, wait: str = "load", active: bool = True, timeout: float | None = None
    ) -> PageDriver:
        """Open a URL in a new tab of this kernel's tab group."""
        wanted = screen_url(url)
        action = PreparedAction(
            Call("tabs_open", destination=wanted),
            {"url": wanted, "wait": wait, "active": active, **self.taped.mode()},
            timeout=timeout or self.settings.command_timeout,
        )
        try:
            data = await self.gateway.run(action)
        except PageUnreachable as error:
            raise self.taped.explain(wanted, error) from None
        page = self._adopt(Tab.model_validate(data["tab"]))
        page.shared_by = "kernel"
        self.taped.add(page.tab.id)
        await self.taped.settle(page.tab.id)
        self.gateway.policy.allow_landing(wanted, page.url)
        return page

    async def refresh_tabs(self) -> list[PageDriver]:
        """Query the extension for the shared tabs."""
        data = await self.gateway.run(PreparedAction(Call("tabs_list")))
        tabs = [Tab.model_validate(tab) for tab in data["tabs"]]
        for tab in tabs:
            self._adopt(tab)
        for gone in self.pages.keys() - {tab.id for tab in tabs}:
            self._drop(gone, "closed")
        return list(self.pages.values())

    async def close_page(self, page: PageDriver, *, actor: Actor = "person", run: str | None = None) -> None:
        """Close a page's tab."""
        await page.run("tabs_close", actor=actor, run=run)
        self._drop(page.tab.id, "closed")

    async def switch_to(self, page: PageDriver) -> None:
        """Bring a page's tab to the front."""
        data = await page.run("tabs_switch")
        for other in self.pages.values():
            other.updated(other.tab.model_copy(update={"active": other is page}))
        page.updated(Tab.model_validate(data["tab"]))

    async def stop(self) -> int:
        """Stop what is under way: commands, replays, runs; returns how many commands were cut short."""
        return self.gateway.stopping.stop()

    async def unpair(self) -> None:
        """Revoke the pairing: the extension forgets the token and takes its tabs back."""
        if self.process is not None:
            raise InvalidParams("this browser was launched here", hint="browser.close() ends it")
        for tab in list(self.pages):
            self._drop(tab, "unpaired")
        await self.server.unpair()

    async def pair(self, *, wait: bool, timeout: float | None) -> None:
        """Show a new pairing link."""
        hooks.pair_link(self.server.pairing_link(), self.server.kernel.name)
        if wait:
            await self.server.connected(timeout or 10 * self.settings.connect_timeout)

    async def close(self) -> None:
        """Stop what is under way, say goodbye to the extension, end a browser that we started, close the journal."""
        if self._closed:
            return
        self._closed = True
        self.gateway.stopping.stop()
        for tab in list(self.pages):
            self._drop(tab, "browser closed")
        await self.server.close()
        if self.process is not None:
            await asyncio.to_thread(self.process.terminate)
        self.journal.close()

    def _adopt(self, tab: Tab) -> PageDriver:
        page = self.pages.get(tab.id)
        if tab.active and not (page and page.tab.active):
            self._front = tab.id
        if page is None:
            page = self.pages[tab.id] = PageDriver(self, tab)
            self._announce(page, "opened")
        page.updated(tab)
        return page

    def _drop(self, tab: int, reason: str) -> None:
        page = self.pages.pop(tab, None)
        if page is not None:
            page.closed = reason
            self._announce(page, "closed")

    def _announce(self, page: PageDriver, what: str) -> None:
        for listener in list(self.listeners):
            listener(page, what)

    def _on_event(self, event: Event) -> None:
        model = EVENTS.get(event.event)
        if model is None:
            return
        # What a held request carries is compared with the secrets; all else shows none.
        masked = (
            event.data
            if issubclass(model, RequestEvent | RequestWanted | ExchangeRecorded)
            else self.gateway.secrets.redact_data(event.data)
        )
        data: Any = model.model_validate(masked)
        if isinstance(data, TabOpened | TabUpdated):
            page = self._adopt(data.tab)
            if isinstance(data, TabOpened):
                page.shared_by = data.shared_by
                if (opener := self.pages.get(data.opener or -1)) is not None:
                    page.requests.follow(opener.requests)
                    self.taped.add(data.tab.id, opener.tab.id)
                if data.shared_by == "user":
                    self._trust(page)
            self._announce(page, "updated")
        elif isinstance(data, TabClosed) and event.tab is not None:
            self._drop(event.tab, data.reason)
        elif isinstance(data, DialogOpened) and event.tab in self.pages:
            self.pages[event.tab].dialogs.opened(data)
        elif isinstance(data, Gesture) and event.tab in self.pages:
            if (listener := self.pages[event.tab].on_gesture) is not None:
                listener(data)
        elif isinstance(data, RequestEvent) and event.tab in self.pages:
            self.pages[event.tab].requests.take(data)
        elif isinstance(data, RequestWanted | ExchangeRecorded) and event.tab is not None:
            self.taped.take(event.tab, data)
        elif isinstance(data, Stop):
            self.gateway.stopping.stop()

    def _on_status(self, status: BridgeStatus) -> None:
        """After a connection that forgot or missed something, request the list of tabs again."""
        if status.state != "connected":
            for page in self.pages.values():
                page.requests.lost()
        if status.state == "connected" and self.pages and (not status.resumed or status.missed_events):
            self._refreshing = asyncio.ensure_future(self._refresh_quietly())

    async def _refresh_quietly(self) -> None:
        try:
            await self.refresh_tabs()
        except SkillbookError as error:
            _log.warning("the tabs could not be listed after a reconnect: %s", error)

    def _trust(self, page: PageDriver) -> None:
        """The user shared this tab by hand: that allows its origin."""
        self.gateway.policy.allow_landing(page.url, page.url)

    def __repr__(self) -> str:
        return f"<BrowserDriver {self.server.status.state}, {len(self.pages)} pages>"


def require_driver(thing: Any) -> PageDriver:
    """The driver of a Page of either twin, or the driver itself.

    Raises
    ------
    InvalidParams : it is no page.
    """
    driver = getattr(thing, "driver", thing)
    if not isinstance(driver, PageDriver):
        raise InvalidParams(f"{thing!r} isn't a page", hint="give what browser.open(url) returns")
    return driver
