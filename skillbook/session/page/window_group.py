"""Windows that can script one another: requests of all of them are decided on as of one, and go only where they may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from skillbook.policy import Call, Policy
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.request_shape import Habits
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands.read import ShownField
from skillbook.session.page.act_requests import (
    ActLog,
    HeldRequest,
    RequestDecision,
    RequestOutcome,
    RequestReview,
    RequestWatcher,
)

LEAVES = "a secret was filled in here, and it doesn't belong to that site"


class Destinations:
    """The answers so far, by origin; on the I/O thread only."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[RequestDecision]] = {}

    def clear(self) -> None:
        """Forget them: another secret was filled in."""
        self._answers.clear()

    async def ask(
        self,
        request: HeldRequest,
        decide: Callable[[HeldRequest], Awaitable[RequestDecision]],
        keep_waiting: Callable[[], Awaitable[object]],
    ) -> RequestDecision:
        """Decide on a request; the first answer for its origin holds for the rest.

        A request that may change something, or that carries a secret, is asked about all the same.

        request: one that goes where the secret doesn't belong.
        keep_waiting: has the browser hold it until the first answer is there.
        """
        known = self._answers.get(request.fact.origin)
        if known is not None:
            if not known.done():
                await keep_waiting()
            first = await asyncio.shield(known)  # if it was stopped, so is this
            if not first.allow or request.verdict.reason == LEAVES:
                return first
        mine: asyncio.Future[RequestDecision] = asyncio.get_running_loop().create_future()
        self._answers.setdefault(request.fact.origin, mine)
        try:
            decision = await decide(request)
        except asyncio.CancelledError:
            self._answers.pop(request.fact.origin, None)
            mine.cancel()
            raise
        mine.set_result(decision)
        return decision


class Member(Protocol):
    """A window of a group."""

    open: set[asyncio.Task[None]]


M = TypeVar("M", bound=Member)
_APPROVED: WeakKeyDictionary[RequestReview, set[str]] = WeakKeyDictionary()
"""Origins that a person approved, for whoever acts: also in tabs that they come to later."""


class WindowGroup(Generic[M]):
    """Who acts in windows that can script one another, and what is known of their requests; on the I/O thread only.

    members: the windows whose requests are paused for the same reason; each window is in one group.
    review: who decides at the moment.
    watcher: who only notes what is sent.
    person_acts: set once a person's input was seen in one of the windows.
    acted: whether anything was done since the agent or skill came.
    habits: what the pages sent by themselves before that.
    declined: what was refused: a page that goes on trying makes no habit of it.
    announced: what the approved call said that it sends.
    irreversible: whether the last call can't be undone.
    shown, button: the fields with labels that its form has, and the button that sends that.
    approved_origins: where a document may go although its origin isn't allowed, since a person approved it.
    cause: the last call, in words.
    leaving: the timer that ends the pausing after an agent or a skill left; `lingers` until then.
    """

    def __init__(self, member: M) -> None:
        self.members = [member]
        self.review: RequestReview | None = None
        self.journal_name = ""
        self.watcher: RequestWatcher | None = None
        self.person_acts = asyncio.Event()
        self.acted = False
        self.acts: ActLog | None = None
        self.habits = Habits()
        self.declined = Habits()
        self.announced: RequestFact | None = None
        self.irreversible = False
        self.shown: Sequence[ShownField] = ()
        self.button = ""
        self.approved_origins: set[str] = set()
        self.destinations = Destinations()
        self.cause = ""
        self.last_action = 0.0
        self.outcomes: list[RequestOutcome] = []
        self.leaving: asyncio.TimerHandle | None = None
        self.lingers = False

    @property
    def in_use(self) -> bool:
        """Whether an agent or a skill acts in the windows, or left them a moment ago, or a person is recorded there."""
        return self.review is not None or self.watcher is not None or self.lingers

    @property
    def waiting(self) -> set[asyncio.Task[None]]:
        """Requests that wait for a decision."""
        return {task for member in self.members for task in member.open}

    def begin(self, review: RequestReview, journal_name: str, after: WindowGroup[M] | None = None) -> None:
        """Another agent or skill comes.

        after: the windows' group until now, if another one has just acted there: what that may have caused isn't the
            page's own doing.
        """
        self.review, self.acted, self.acts = review, after is not None, None
        self.journal_name = journal_name
        if after is None:
            self.habits.clear()
        elif after is not self:
            self.habits.update(after.habits)
            self.last_action = after.last_action
        self.outcomes.clear()
        self.approved_origins = _APPROVED.setdefault(review, set())

    def approve_destination(self, call: Call, policy: Policy) -> None:
        """What was approved with a call is where it goes, too."""
        origin = origin_of(call.destination or "")
        if origin is not None and origin not in policy.missing_origins(call):
            self.approved_origins.add(origin)

    def stop_watching(self) -> None:
        """From now on it isn't known what is sent."""
        watcher, self.watcher = self.watcher, None
        if watcher is not None:
            watcher.missed_requests()

    def cancel_leaving(self) -> None:
        """Somebody came before the pausing ended."""
        if self.leaving is not None:
            self.leaving.cancel()
            self.leaving = None
        self.lingers = False
