"""Who decides on the requests that a run's actions cause: the person, asked as for any other call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from skillbook.policy.request_facts import RequestFact
from skillbook.policy.rules import Actor
from skillbook.session.page.act_requests import (
    NOT_SENT,
    HeldRequest,
    RequestDecision,
    RequestOutcome,
    in_words,
)

if TYPE_CHECKING:
    from skillbook.agents.state.run_context import RunContext


class RunRequests:
    """The held requests of one run: a `skillbook.session.page.act_requests.RequestReview`.

    Parameters
    ----------
    context : what the run shares.
    ask : asks the person about one request.
    """

    actor: Actor = "agent"
    send_allowlist = False

    def __init__(self, context: RunContext, ask: Callable[[HeldRequest], Awaitable[RequestDecision]]) -> None:
        self._context = context
        self._ask = ask
        self._pages: list[Any] = []

    @property
    def key(self) -> str:
        """What names the call that is being carried out in the journal."""
        return self._context.journal_key()

    @property
    def announced_is_approved(self) -> bool:
        """Whether the person approved this very call, rather than a number of calls in advance."""
        return self._context.decisions.get(self._context.call_id, {}).get("seen") is True

    async def decide(self, request: HeldRequest) -> RequestDecision:
        """Ask the person about one request."""
        return await self._ask(request)

    async def join(self) -> None:
        """Hold what the page that the run works on sends."""
        page = self._context.page
        if page is None or page.closed:
            return
        if page not in self._pages:
            self._pages.append(page)
        await page.requests.attach(self)

    async def leave(self, *, at_once: bool = False) -> None:
        """The run ends: stay for what its last actions send, unless it was stopped, then let the pages go."""
        for page in self._pages:
            await page.requests.detach(self, at_once=at_once)
        late, steps = self._outcomes(), self._context.steps
        if late and steps:
            steps[-1].extra.setdefault("sent", []).extend(_sent(late))
            steps[-1].result += f"\n{in_words(late)}"
        self._pages = []

    async def hand_over(self) -> None:
        """The person is asked to do something in the page: nothing is held until the run acts again."""
        if self._context.page is not None:
            await self._context.page.requests.release_held_requests()

    def report(self, began: float = 0.0) -> str:
        """What became of requests since the last report to the model, in words; empty where there were none.

        `began` is when the call began, on the monotonic clock: what earlier ones caused isn't this one's. The step that
        is being carried out keeps what was sent, for the skill that may be made of the run.
        """
        outcomes = self._outcomes()
        if sent := _sent(outcomes):
            self._context.notes.extra.setdefault("sent", []).extend(sent)
        notes = self._context.notes
        if notes.act is None:
            mine = [str(each) for each in outcomes if each.ending == "blocked" and each.began >= began]
            notes.refused = "; ".join(mine)
            notes.error = notes.error or (NOT_SENT if mine else None)
        return in_words(outcomes)

    def _outcomes(self) -> list[RequestOutcome]:
        return [outcome for page in self._pages for outcome in page.requests.take_outcomes()]


def _sent(outcomes: list[RequestOutcome]) -> list[RequestFact]:
    return [outcome.fact for outcome in outcomes if outcome.ending == "sent"]
