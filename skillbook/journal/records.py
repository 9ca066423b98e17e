"""What the journal keeps of a step."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a step ended. `UNKNOWN` is what an intent without outcome means: it may have happened."""

    OK = "ok"
    ERROR = "error"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class JournalStep:
    """One step as read back.

    `intent_time` and `outcome_time` are seconds since 1970. `target` is the element's ref, role and name, `locator`
    the role selector that finds it again. `reason` is why the policy judged as it did, `observation` what the page
    looked like afterwards: address, and what changed. `thumbnail` is a small JPEG screenshot.
    """

    id: int
    session: str
    command: str
    actor: str
    effect: str
    verdict: str
    intent_time: float
    tab: int | None = None
    run: str | None = None
    url: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    target: dict[str, Any] = field(default_factory=dict)
    outcome: Outcome = Outcome.UNKNOWN
    outcome_time: float | None = None
    elapsed_ms: float | None = None
    result: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    locator: str = ""
    observation: dict[str, Any] = field(default_factory=dict)
    thumbnail: bytes | None = field(default=None, repr=False)

    @property
    def was_done(self) -> bool:
        """Whether it was carried out; where only a request of it failed, or some were refused, it was, too."""
        return self.outcome is Outcome.OK or (
            self.outcome is Outcome.ERROR and self.error.get("code") in {"request_failed", "not_sent"}
        )


@dataclass(frozen=True)
class Measure:
    """How long a reading took that is no step of its own, such as a snapshot."""

    name: str
    time: float
    elapsed_ms: float
    ok: bool


@dataclass(frozen=True)
class JournalRequest:
    """A request that was held while an agent or a skill worked on a page.

    `cause` is the action that it followed, in words. `fact` is what it was, by the names of
    `RequestFact` of the policy; of a WebSocket that the page had opened before, `origin` and `path` are
    empty. `verdict` is the policy's ("allow" or "ask"), `ending` what became of it: "sent", "blocked", "gone" (the page
    gave it up) or "unknown" (the debugger was driven off, the connection lost, or the kernel killed), and `reason` why.
    `count` is how many messages, for those of a WebSocket, which can't be held.
    """

    id: int
    session: str
    time: float
    tab: int | None
    run: str | None
    actor: str
    cause: str
    fact: dict[str, Any]
    verdict: str = "allow"
    ending: str = "unknown"
    reason: str = ""
    count: int | None = None
