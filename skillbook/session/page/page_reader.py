"""One shared tab below its actions: its commands through the gateway, and its snapshots."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from skillbook.config import Settings
from skillbook.errors import (
    CommandTimeout,
    DialogBlocked,
    OriginChanged,
    PageClosed,
    PageNavigated,
    SelectorSyntaxError,
    SkillbookError,
    StaleRef,
    UnknownRef,
)
from skillbook.hooks import hooks
from skillbook.limits import MOMENT_SECONDS, PEER_SECONDS
from skillbook.perception.collections.collection_search import partial_lists
from skillbook.perception.nodes import DocumentSnapshot, Node
from skillbook.perception.selectors import Selector, looked_for
from skillbook.perception.site_hints import SiteHints
from skillbook.perception.snapshot import Snapshot
from skillbook.policy import Call
from skillbook.policy.effects import key_of
from skillbook.policy.labels import danger_of_name
from skillbook.policy.rules import Actor
from skillbook.protocol.commands import ACTIONS, COMMANDS, Effect
from skillbook.protocol.commands.page_tools import PageTool, PageToolsResult
from skillbook.protocol.commands.read import DescribeResult
from skillbook.protocol.commands.tabs import Tab
from skillbook.session.action import ActionOptions, PreparedAction, Resolved, seconds_left
from skillbook.session.devices import PageEmulation
from skillbook.session.gateway import Gateway
from skillbook.session.page.act_requests import ActLog
from skillbook.session.page.dialogs import DialogRule, PageDialogs
from skillbook.session.page.filled_fields import FilledFields
from skillbook.session.page.held_requests import PageRequests
from skillbook.session.page.network_driver import CassetteTabs, PageNetwork
from skillbook.session.page.page_rest import UNKNOWN, UNREADABLE, Need, PageRest, Settled
from skillbook.session.page.seen_page import (
    Around,
    ShownControls,
    SnapshotCache,
    document_key,
    frame_url,
    node_of,
)

if TYPE_CHECKING:
    from skillbook.perception.summary import PageSummary

_MOST_NODES = 100_000  # of tables in one message, which browsers limit


class FoundParts(NamedTuple):
    """Some elements of a page, what is around them, and what was read of one of them."""

    part: Snapshot
    around: Around | None
    fact: Mapping[str, Any] | None


UNSHARED = "unshared"
"""Why a tab is gone that is still there, but not for this kernel."""


class BaseBrowser:
    """What all pages of one browser have in common.

    gateway: what every command passes.
    allow_evaluate: whether JavaScript may be run in pages.
    dialog_rule: how dialogs are answered on pages without a rule of their own.
    cassettes: which tabs a cassette records or answers for.
    observed: what is wanted of every action of its pages, see `checked_observe`.
    """

    cassettes: CassetteTabs

    def __init__(self, gateway: Gateway, settings: Settings, allow_evaluate: bool) -> None:
        self.gateway = gateway
        self.settings = settings
        self.allow_evaluate = allow_evaluate
        self.page_tools = False
        self.observed: frozenset[str] = frozenset()
        self.dialog_rule: DialogRule = "ask"

    def requests_of(self, tab: int) -> PageRequests | None:
        """The paused requests of a shared tab."""
        return None

    def hints_for(self, url: str) -> SiteHints | None:
        """What a person knows of the site of an address, if that is switched on."""
        hints: SiteHints | None = hooks.site_hints(url, self.settings.home)
        return hints

    async def crawl_delay(self, url: str) -> float:
        """Seconds from one page of a site to the next, as its robots.txt asks for, or a person's hints do."""
        hints, robots = self.hints_for(url), self.gateway.robots
        delay = await robots.crawl_delay(url) if robots is not None else 0.0
        return max(delay, hints.crawl_delay if hints is not None else 0.0)


