"""What is decided on a held request and by whom, and who only notes what is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from skillbook.policy.request_facts import RequestFact, RequestVerdict
from skillbook.policy.request_rules import RequestRule
from skillbook.policy.rules import Actor

Ending = Literal["sent", "blocked", "gone", "unknown"]


@dataclass(frozen=True)
class HeldRequest:
    """A request that waits for a decision: what it is, why it is asked about, and what caused it, in words.

    `learn` is what a rule made with the approval would allow, `form` the rule that its form only reads; None if none
    may be made.
    """

    fact: RequestFact
    verdict: RequestVerdict
    cause: str
    learn: RequestRule | None = None
    form: RequestRule | None = None

    def __str__(self) -> str:
        return f"{self.cause} wants to send {self.fact}: {self.verdict.reason}"


@dataclass(frozen=True)
class RequestDecision:
    """Whether a request may go, and who said so and why."""

    allow: bool
    reason: str


@dataclass(frozen=True)
class RequestOutcome:
    """A request that was decided on, and what became of it; `began` is when the act that caused it did."""

    fact: RequestFact
    ending: Ending
    reason: str
    asked: bool
    began: float = field(default=0.0, repr=False, compare=False)

    def __str__(self) -> str:
        if self.ending == "sent":
            return f"sent {self.fact}"
        if self.ending == "unknown":
            return f"{self.fact} may have been sent: {self.reason}"
        if self.ending == "gone":
            return f"the page gave up {self.fact} before it was decided on; nothing was sent"
        return f"{self.fact} was not allowed ({self.reason}); it was not sent"


class RequestReview(Protocol):
    """Decides on requests that the policy asks about, for one who acts: an agent's run, or a replayed skill."""

    key: str
    """What names the acting run or replay in the journal; for an agent it names the call too."""
    actor: Actor

    @property
    def send_allowlist(self) -> bool:
        """Whether its list of requests (a skill's `sends:`) alone decides; cards and learned rules allow nothing."""

    @property
    def announced_is_approved(self) -> bool:
        """Whether a person saw the card of the call that is being carried out, with what it said it would send."""

    async def decide(self, request: HeldRequest) -> RequestDecision:
        """Decide on one request; several may wait at once."""


class RequestWatcher(Protocol):
    """Notes what is sent while a person acts: nothing of that is decided on, all of it goes."""

    def sent(self, fact: RequestFact) -> None:
        """A request that may change something went."""

    def missed_requests(self) -> None:
        """From now on, or for a while, it isn't known what is sent."""


def in_words(outcomes: Iterable[RequestOutcome]) -> str:
    """What requests became of, a line each."""
    return "\n".join(f"- {outcome}" for outcome in outcomes)
