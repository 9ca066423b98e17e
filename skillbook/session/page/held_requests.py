"""Requests that an agent's or a skill's action causes: held in the browser, judged, decided on, and written down.

Holding begins when an agent or a skill comes to a page and ends a moment after it leaves. Until its first action what
the page sends passes, and is remembered as the page's own habit. From then on each request that may change something
waits for the policy, and where that asks, for the review of whoever acts. A person who acts on the page takes over:
what waits is blocked, and nothing more is held until the agent acts again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from skillbook.errors import (
    ApprovalRequired,
    DebuggerUnavailable,
    NotAllowed,
    PageClosed,
    SkillbookError,
    StorageError,
)
from skillbook.limits import PERSON_SECONDS, READ_SECONDS, SHOWN_SECONDS
from skillbook.perception.escape import clean, shorten_middle
from skillbook.policy import Call
from skillbook.policy.labels import CHANGE_WORDS, NEW_TAB_WORDS, says_change
from skillbook.policy.request_bodies import bytes_of
from skillbook.policy.request_facts import (
    ANNOUNCED,
    RequestFact,
    RequestVerdict,
    judge_request,
    read_request,
)
from skillbook.policy.request_rules import RequestRule, announced_by, button_of, form_rule, learnable_request
from skillbook.policy.urls import origin_of, path_template
from skillbook.protocol.commands import COMMANDS, Effect, method_of
from skillbook.protocol.envelopes import RequestBody
from skillbook.protocol.events import DebuggerDetached, MessagesSent, RequestBlocked, RequestPaused
from skillbook.session.action import journal_name
from skillbook.session.cassette.cassette_files import Scrubber
from skillbook.session.page.act_requests import (
    ActLog,
    ActRequests,
    Ending,
    HeldRequest,
    RequestDecision,
    RequestOutcome,
    RequestReview,
    RequestWatcher,
)
from skillbook.session.page.window_group import LEAVES, WindowGroup

if TYPE_CHECKING:
    from skillbook.session.action import PreparedAction
    from skillbook.session.gateway import Gateway

RequestEvent: TypeAlias = RequestPaused | RequestBlocked | MessagesSent | DebuggerDetached
_DRIVEN_OFF = "the debugger was driven off the tab while it waited"
_LOST = "the connection to the browser was lost while it waited"
_LONGEST_ADDRESS = 300
_log = logging.getLogger("skillbook.session")


class PageRequests:
    """The held requests of one page; on the I/O thread only.

    requests_of: gives those of another tab of the browser; None where it has none such.
    unreachable: how many windows that aren't shared can script the page, or be scripted by it.
    open: what waits for a decision.
    """

    def __init__(
        self,
        gateway: Gateway,
        tab: int,
        acts: ActLog,
        requests_of: Callable[[int], PageRequests | None] = lambda _: None,
    ) -> None:
        self.unreachable = 0
        self.open: set[asyncio.Task[None]] = set()
        self._its_acts = acts
        self._gateway = gateway
        self._tab = tab
        self._requests_of = requests_of
        self._group: WindowGroup[PageRequests] = WindowGroup(self)
        self._wanted_by: WindowGroup[PageRequests] | None = None
        self._asking: set[asyncio.Task[Any]] = set()
        self._on = False
        self._available = True
        self._lost = False
        self._losses = 0
        self._stale = False
        self._related: list[int] = []
        self._secrets: list[str] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._busy = asyncio.Lock()

    # --- coming and going -----------------------------------------------------------------------

    @property
    def review(self) -> RequestReview | None:
        """Who decides at the moment."""
        return self._group.review

    @property
    def available(self) -> bool:
        """Whether requests can be paused; without a debugger each step that may send something asks before."""
        return all(member._available for member in self._group.members)

    async def attach(self, review: RequestReview) -> None:
        """An agent or a skill comes to the page: hold requests, and see what the page sends by itself."""
        self._group.stop_watching()
        if self._group.review is not review:
            group = self._group
            if group.review is not None and not group.lingers:
                self._join(WindowGroup(self))
            # As long as requests are blocked after somebody left, they may be caused by them.
            is_late = group.acted and self._now() - group.last_action < READ_SECONDS
            self._group.begin(review, journal_name(review.actor), group if is_late else None)
        self._group.cancel_leaving()
        await self._hold()

    async def detach(self, review: RequestReview, *, at_once: bool = False) -> None:
        """It leaves: stay until what its last action sends was decided on, then let go after a moment."""
        group = self._group
        if group.review is not review:
            return
        if at_once:
            self._block_waiting()
        elif review.actor == "agent":
            await self.settled()
        if group.review is review:
            if review.actor == "agent":
                group.review = None  # nobody is asked any more; a skill's file still says what it may send
            group.cancel_leaving()
            group.person_acts.clear()
            group.lingers = True
            # How long requests are still held, and blocked, after an agent or a skill has left the page.
            group.leaving = asyncio.get_running_loop().call_later(READ_SECONDS, self._leave)

    async def watch(self, watcher: RequestWatcher, *, after_input: bool = False) -> None:
        """A person's actions are recorded from now on: see what the page sends, and let it go.

        after_input: let go only from the person's first input on: an agent handed the page over, and the page itself
            may have made it do so.
        """
        self._group.person_acts.clear()
        if not after_input:
            self._group.person_acts.set()
        if self._group.lingers:  # what lingers of a replay no longer says what may be sent
            self._group.cancel_leaving()
            self._group.review = None
        self._group.watcher = watcher
        await self._hold()
        if not self.available:
            self._group.stop_watching()

    async def unwatch(self, watcher: RequestWatcher) -> None:
        """The recording has ended, or is paused."""
        if self._group.watcher is not watcher:
            return
        await self.decided()
        self._group.watcher = None
        if self._group.review is None:
            await self._part()

    def person_acted(self) -> None:
        """A person's own input was seen in the tab, or they acted on it by a call: what lingers there ends."""
        self._group.person_acts.set()
        if self._group.leaving is not None:
            self._group.leaving.cancel()
            self._leave()

    async def before_action(self, action: PreparedAction) -> None:
        """Somebody is about to act on the page.

        Raises ApprovalRequired: nothing can be held there, and nobody approved the action.
        Raises NotAllowed: windows that aren't shared can script the page.
        """
        call = action.call
        filled = action.secret_names
        if call.actor == "person":
            if takes_over(call.command):
                await self.release_held_requests()
            await self._keep(action, filled)
            return
        self._group.stop_watching()
        self._group.cancel_leaving()
        await self.decided()
        await self._hold(filled)
        await self._keep(action, filled)
        self._refuse_out_of_reach(call)
        self._group.acted, self._group.acts = True, self._its_acts
        self._group.approve_destination(call, self._gateway.policy)
        if not (self.available or call.approved or call.effect is Effect.READ):
            question = ApprovalRequired(
                f"{call.command} needs an approval: what it sends can't be held, for the tab has no debugger",
                hint="approve it, or close what keeps the debugger from the tab",
            )
            question.binding = action.binding
            raise question
        seen = call.approved and self._group.review is not None and self._group.review.announced_is_approved
        self._group.announced = announced_by(call) if seen else None
        self._group.irreversible = call.effect is Effect.IRREVERSIBLE
        self._group.shown = call.facts.shown if call.facts else ()
        self._group.button = button_of(call)
        words = f"{call.role} {call.label!r}".strip() if call.label else call.role
        self._group.cause = f"{call.command} on {words}" if words else call.command

    def _refuse_out_of_reach(self, call: Call) -> None:
        """A window that isn't shared is never touched, so what the page sends through it can't be paused."""
        if not self.unreachable or call.effect is Effect.READ:
            return
        several = self.unreachable > 1
        windows = f"{self.unreachable} windows that aren't" if several else "a window that isn't"
        raise NotAllowed(
            f"{method_of(call.command)} is refused: {windows} shared with this notebook can be scripted by this page, "
            "or script it, so what it sends can't be paused",
            hint=f"share {'those tabs' if several else 'that tab'}, too, close {'them' if several else 'it'}, or open "
            "the address in a new tab with browser.open(page.url): it has no other windows",
            unshared=self.unreachable,
        )

    @property
    def acted(self) -> bool:
        """Whether anything was done on the page since the agent or skill came to it."""
        return self._group.acted

    def begin_anew(self) -> None:
        """What comes until the next action is the page's own doing."""
        self._group.acted = False

    async def after_action(self, *, person: bool = False) -> None:
        """The action is done: wait until what it sent is decided on; a person's call can't wait for their answer."""
        self._group.last_action = self._now()
        if not person:
            await self.decided()

    async def settled(self) -> None:
        """Wait for what the last action still sends, until that is decided on."""
        if self._on and self._group.acted:
            # How long after its last action an agent or a skill stays, for what that still sends.
            await asyncio.sleep(max(0.0, self._group.last_action + SHOWN_SECONDS - self._now()))
            await self.decided()

    @property
    def asking(self) -> bool:
        """Whether a person is asked about a request."""
        return any(member._asking for member in self._group.members)

    async def decided(self) -> None:
        """Wait until nothing waits for a decision; stopping the operation ends that, and blocks what waits."""
        while self._group.waiting:
            await self._gateway.stopping.watch(lambda: asyncio.wait(self._group.waiting))

    def take_outcomes(self) -> list[RequestOutcome]:
        """What was decided since this was called last; requests that only read, and the page's habits, are left out."""
        taken, self._group.outcomes = self._group.outcomes, []
        return taken

    async def release_held_requests(self) -> None:
        """Hold no more: what waits is blocked. While a person's actions are recorded, what is sent is seen."""
        self.person_acted()
        group = self._group
        if group.watcher is not None:
            for task in [task for member in group.members for task in member._asking]:
                task.cancel()  # they take over; their call would wait for their own answer
            return
        self._block_waiting()
        group.cancel_leaving()
        await asyncio.gather(*(member._let_go() for member in group.members if member is not self))
        await self._switch(False)

    def _block_waiting(self) -> None:
        for task in self._group.waiting:
            task.cancel()

    def follow(self, opener: PageRequests) -> None:
        """The page was opened by another one: who acts there answers for what this one sends."""
        if opener._on and opener._group.in_use and self._join(opener._group):
            self._start(self._hold_while_open())

    def _join(self, group: WindowGroup[PageRequests]) -> bool:
        """Belong to a group of windows, unless another agent or skill acts here; whether it is so."""
        before = self._group
        if before is group:
            return True
        is_another = before.review is not None and before.review is not group.review
        taken = is_another and self._on and not before.lingers
        if taken and self not in group.members:
            return False
        if group.review is not None:
            before.stop_watching()
        before.members.remove(self)
        self._group = group
        if self not in group.members:
            group.members.append(self)
        return True

    @property
    def _acts(self) -> ActLog:
        """The acts of the window that was acted on last."""
        return self._group.acts or self._its_acts

    def windows_changed(self) -> None:
        """Tabs were opened, closed or shared: before the next action it is found out which can script the page."""
        self._stale = True

    # --- what the extension reports ---------------------------------------------------------------

    def take(self, event: RequestEvent) -> None:
        """An event of the page's tab."""
        if isinstance(event, RequestPaused):
            self.held(event)
        elif isinstance(event, MessagesSent):
            self.messages(event)
        elif isinstance(event, RequestBlocked):
            self.blocked(event)
        else:
            self.lost()
            for task in list(self.open):
                task.cancel(_DRIVEN_OFF)

    def held(self, event: RequestPaused) -> None:
        """A request waits."""
        task = asyncio.ensure_future(self._see_to(event))
        self.open.add(task)
        task.add_done_callback(self.open.discard)

    def blocked(self, event: RequestBlocked) -> None:
        """The page opened a tab with a request that was blocked: it could not be held there."""
        fact = read_request("GET" if says_change(event.url) else "POST", event.url, navigates=True)
        reason = "it would have gone to a new tab, where requests can't be held in time"
        verdict, group = RequestVerdict("ask", reason, strict=True), self._group
        self._gateway.journal.past_request("blocked", reason, **self._row(fact, verdict))
        if group.review is not None and group.review.actor == "replay" and group.acted:
            self._start(self._refuse(group.review, HeldRequest(fact, verdict, group.cause)))
        if self._group.watcher is not None:
            self._group.watcher.missed_requests()
        self._keep_outcome(RequestOutcome(fact, "blocked", reason, asked=False), self._acts.current)

    @staticmethod
    async def _refuse(review: RequestReview, request: HeldRequest) -> None:
        """Have a replay know of a request that was blocked: it isn't well if its page wanted to send that."""
        await review.judge(request)

    def messages(self, event: MessagesSent) -> None:
        """Messages went over a WebSocket, which can't be held: they are written down."""
        origin = origin_of(event.url.replace("ws", "http", 1)) or ""
        path = path_template(event.url) if origin else ""
        fact = RequestFact("WEBSOCKET", origin.replace("http", "ws", 1), path)
        verdict = RequestVerdict("allow", "WebSocket messages can't be held")
        self._gateway.journal.past_request("sent", **self._row(fact, verdict), count=event.count)

    def lost(self) -> None:
        """The debugger is gone, or the connection was: the next action has requests held anew."""
        self._lost = True
        self._losses += 1
        self._group.stop_watching()

    # --- inside -----------------------------------------------------------------------------------

    async def _see_to(self, event: RequestPaused) -> None:
        act, losses = self._acts.current, self._losses
        watcher = await self._free_watcher()
        fact = self._read(event)
        shape = fact.shape
        assert shape is not None
        declined = self._group.declined.include(shape)
        habitual = not declined and self._group.habits.include(shape)
        verdict = (
            self._judge(event, fact, habitual=habitual, acted=self._group.acted or declined)
            if watcher is None
            else RequestVerdict("allow", "a person acts here")
        )
        if verdict.action == "ask" and not fact.leaks and await self._person_takes_over():
            verdict = RequestVerdict("allow", "a person acts here")
        leaves = event.leaves and watcher is None
        if leaves and verdict.action == "allow":
            verdict = RequestVerdict("ask", LEAVES, strict=True)
        matters = fact.changes or bool(fact.leaks) or leaves or bool(verdict.origin)
        reason, asked, allow = verdict.reason, verdict.action == "ask", verdict.action == "allow"
        row: int | None = None
        if matters:
            try:
                row = self._gateway.journal.request(**self._row(fact, verdict))
            except StorageError as error:  # what can't be written down isn't done, except by a person
                reason, asked, allow = error.message, False, watcher is not None
        is_habit = habitual or not self._group.acted
        if watcher is None and matters and not fact.navigates and not declined and is_habit:
            self._group.habits.note(shape)
        try:
            if asked:
                is_fixed = verdict.strict or verdict.origin
                rules = (None, None) if is_fixed else self._learnable(fact)
                address = self._shown_address(event.url)
                request = HeldRequest(fact, verdict, self._group.cause, *rules, self._group.shown, address)
                ask = partial(self._ask, event.id)
                shows = partial(self._release, event.id, "ask")
                decision = await (
                    self._group.destinations.ask(request, ask, shows) if leaves else ask(request)
                )
                reason, allow = decision.reason, decision.allow
        except asyncio.CancelledError as cancelled:
            reason, allow = "somebody took over or stopped it", False
            if _DRIVEN_OFF in cancelled.args:
                reason, asked = _DRIVEN_OFF, True
        if asked and not allow:
            self._group.declined.note(shape)
        elif asked and verdict.origin:
            self._group.approved_origins.add(verdict.origin)
        released = await self._release(event.id, "allow" if allow else "block")
        ending: Ending = "gone" if not released else "sent" if allow else "blocked"
        if not released and self._losses > losses:
            ending, reason = "unknown", reason if reason == _DRIVEN_OFF else _LOST
        if row is not None:
            self._gateway.journal.request_ended(row, ending, reason)
        if matters and watcher is not None:
            watcher.sent(fact)
        elif matters and self._group.acted:
            self._keep_outcome(RequestOutcome(fact, ending, reason, asked), act)

    def _keep_outcome(self, outcome: RequestOutcome, act: ActRequests) -> None:
        outcome = replace(outcome, began=act.began)
        self._group.outcomes.append(outcome)
        act.decided(outcome)

    async def _free_watcher(self) -> RequestWatcher | None:
        """Who only watches, if a person acts here; None if requests are judged."""
        if self._group.watcher is not None and not self._group.person_acts.is_set():
            with suppress(TimeoutError):
                # How long a request waits for the report of the person's input that may have caused it.
                await asyncio.wait_for(self._group.person_acts.wait(), SHOWN_SECONDS)
        return self._group.watcher if self._group.person_acts.is_set() else None

    async def _person_takes_over(self) -> bool:
        """Whether a person acts where an agent or a skill has just left; the report of it may come a moment later."""
        group = self._group
        if group.lingers:
            with suppress(TimeoutError):
                await asyncio.wait_for(group.person_acts.wait(), SHOWN_SECONDS)
        # Their input ends the lingering: until the browser lets go, what they cause is still paused.
        return (group.lingers or group.review is None) and group.person_acts.is_set()

    def _read(self, event: RequestPaused) -> RequestFact:
        secrets = self._gateway.secrets
        headers = "\n".join(event.headers.values())
        body = event.body or (bytes_of(None, event.data) or b"").decode("latin-1")
        carried = secrets.carried(f"{event.url}\n{headers}\n{body}")
        origin = origin_of(event.url)
        return read_request(
            event.method,
            event.url,
            content_type=event.content_type,
            headers=event.headers,
            body=event.body,
            data=event.data,
            size=event.size,
            from_origin=event.frame_origin,
            navigates=event.navigation,
            secrets=carried,
            leaks=[name for name in carried if origin not in secrets.bound_to(name)],
        )

    def _shown_address(self, url: str) -> str:
        """A path and query as a person reads them: secrets are masked, and no end is out of view."""
        parts = urlsplit(Scrubber(self._gateway.secrets).url(url))
        address = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return shorten_middle(clean(address), _LONGEST_ADDRESS)

    def _learnable(self, fact: RequestFact) -> tuple[RequestRule | None, RequestRule | None]:
        """The rules that may be made of a request; steps that can't be undone neither make rules nor use them."""
        if self._group.irreversible or not fact.changes:
            return None, None
        return learnable_request(fact), form_rule(fact, self._group.shown, self._group.button)

    def _judge(
        self, event: RequestPaused, fact: RequestFact, *, habitual: bool, acted: bool
    ) -> RequestVerdict:
        group = self._group
        send_allowlist = group.review is not None and group.review.send_allowlist
        shape = None if send_allowlist or group.announced is None else group.announced.shape
        announced = shape is not None and fact.shape is not None and shape.covers(fact.shape, "announced")
        rule = None
        if not send_allowlist and not group.irreversible:
            rule = self._gateway.rules.match_request(fact, group.button, group.shown)
        verdict = judge_request(
            fact,
            acted=acted,
            habitual=habitual,
            announced=announced,
            rule=rule.id if rule is not None else "",
        )
        if verdict.reason == ANNOUNCED:
            group.announced = None  # it was approved once
        if not (event.enters and acted) or (announced and event.redirected_from is None):
            return verdict
        landing = self._gateway.policy.judge_landing(
            event.url, redirected_from=event.redirected_from, approved=group.approved_origins
        )
        if landing is None:
            return verdict
        reasons = [*([verdict.reason] if verdict.action == "ask" else []), landing.reason]
        return RequestVerdict(landing.action, "; ".join(reasons), verdict.strict, landing.origin or "")

    async def _ask(self, id: str, request: HeldRequest) -> RequestDecision:
        review = self._group.review
        if review is None:
            return RequestDecision(False, "nobody is there to decide: the run had ended")
        await self._release(id, "ask")
        task = asyncio.current_task()
        assert task is not None
        self._asking.add(task)
        try:
            # How long a person may take; then the request is blocked.
            return await asyncio.wait_for(review.judge(request), PERSON_SECONDS)
        except TimeoutError:
            return RequestDecision(False, f"nobody decided within {PERSON_SECONDS:g} s")
        finally:
            self._asking.discard(task)

    async def _release(self, id: str, verdict: str) -> bool:
        """Send the verdict; a browser that doesn't get it blocks by itself."""
        try:
            data = await self._send("release_request", {"id": id, "verdict": verdict})
        except SkillbookError as error:
            _log.debug("a held request could not be released: %s", error)
            return False
        return bool(data["released"])

    async def _send(self, command: str, params: dict[str, Any]) -> Any:
        body = RequestBody(command=command, tab=self._tab, params=params)
        return await self._gateway.bridge.request(body)

    def _row(self, fact: RequestFact, verdict: RequestVerdict) -> dict[str, Any]:
        """What the journal has of a request."""
        group, review = self._group, self._group.review
        return {
            "tab": self._tab, "run": review.key if review else None,
            "actor": group.journal_name if review else "person", "cause": group.cause if group.acted else "",
            "fact": fact.kept, "verdict": verdict.action, "verdict_reason": verdict.reason,
        }  # fmt: skip

    async def _hold(self, secrets: Collection[str] = ()) -> None:
        """Pause requests here, and in the windows that can script the page or be scripted by it."""
        group = self._group
        await self._pause(secrets)
        for other in filter(None, map(self._requests_of, self._related)):
            # While another run acts there, that answers for it; this one does as soon as that has left.
            other._wanted_by = None if other._join(group) else group
        others = [member for member in group.members if member is not self]
        await asyncio.gather(*(member._pause_too(secrets) for member in others))

    async def _hold_while_open(self) -> None:
        with suppress(PageClosed):  # a window may close as soon as it is open
            await self._hold()

    async def _pause(self, secrets: Collection[str]) -> None:
        """Pause from now on, or as the secrets want it that are about to be filled in."""
        origins = self._gateway.secrets.filled_origins(secrets)
        known = not (self._lost or self._stale or self.unreachable)
        if self._on and known and origins == self._secrets:
            return
        self._secrets = origins
        try:
            await self._switch(True)
            self._available = True
        except DebuggerUnavailable:
            self._available = False

    async def _pause_too(self, secrets: Collection[str]) -> None:
        try:
            await self._pause(secrets)
        except PageClosed:
            self._join(WindowGroup(self))
        except SkillbookError as error:
            _log.debug("the requests of a related window can't be paused: %s", error)
            self._available = False

    async def _keep(self, action: PreparedAction, secrets: Collection[str]) -> None:
        """From now on, nothing leaves the tab unasked for an origin that these secrets don't belong to."""
        if not secrets:
            return
        here = origin_of(action.call.frame_url or action.call.url)
        origins = self._gateway.secrets.shared_origins(secrets, here)
        self._group.destinations.clear()
        on = self._on and self.available
        settings = self._settings() if on else {}
        await self._send("pause_requests", {"on": on, "filled_origins": origins, **settings})

    def _settings(self) -> dict[str, Any]:
        words = {"words": sorted(CHANGE_WORDS), "new_tab_words": sorted(NEW_TAB_WORDS)}
        policy = self._gateway.policy
        origins = sorted({*policy.allowed, *policy.visitable, *self._group.approved_origins})
        return words | {"secret_origins": self._secrets, "origins": origins}

    async def _switch(self, on: bool, *, unless_used: bool = False) -> None:
        async with self._busy:
            if not on and (not self._on or (unless_used and self._group.in_use)):
                return  # whoever came meanwhile counts on it
            params: dict[str, Any] = {"on": on}
            if on:
                params |= self._settings()
            self._on = on  # also where it fails half way: letting go is then requested all the same
            self._stale = False  # what changes meanwhile counts
            data = await self._send("pause_requests", params)
            self._lost = False
            self._related, self.unreachable = (data or {}).get("related", []), (data or {}).get("unshared", 0)

    def _leave(self) -> None:
        self._group.review = self._group.leaving = None
        self._start(self._leave_quietly(self._group))

    async def _leave_quietly(self, group: WindowGroup[PageRequests]) -> None:
        while group.waiting:  # what waits would be blocked
            await asyncio.wait(group.waiting)
        if not group.lingers:
            return  # somebody came meanwhile
        group.lingers = False
        await self._part()

    async def _part(self) -> None:
        """Pause no more in any of the windows; from now on each is by itself."""
        members, taken_over = list(self._group.members), self._group.person_acts.is_set()
        for member in members:
            wanted = member._wanted_by
            member._join(wanted if wanted is not None and wanted.in_use else WindowGroup(member))
            if taken_over and not member._group.in_use:
                member._group.person_acts.set()
        await asyncio.gather(*(member._let_go(unless_used=True) for member in members))

    async def _let_go(self, *, unless_used: bool = False) -> None:
        try:
            # What a person caused may have been paused before their input was known: that is decided on first.
            while self._group.person_acts.is_set() and self._on and not self._group.in_use:
                answer = await self._send("pause_requests", {"on": False, "unless_waiting": True})
                if not answer["waiting"]:
                    break
                if self._group.waiting:
                    await asyncio.wait(self._group.waiting)
            await self._switch(False, unless_used=unless_used)
        except SkillbookError as error:
            _log.debug("requests are let go with the tab: %s", error)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def takes_over(command: str) -> bool:
    """Whether a person who does this on a page takes it over from whoever acts there: looking at it doesn't."""
    spec = COMMANDS[command]
    return not (spec.reads or spec.runs_script or spec.only_prepares)