class PageReader:
    """One shared tab.

    browser: what its pages share.
    tab: the tab as the extension reported it.
    latest: the last snapshot; None before the first.
    untouched: whether nobody has acted in its document since it was opened or loaded by a call.
    acts: what became of the requests of each.
    filled_last: whether the last of them filled in a field, and did no more.
    rest: whether what the last of them caused is over.
    read_after: how many had been done when `latest` was read.
    closed: why the tab is gone; None while it is there.
    observed: what is wanted of every action, see `checked_observe`.
    shared_by: who opened it, "kernel" or "page"; "user" where it was shared by hand, or that isn't known.
    tabs_before: the tabs that there were before the last action on it that may have opened one.
    """

    def __init__(self, browser: BaseBrowser, tab: Tab) -> None:
        self.browser = browser
        self.tab = tab
        self.latest: Snapshot | None = None
        self.actions = 0
        self.untouched = False
        self.filled_last = False
        self.read_after = 0
        self._read_at = 0.0
        self.closed: str | None = None
        self.shared_by = "user"
        self.opener: int | None = None
        self.tabs_before: frozenset[int] = frozenset()
        self.observed: frozenset[str] = frozenset()
        self.snapshots = SnapshotCache()
        self.dialogs = PageDialogs(self._answer_dialog, lambda: browser.dialog_rule)
        self.network = PageNetwork(self, browser.gateway, browser.settings.network_bytes)
        self.acts = ActLog(self.network.shown_url)
        self.requests = PageRequests(browser.gateway, tab.id, self.acts, browser.requests_of)
        self.emulation = PageEmulation(self)
        self.filled = FilledFields()
        self.rest = PageRest(self._ask_whether_settled, lambda: self.url)
        self.shown = ShownControls()
        self._tools: tuple[PageTool, ...] = ()
        self.silent_frames: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The address that the browser committed last."""
        return self.tab.url

    @property
    def title(self) -> str:
        """The document's title."""
        return self.tab.title

    def observe(self, wanted: frozenset[str]) -> None:
        """Have so much with every action from now on."""
        self.observed |= wanted
        if "network" in wanted:
            self.network.begin_soon()

    def forget_acts(self) -> None:
        """The tab isn't shared any more: what was done in it isn't kept."""

    def person_acted(self) -> None:
        """A person's own input was seen in the tab."""
        self.untouched = False
        self.requests.person_acted()

    def updated(self, tab: Tab) -> None:
        """The extension reported the tab's state."""
        self.tab = tab

    def moved_to(self, url: str, title: str) -> None:
        """An answer said where the tab is now."""
        if (url, title) != (self.tab.url, self.tab.title):
            self.tab = self.tab.model_copy(update={"url": url, "title": title})

    async def snapshot(
        self,
        engine: str = "dom",
        *,
        timeout: float | None = None,
        elements: Mapping[str, Sequence[str]] | None = None,
    ) -> Snapshot:
        """Read the page now; where its document goes away meanwhile, the next one.

        elements: what the page is to look for meanwhile, see `snapshot_for`.
        """
        try:
            known, data = await self._read(engine, timeout, elements)
        except PageNavigated:
            known, data = await self._read(engine, timeout, elements)
        if self.browser.page_tools:
            await self.list_tools()
        snapshot = self.take_in(data, known, engine)
        self._read_at = time.monotonic()
        return snapshot

    def just_read(self, selectors: Iterable[str]) -> Snapshot | None:
        """What an act found a moment ago, for who looks next for what some selectors name; None where that was used."""
        read_at, self._read_at = self._read_at, 0.0
        is_new = self.read_after == self.actions and time.monotonic() - read_at < MOMENT_SECONDS
        return self.latest if is_new and not looked_for(selectors, texts=False) else None

    async def _read(
        self, engine: str, timeout: float | None, elements: Mapping[str, Sequence[str]] | None = None
    ) -> tuple[Mapping[str, DocumentSnapshot], dict[str, Any]]:
        known, hints = self.snapshots.known(engine), self.browser.hints_for(self.url)
        self.snapshots.css = looked_for(hints.selectors).get("css", []) if hints is not None else ()
        wanted = self.snapshots.wanted(engine)
        if elements:
            css = [*elements.get("css", ()), *self.snapshots.css]
            wanted["elements"] = {**elements, "css": css}
        return known, await self.run("snapshot", wanted, timeout=timeout)

    async def snapshot_for(
        self, *selectors: str | Selector, texts: bool = True, timeout: float | None = None
    ) -> Snapshot:
        """Read the page now, in a snapshot that answers selectors as the page does.

        CSS is what `querySelectorAll` gives, and a text is that of the innermost element: a snapshot leaves many such
        elements out. If it does, another one has them, which is the latest for nobody else.

        Raises SelectorSyntaxError: the page takes a selector for no CSS.
        """
        elements = looked_for(selectors, texts=texts)
        snapshot = await self.snapshot(timeout=timeout, elements=elements)
        for css in elements.get("css", ()):
            if snapshot.engine == "dom" and css not in snapshot.css:
                raise SelectorSyntaxError(
                    f"{css!r} is no CSS selector, or tests a secret field's value", selector=css
                )
        if not (elements and snapshot.unkept):
            return snapshot
        wanted = {**self.snapshots.wanted(), "known": {}, "elements": {**elements, "keep": True}}
        data = await self.run("snapshot", wanted, timeout=timeout)
        found = self.snapshots.take_part(self.browser.gateway.without_forbidden(data))
        return found if snapshot.hints is None else found.with_hints(snapshot.hints)

    async def list_tools(self) -> tuple[PageTool, ...]:
        """The tools that the page declares; none where the browser has none, or can't say."""
        try:
            found = PageToolsResult.model_validate(await self.run("page_tools"))
        except SkillbookError as error:
            if error.code not in UNREADABLE:
                raise
            found = PageToolsResult(supported=False, tools=[])
        self._tools, self.silent_frames = tuple(found.tools), tuple(found.silent)
        return self._tools

    def danger_of_tool(self, name: str, frame: str = "") -> str:
        """Why a call of the page's own tool can't be undone, by its name or what the page says; empty where it can."""
        says = any(tool.consequential for tool in self._tools if (tool.name, tool.frame) == (name, frame))
        return danger_of_name(name) or ("declared" if says else "")

    async def snapshot_in_part(self, first: int, rows: int) -> Snapshot:
        """Read the page now, but of tables that have more rows than so many only those from `first` on."""
        known = self.snapshots.known("dom")
        # Rows of later parts are known from those of the first by their numbers.
        part = {"first": first, "count": rows, "nodes": _MOST_NODES, "plain": not first}
        wanted = {**self.snapshots.wanted(), "rows": part}
        self._read_at = 0.0
        # Chromium may need long to lay out a table of very many rows for the first time.
        data = await self.run("snapshot", wanted, timeout=max(self.browser.settings.command_timeout, 120.0))
        return self.take_in(data, known, silent=first > 0)

    def summarize(self, snapshot: Snapshot) -> PageSummary:
        """A snapshot's summary; the browser's metrics count it, and what is looked for in it."""
        from skillbook.perception.summary import summarize

        with self.measured("summary"):
            found = summarize(snapshot)
        journal = self.browser.gateway.journal
        return replace(found, on_ranked=lambda ms: journal.measure("ranking", ms, ok=True))

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Count what is done meanwhile in the browser's metrics."""
        started, ok = time.perf_counter(), False
        try:
            yield
            ok = True
        finally:
            elapsed = (time.perf_counter() - started) * 1000
            self.browser.gateway.journal.measure(name, elapsed, ok=ok)

    async def snapshot_if_readable(self) -> Snapshot | None:
        """A snapshot, or None where the page can't be read at the moment (closed, blocked, not a web page)."""
        try:
            return await self.snapshot()
        except SkillbookError as error:
            if error.code in UNREADABLE:
                return None
            raise

    async def read_if_stale(self) -> None:
        """Read the page if actions came after the last snapshot, and it can be read."""
        if self.read_after < self.actions and not self.closed:
            await self.snapshot_if_readable()

    async def read_parts(
        self,
        refs: Sequence[str] = (),
        *,
        query: Mapping[str, Any] | None = None,
        records: bool = False,
        fact: Mapping[str, Any] | None = None,
    ) -> FoundParts | None:
        """Some elements as they are now, by ref or by what a query may name; on request with what is around them.

        fact: what is also read of the element, if the query may name only one.
        None where the page has, or can name, none of them.
        """
        wanted = self.snapshots.parts_wanted(refs)
        if query is not None:
            wanted |= {"query": query, "fact": fact}
        if records:
            wanted |= {"records": True}
        data = await self.run("find_elements", wanted)
        part = self.part_of(data)
        if part is None:
            return None
        given = data.get("around")
        around = None if given is None else self.snapshots.take_around(given)
        return FoundParts(part, around, data.get("fact"))

    async def parts_if_readable(self, refs: Sequence[str]) -> Snapshot | None:
        """Some elements as they are now; None where there are none, or the page can't be read."""
        if not refs:
            return None
        try:
            found = await self.read_parts(refs)
        except SkillbookError as error:
            if error.code == "unknown_command":  # an older extension
                return await self.snapshot_if_readable()
            if error.code in UNREADABLE:
                return None
            raise
        return found.part if found is not None else None

    async def settled(
        self,
        need: Need = "rest",
        seconds: float | None = None,
        *,
        again: bool = False,
    ) -> Settled:
        """Wait until what an act caused is over, and say what still isn't.

        seconds: how long at most since the act, by default as long as fits the need.
        again: what was waited in vain already doesn't count.
        """
        if self.closed or self.requests.asking:
            return UNKNOWN  # a person decides first
        was_known = self.rest.is_known
        answer = await self.rest.settled(need, seconds, again=again)
        if need != "rest" or was_known or not answer.is_pushed:
            return answer
        try:
            return await self.rest.until_unbusy(self, seconds)
        except SkillbookError as error:
            if error.code not in UNREADABLE:
                raise
            return answer  # what reads the page next says why it can't

    async def _ask_whether_settled(self, params: dict[str, Any], seconds: float) -> Mapping[str, Any]:
        """A browser that says nothing costs a moment more than the budget, and never more than who reads has left."""
        left = seconds_left(None)
        most = seconds + PEER_SECONDS
        answer: Mapping[str, Any] = await self.run(
            "page_settled", params, timeout=most if left is None else min(most, left)
        )
        return answer

    def part_of(self, data: Any) -> Snapshot | None:
        """The part of a snapshot that an answer has; it is no snapshot of the page."""
        if not data["documents"]:
            return None
        return self.snapshots.take_part(self.browser.gateway.without_forbidden(data))

    def node(self, ref: str) -> Node | None:
        """An element as it was read last, with the whole page or after that; None where it never was."""
        return node_of(self.snapshots.part_with(ref) or self.latest, ref)

    def take_in(
        self, data: Any, known: Mapping[str, DocumentSnapshot], engine: str = "dom", *, silent: bool = False
    ) -> Snapshot:
        """Make a snapshot of its data the latest; `known` as it was when the data was requested.

        `silent` ones aren't shown.
        """
        snapshot = self.snapshots.take(self.browser.gateway.without_forbidden(data), known, engine)
        if (snapshot.page_tools, snapshot.silent_frames) != (self._tools, self.silent_frames):
            snapshot = snapshot.with_page_tools(self._tools, self.silent_frames)
        if (hints := self.browser.hints_for(snapshot.url)) is not None:
            snapshot = snapshot.with_hints(hints)
        self.latest, self.read_after = snapshot, self.actions
        self.moved_to(snapshot.url, snapshot.title)
        if hooks.snapshot_taken is not None and not silent:
            hooks.snapshot_taken(self, snapshot)
        return snapshot

    async def changed_since(self, snapshot: Snapshot, seconds: float) -> bool:
        """Wait until the page differs from a snapshot; False when the time is up."""
        if seconds <= 0:
            return False
        versions = {document.key: document.version for document in snapshot.columns.documents}
        try:
            await self.run("wait_for", {"changed": versions}, timeout=seconds)
        except CommandTimeout:
            return False
        return True

    async def status(self) -> int:
        """The HTTP status of the page's document; 0 where it isn't known."""
        return int((await self.run("get", {"what": "status"}))["value"])

    async def retry_after(self) -> float | None:
        """How many seconds the server asked to wait that was asked for this page too often; None where it didn't."""
        found = (await self.run("get", {"what": "retry_after"}))["value"]
        return None if found is None else float(found)

    def action(
        self,
        command: str,
        params: Mapping[str, Any] | None = None,
        *,
        target: Resolved | None = None,
        actor: Actor = "person",
        facts: DescribeResult | None = None,
        **options: Unpack[ActionOptions],
    ) -> PreparedAction:
        """One command of this page, with what is known already of it and its target.

        target: the element; `params` name its ref.
        facts: what the page says of the target at this moment.
        options: more of `PreparedAction`: `run`, `timeout`, `quiet`, `secret`.
        """
        spec = COMMANDS[command]
        given = {name: value for name, value in (params or {}).items() if name not in spec.local_fields}
        local = {name: value for name, value in (params or {}).items() if name in spec.local_fields}
        node = target.node if target else None
        live = facts is not None and facts.role is not None
        label = (facts.name or "") if facts and live else (node.label if node else "")
        if spec.answers_dialog and given.get("accept", True) and self.dialogs.open is not None:
            label = self.dialogs.open.message
        call = Call(
            command,
            actor=actor,
            url=self.url,
            frame_url=frame_url(self.latest, target.ref) if target else _frame_of_tool(given),
            destination=given[spec.destination] if spec.destination else None,
            role=(facts.role or "") if facts and live else (node.role if node else ""),
            label=label,
            facts=facts,
            key=key_of(command, given),
            chosen=_chosen(given, facts),
            document=document_key(self.latest, target.ref) if target else "",
            covered=bool(facts and facts.covered_by),
            record=target.record if target else "",
            with_secret=options.get("secret") is not None
            or bool(node and "secret" in node.states)
            or bool(facts and facts.secret),
            no_ai=facts is None and self._asks_no_ai(),
            script=spec.script_param is not None and given.get(spec.script_param) is not None,
        )
        return PreparedAction(call, given, tab=self.tab.id, target=target, local=local, **options)

    async def run(
        self,
        command: str,
        params: Mapping[str, Any] | None = None,
        *,
        target: Resolved | None = None,
        actor: Actor = "person",
        **options: Unpack[ActionOptions],
    ) -> Any:
        """Send one command of this page through the gateway; see `action`."""
        return await self.send(self.action(command, params, target=target, actor=actor, **options))

    def require_open(self) -> None:
        """Raise `PageClosed` if the tab is gone."""
        if self.closed:
            raise self.gone()

    def gone(self, name: str = "the page") -> PageClosed:
        """The error that says why it is gone."""
        if self.closed == UNSHARED:
            return PageClosed(
                f"{name} isn't shared with this kernel any more: another kernel has its tab now, a person took it, or "
                "the extension was reloaded",
                url=self.url,
                hint="drag the tab back into this kernel's tab group, share it in the extension's popup, "
                "or open the address again",
            )
        why = "" if self.closed in {"closed", None} else f" ({self.closed})"
        return PageClosed(f"{name} was closed{why}", url=self.url)

    async def send(self, action: PreparedAction) -> Any:
        """Send a command through the gateway and return its result as the wire has it."""
        self.require_open()
        await self.network.begun()
        if action.command not in ACTIONS:
            return await self._send_acting(action)
        self.rest.begin()
        data = await self._send_acting(action)
        self.rest.begun(data.get("act"))
        self.acts.current.called(data.get("act"))
        return data

    async def _send_acting(self, action: PreparedAction) -> Any:
        spec, person = action.call.spec, action.call.actor == "person"
        resizes = not person and any(action.params.get(name) for name in spec.resizing)
        if not (spec.runs_script or resizes):
            return await self._send_judged(action)
        await self.requests.before_action(action)
        self.acts.begin(self.actions, frame_url=action.call.frame_url or "")
        data = await self._send_judged(action)
        await self.requests.after_action(person=person)
        return data

    async def _send_judged(self, action: PreparedAction) -> Any:
        gateway, target = self.browser.gateway, action.target
        try:
            return await gateway.run(action)
        except DialogBlocked:
            # What only reads may read again once a rule has answered the dialog.
            if action.call.effect is not Effect.READ or await self.dialogs.settled() is None:
                raise
            return await gateway.run(action)
        except OriginChanged as error:
            if not error.data.get("main"):
                raise
            # The page left by itself: a reading without a target is judged anew, all else is refused.
            self.moved_to(str(error.data.get("url", "")), self.title)
            if target is not None:
                raise StaleRef(f"{target.ref} belongs to a document that is gone", **error.data) from None
            if action.call.effect is not Effect.READ:
                raise
            return await gateway.run(replace(action, call=replace(action.call, url=self.url)))
        except StaleRef as error:
            role = str(error.data.get("role") or "")
            if self.latest is not None and (hint := _where_others_are(self.latest, role)):
                error.hint = hint
            raise
        except UnknownRef as error:
            if target is None:
                raise
            # The kernel has seen this ref, so its document is another one by now.
            raise StaleRef(f"{target.ref} belongs to a document that is gone", **error.data) from None

    async def _answer_dialog(self, params: dict[str, Any]) -> dict[str, Any]:
        outcome: dict[str, Any] = await self.run("handle_dialog", params)
        return outcome

    def _asks_no_ai(self) -> bool:
        latest = self.latest
        return latest is not None and latest.url == self.url and latest.main.no_ai


def _where_others_are(snapshot: Snapshot, role: str) -> str | None:
    """What a list does with an item of a role that is gone: it renders only what is in view."""
    found = next((each for each in partial_lists(snapshot) if role in each.roles), None)
    if found is None:
        return None
    return f"{found}, for it renders what is in view: scroll it until the target is there"


def _frame_of_tool(params: Mapping[str, Any]) -> str | None:
    """The address of the frame whose tool is called; None for the page's own, and for a frame of its origin."""
    frame = str(params.get("frame") or "")
    return frame if frame and not frame.startswith("about:") else None


def _chosen(params: Mapping[str, Any], facts: DescribeResult | None) -> tuple[str, ...]:
    """What a call chooses in a list: as it was given, and the label and value of each option that this can mean."""
    given = [str(value) for value in params.get("values") or ()]
    if not given:
        return ()
    options = list(enumerate(facts.options)) if facts else []
    by = params.get("by")
    wanted = [
        option
        for at, option in options
        if (by in {None, "index"} and str(at) in given) or (by != "index" and set(option) & set(given))
    ]
    return tuple(dict.fromkeys([*given, *(text for option in wanted for text in option)]))
