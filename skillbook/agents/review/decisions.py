"""Decisions that no panel gives: calls that pass by a rule, decisions of a cassette, and who decides on requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from skillbook.agents.state.step_records import RUN_CELL, PendingCall
from skillbook.errors import AgentError
from skillbook.policy.request_facts import RequestFact
from skillbook.policy.rules import Actor
from skillbook.session.cassette import current
from skillbook.session.page.act_requests import (
    NOT_SENT,
    HeldRequest,
    RequestDecision,
    RequestOutcome,
    in_words,
)

if TYPE_CHECKING:
    from skillbook.agents.state.run_context import RunContext


StepEnd = Literal["call", "write", "line", "end"]
Until = Literal["write", "irreversible"] | Callable[[PendingCall], bool]


@dataclass
class Auto:
    """Which calls pass without the approval that they need, until one waits; those to be seen by a person always wait.

    left: how many; None for any number.
    until: the first one that doesn't pass: `write`, `irreversible`, or what a function says of the pending call.
    by_code: whether code said so, which a cassette's replay runs again; else a person in a panel.
    """

    left: int | None = 0
    until: Until = "irreversible"
    by_code: bool = True

    def takes(self, pending: PendingCall) -> bool:
        """Whether a call passes."""
        effect = pending.review.effect
        if self.until == "write":
            ends = effect not in {"read", "none"}
        elif self.until == "irreversible":
            ends = effect == "irreversible"
        else:
            ends = bool(self.until(pending))
        if ends or self.left == 0:
            return False
        if self.left is not None:
            self.left -= 1
        return True


def go_past(until: StepEnd, at: PendingCall | None) -> Callable[[PendingCall], bool] | None:
    """Which calls a step goes past without a pause: those of the cell at which it begins, up to `until`.

    Raises AgentError: another word for `until`.
    """
    if until not in ("call", "write", "line", "end"):
        raise AgentError(f"There is no until={until!r}.", hint="Use 'call', 'write', 'line' or 'end'.")
    here = at.cell if at is not None else None
    if until == "call" or here is None:
        return None

    def passes(pending: PendingCall) -> bool:
        cell = pending.cell
        if cell is None or pending.tool == RUN_CELL or (here.line and cell.number != here.number):
            return False
        if until == "write":
            return pending.review.effect in {"read", "none"}
        return until == "end" or cell.line == here.line

    return passes


def make_auto(n: int | None, until: Until) -> Auto:
    """Which calls pass without being asked about.

    Raises AgentError: another word for `until`, or a negative number.
    """
    if not callable(until) and until not in ("write", "irreversible"):
        raise AgentError(
            f"There is no until={until!r}.",
            hint="Use 'write', 'irreversible', or a function of the pending call.",
        )
    if n is not None and n < 0:
        raise AgentError(f"{n} calls can't pass.", hint="Give a number from 0, or None for as many as come.")
    return Auto(n, until)


def record_decision(pending: PendingCall, decision: dict[str, Any] | None) -> None:
    """Keep a decision where a cassette is recorded; None for one that code gave."""
    cassette = current()
    if cassette is not None and not cassette.replaying:
        cassette.decisions.record(_described(pending), decision)


def replayed_decision(pending: PendingCall) -> dict[str, Any] | None:
    """What the person decided on the call that waits; None where code did, or no cassette is replayed.

    Raises CassetteMismatch: another call waits than when it was recorded.
    """
    cassette = current()
    return (
        None if cassette is None or not cassette.replaying else cassette.decisions.replay(_described(pending))
    )


def _described(pending: PendingCall) -> dict[str, Any]:
    review = pending.review
    place = {"place": review.place} if review.place else {}
    return {"tool": pending.tool, "args": pending.args, "target": review.target, **place}


class RunRequests:
    """The held requests of one run: a `skillbook.session.page.act_requests.RequestReview`.

    ask: asks the person about one request.
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

    async def judge(self, request: HeldRequest) -> RequestDecision:
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
