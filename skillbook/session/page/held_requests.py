"""Requests that an agent's or a skill's action causes: held in the browser, judged, decided on, and written down.

Holding begins when an agent or a skill comes to a page and ends a moment after it leaves. Until its first action what
the page sends passes, and is remembered as the page's own habit. From then on each request that may change something
waits for the policy, and where that asks, for the review of whoever acts. A person who acts on the page takes over:
what waits is blocked, and nothing more is held until the agent acts again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from skillbook.errors import ApprovalRequired, DebuggerUnavailable, SkillbookError, StorageError
from skillbook.policy.announcements import Announcement, announced_by, pairs_of
from skillbook.policy.habits import Habits, sending_of
from skillbook.policy.request_facts import (
    ANNOUNCED,
    RequestFact,
    RequestVerdict,
    judge_request,
    path_template,
    read_request,
)
from skillbook.policy.request_rules import RequestKind, learnable_request
from skillbook.policy.request_words import CHANGE_WORDS, NEW_TAB_WORDS, says_change
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.envelopes import RequestBody
from skillbook.protocol.events import DebuggerDetached, MessagesSent, RequestBlocked, RequestPaused
from skillbook.session.acting_name import journal_name
from skillbook.session.page.act_requests import ActLog, ActRequests
from skillbook.session.page.destinations import LEAVES, Destinations
from skillbook.session.page.request_decisions import (
    Ending,
    HeldRequest,
    RequestDecision,
    RequestOutcome,
    RequestReview,
    RequestWatcher,
)

if TYPE_CHECKING:
    from skillbook.session.action import PreparedAction
    from skillbook.session.gateway import Gateway

LINGER_SECONDS = 5.0
"""How long requests are still held, and blocked, after an agent or a skill has left the page."""
SETTLE_SECONDS = 0.5
"""How long after its last action an agent or a skill stays, for what that still sends."""
INPUT_SECONDS = 0.5
"""How long a request waits for the report of the person's input that may have caused it."""
ASK_SECONDS = 600.0
"""How long a person may take; then the request is blocked."""
RequestEvent: TypeAlias = RequestPaused | RequestBlocked | MessagesSent | DebuggerDetached
_DRIVEN_OFF = "the debugger was driven off the tab while it waited"
_LOST = "the connection to the browser was lost while it waited"
_log = logging.getLogger("skillbook.session")


class PageRequests:
    """The held requests of one page; on the I/O thread only.

    Parameters
    ----------
    gateway : its browser's.
    tab : its tab's id.
    acts : its page's.

    Attributes
    ----------
    available : False where the debugger isn't to be had on the tab, so that nothing can be held: then every step that
        may send something has to be asked about before.
    """

    def __init__(self, gateway: Gateway, tab: int, acts: ActLog) -> None:
        self.available = True
        self._acts = self._its_acts = acts
        self._gateway = gateway
        self._tab = tab
        self._review: RequestReview | None = None
        self._journal_name = ""
        self._watcher: RequestWatcher | None = None
        self._person_acts = asyncio.Event()
        self._asking: set[asyncio.Task[Any]] = set()
        self._on = False
        self._lost = False
        self._losses = 0
        self._acted = False
        self._secrets: list[str] | None = None
        self._habits = Habits()
        self._declined = Habits()
        """What was asked about and not let go: a page that goes on trying makes no habit of it."""
        self._announced: Announcement | None = None
        self._irreversible = False
        self._destinations = Destinations()
        self._cause = ""
        self._last_action = 0.0
        self._open: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._followers: list[PageRequests] = []
        self._outcomes: list[RequestOutcome] = []
        self._leaving: asyncio.TimerHandle | None = None
        self._lingers = False
        self._busy = asyncio.Lock()

    # --- coming and going -----------------------------------------------------------------------

    @property
    def review(self) -> RequestReview | None:
        """Who decides at the moment."""
        return self._review

    async def attach(self, review: RequestReview) -> None:
        """An agent or a skill comes to the page: hold requests, and see what the page sends by itself."""
        self._stop_watching()
        if self._review is not review:
            self._review, self._acted = review, False
            self._journal_name = journal_name(review.actor)
            self._habits.clear()
            self._outcomes.clear()
        self._cancel_leaving()
        await self._hold()

    async def detach(self, review: RequestReview, *, at_once: bool = False) -> None:
        """It leaves: stay until what its last action sends was decided on, then let go after a moment."""
        if self._review is not review:
            return
        if at_once:
            self._block_waiting()
        elif review.actor == "agent":
            await self.settled()
        for follower in self._followers:
            await follower.detach(review, at_once=at_once)
        self._followers.clear()
        if self._review is review:
            if review.actor == "agent":
                self._review = None  # nobody is asked any more; a skill's file still says what it may send
            self._cancel_leaving()
            self._person_acts.clear()
            self._lingers = True
            self._leaving = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._leave)

    async def watch(self, watcher: RequestWatcher, *, after_input: bool = False) -> None:
        """A person's actions are recorded from now on: see what the page sends, and let it go.

        Parameters
        ----------
        after_input : let go only from the person's first input on: an agent handed the page over, and the page itself
            may have made it do so.
        """
        self._person_acts.clear()
        if not after_input:
            self._person_acts.set()
        if self._lingers:  # what lingers of a replay no longer says what may be sent
            self._cancel_leaving()
            self._review = None
        self._watcher = watcher
        await self._hold()
        if not self.available:
            self._stop_watching()

    async def unwatch(self, watcher: RequestWatcher) -> None:
        """The recording has ended, or is paused."""
        if self._watcher is not watcher:
            return
        await self.decided()
        self._watcher = None
        for follower in self._followers:
            await follower.unwatch(watcher)
        if self._review is None:
            self._followers.clear()
            await self._switch(False)

    def person_acted(self) -> None:
        """A person's own input was seen in the tab, or they acted on it by a call: what lingers there ends."""
        self._person_acts.set()
        if self._leaving is not None:
            self._leaving.cancel()
            self._leave()

    def _stop_watching(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.missed_requests()

    async def before_action(self, action: PreparedAction) -> None:
        """Somebody is about to act on the page.

        Raises
        ------
        ApprovalRequired : nothing can be held there, and nobody approved the action.
        """
        call = action.call
        filled = action.secret_names
        if call.actor == "person":
            if takes_over(call.command):
                await self.release_held_requests()
            await self._keep(action, filled)
            return
        self._stop_watching()
        self._cancel_leaving()
        await self.decided()
        await self._hold(filled)
        await self._keep(action, filled)
        self._acted, self._acts = True, self._its_acts
        if not (self.available or call.approved or call.effect is Effect.READ):
            question = ApprovalRequired(
                f"{call.command} needs an approval: what it sends can't be held, for the tab has no debugger",
                hint="approve it, or close what keeps the debugger from the tab",
            )
            question.binding = action.binding
            raise question
        seen = call.approved and self._review is not None and self._review.announced_is_approved
        self._announced = announced_by(call) if seen else None
        self._irreversible = call.effect is Effect.IRREVERSIBLE
        words = f"{call.role} {call.label!r}".strip() if call.label else call.role
        self._cause = f"{call.command} on {words}" if words else call.command

    @property
    def acted(self) -> bool:
        """Whether anything was done on the page since the agent or skill came to it."""
        return self._acted

    def begin_anew(self) -> None:
        """What comes until the next action is the page's own doing."""
        self._acted = False

    async def after_action(self, *, person: bool = False) -> None:
        """The action is done: wait until what it sent is decided on; a person's call can't wait for their answer."""
        self._last_action = self._now()
        if not person:
            await self.decided()

    async def settled(self) -> None:
        """Wait for what the last action still sends, until that is decided on."""
        if self._on and self._acted:
            await asyncio.sleep(max(0.0, self._last_action + SETTLE_SECONDS - self._now()))
            await self.decided()

    @property
    def undecided(self) -> bool:
        """Whether requests wait for a decision."""
        return bool(self._open)

    @property
    def asking(self) -> bool:
        """Whether a person is asked about a request."""
        return bool(self._asking)

    async def decided(self) -> None:
        """Wait until nothing waits for a decision; stopping the operation ends that, and blocks what waits."""
        while self._open:
            await self._gateway.stopping.watch(lambda: asyncio.wait(set(self._open)))

    def take_outcomes(self) -> list[RequestOutcome]:
        """What was decided since this was called last; requests that only read, and the page's habits, are left out."""
        taken, self._outcomes = self._outcomes, []
        return [*taken, *(outcome for follower in self._followers for outcome in follower.take_outcomes())]

    async def release_held_requests(self) -> None:
        """Hold no more: what waits is blocked. While a person's actions are recorded, what is sent is seen."""
        self.person_acted()
        if self._watcher is not None:
            for task in self._asking:
                task.cancel()  # they take over; their call would wait for their own answer
            return
        self._block_waiting()
        self._cancel_leaving()
        await self._switch(False)

    def _block_waiting(self) -> None:
        for task in list(self._open):
            task.cancel()

    def follow(self, opener: PageRequests) -> None:
        """The page was opened by another one: who acts there answers for what this one sends."""
        if opener._watcher is None and (opener._review is None or not opener._acted):
            return
        self._watcher, self._person_acts = opener._watcher, opener._person_acts
        self._review, self._acted, self._cause = opener._review, opener._acted, opener._cause
        self._journal_name = opener._journal_name
        self._irreversible, self._acts = opener._irreversible, opener._acts
        self._habits.update(opener._habits)
        opener._followers.append(self)
        task = asyncio.ensure_future(self._hold())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

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
            for task in list(self._open):
                task.cancel(_DRIVEN_OFF)

    def held(self, event: RequestPaused) -> None:
        """A request waits."""
        task = asyncio.ensure_future(self._see_to(event))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    def blocked(self, event: RequestBlocked) -> None:
        """The page opened a tab with a request that was blocked: it could not be held there."""
        fact = read_request("GET" if says_change(event.url) else "POST", event.url, navigates=True)
        reason = "it would have gone to a new tab, where requests can't be held in time"
        self._gateway.journal.past_request(
            "blocked", reason, **self._row(fact, RequestVerdict("ask", reason))
        )
        if self._watcher is not None:
            self._watcher.missed_requests()
        self._keep_outcome(RequestOutcome(fact, "blocked", reason, asked=False), self._acts.current)

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
        self._stop_watching()

    # --- inside -----------------------------------------------------------------------------------

    async def _see_to(self, event: RequestPaused) -> None:
        act, losses = self._acts.current, self._losses
        watcher = await self._free_watcher()
        fact = self._read(event)
        sending = sending_of(event.method, event.url, event.headers, event.body, event.size)
        declined = self._declined.cover(sending)
        habitual = not declined and self._habits.cover(sending)
        learn = self._learnable(event, fact)
        verdict = (
            self._judge(event, fact, learn, habitual=habitual, acted=self._acted or declined)
            if watcher is None
            else RequestVerdict("allow", "a person acts here")
        )
        if verdict.action == "ask" and not fact.leaks and await self._person_takes_over():
            verdict = RequestVerdict("allow", "a person acts here")
        leaves = event.leaves and watcher is None
        if leaves and verdict.action == "allow":
            verdict = RequestVerdict("ask", LEAVES, strict=True)
        matters = fact.changes or bool(fact.leaks) or leaves
        reason, asked, allow = verdict.reason, verdict.action == "ask", verdict.action == "allow"
        row: int | None = None
        if matters:
            try:
                row = self._gateway.journal.request(**self._row(fact, verdict))
            except StorageError as error:  # what can't be written down isn't done, except by a person
                reason, asked, allow = error.message, False, watcher is not None
        if watcher is None and not self._acted and matters and not fact.navigates and not declined:
            self._habits.note(sending)
        try:
            if asked:
                request = HeldRequest(fact, verdict, self._cause, None if verdict.strict else learn)
                ask = partial(self._ask, event.id)
                shows = partial(self._release, event.id, "ask")
                decision = await (self._destinations.ask(request, ask, shows) if leaves else ask(request))
                reason, allow = decision.reason, decision.allow
        except asyncio.CancelledError as cancelled:
            reason, allow = "somebody took over or stopped it", False
            if _DRIVEN_OFF in cancelled.args:
                reason, asked = _DRIVEN_OFF, True
        if asked and not allow:
            self._declined.note(sending)
        released = await self._release(event.id, "allow" if allow else "block")
        ending: Ending = "gone" if not released else "sent" if allow else "blocked"
        if not released and self._losses > losses:
            ending, reason = "unknown", reason if reason == _DRIVEN_OFF else _LOST
        if row is not None:
            self._gateway.journal.request_ended(row, ending, reason)
        if matters and watcher is not None:
            watcher.sent(fact)
        elif matters and self._acted:
            self._keep_outcome(RequestOutcome(fact, ending, reason, asked), act)

    def _keep_outcome(self, outcome: RequestOutcome, act: ActRequests) -> None:
        outcome = replace(outcome, began=act.began)
        self._outcomes.append(outcome)
        act.decided(outcome)

    async def _free_watcher(self) -> RequestWatcher | None:
        """Who only watches, if a person acts here; None if requests are judged."""
        if self._watcher is not None and not self._person_acts.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._person_acts.wait(), INPUT_SECONDS)
        return self._watcher if self._person_acts.is_set() else None

    async def _person_takes_over(self) -> bool:
        """Whether a person acts where an agent or a skill has just left; the report of it may come a moment later."""
        if not self._lingers:
            return False
        with suppress(TimeoutError):
            await asyncio.wait_for(self._person_acts.wait(), INPUT_SECONDS)
        return self._person_acts.is_set()

    def _read(self, event: RequestPaused) -> RequestFact:
        secrets = self._gateway.secrets
        headers = "\n".join(event.headers.values())
        carried = secrets.carried(f"{event.url}\n{headers}\n{event.body or ''}")
        origin = origin_of(event.url)
        return read_request(
            event.method,
            event.url,
            content_type=event.content_type,
            headers=event.headers,
            body=event.body,
            size=event.size,
            from_origin=event.frame_origin,
            navigates=event.navigation,
            secrets=carried,
            leaks=[name for name in carried if origin not in secrets.bound_to(name)],
        )

    def _learnable(self, event: RequestPaused, fact: RequestFact) -> RequestKind | None:
        """What a rule for a request would be for; steps that can't be undone neither make rules nor use them."""
        if self._irreversible or not fact.changes:
            return None
        return learnable_request(fact, event.headers, event.content_type, event.body)

    def _judge(
        self,
        event: RequestPaused,
        fact: RequestFact,
        learn: RequestKind | None,
        *,
        habitual: bool,
        acted: bool,
    ) -> RequestVerdict:
        send_allowlist = self._review is not None and self._review.send_allowlist
        said = None if send_allowlist else self._announced
        rule = None if send_allowlist else self._gateway.rules.match_request(learn)
        verdict = judge_request(
            fact,
            acted=acted,
            habitual=habitual,
            announced=said is not None and said.covers(fact, pairs_of(event.content_type, event.body)),
            rule=rule.id if rule is not None else "",
        )
        if verdict.reason == ANNOUNCED:
            self._announced = None  # it was approved once
        return verdict

    async def _ask(self, id: str, request: HeldRequest) -> RequestDecision:
        review = self._review
        if review is None:
            return RequestDecision(False, "nobody is there to decide: the run had ended")
        await self._release(id, "ask")
        task = asyncio.current_task()
        assert task is not None
        self._asking.add(task)
        try:
            return await asyncio.wait_for(review.decide(request), ASK_SECONDS)
        except TimeoutError:
            return RequestDecision(False, f"nobody decided within {ASK_SECONDS:g} s")
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
        review = self._review
        return {
            "tab": self._tab, "run": review.key if review else None,
            "actor": self._journal_name if review else "person", "cause": self._cause if self._acted else "",
            "fact": fact.kept, "verdict": verdict.action, "verdict_reason": verdict.reason,
        }  # fmt: skip

    async def _hold(self, secrets: Collection[str] = ()) -> None:
        """Hold from now on, or as the secrets want it that are about to be filled in."""
        origins = self._gateway.secrets.filled_origins(secrets)
        if self._on and not self._lost and origins == self._secrets:
            return
        self._secrets = origins
        try:
            await self._switch(True)
            self.available = True
        except DebuggerUnavailable:
            self.available = False

    async def _keep(self, action: PreparedAction, secrets: Collection[str]) -> None:
        """From now on, nothing leaves the tab unasked for an origin that these secrets don't belong to."""
        if not secrets:
            return
        here = origin_of(action.call.frame_url or action.call.url)
        origins = self._gateway.secrets.shared_origins(secrets, here)
        self._destinations.clear()
        on = self._on and self.available
        settings = self._settings() if on else {}
        await self._send("pause_requests", {"on": on, "filled_origins": origins, **settings})

    def _settings(self) -> dict[str, Any]:
        words = {"words": sorted(CHANGE_WORDS), "new_tab_words": sorted(NEW_TAB_WORDS)}
        return words | {"secret_origins": self._secrets}

    async def _switch(self, on: bool) -> None:
        async with self._busy:
            if not on and not self._on:
                return
            params: dict[str, Any] = {"on": on}
            if on:
                params |= self._settings()
            self._on = on  # also where it fails half way: letting go is then requested all the same
            await self._send("pause_requests", params)
            self._lost = False

    def _leave(self) -> None:
        self._review = self._leaving = None
        task = asyncio.ensure_future(self._leave_quietly())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _leave_quietly(self) -> None:
        while self._open:  # what waits would be blocked
            await asyncio.wait(set(self._open))
        if not self._lingers:
            return  # somebody came meanwhile
        self._lingers = False
        try:
            await self._switch(False)
        except SkillbookError as error:
            _log.debug("requests are let go with the tab: %s", error)

    def _cancel_leaving(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        self._lingers = False

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def takes_over(command: str) -> bool:
    """Whether a person who does this on a page takes it over from whoever acts there: looking at it doesn't."""
    spec = COMMANDS[command]
    return not (spec.reads or spec.runs_script or spec.only_prepares)
