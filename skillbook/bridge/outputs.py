"""What the state machine wants done; the server does it, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skillbook.errors import SkillbookError
from skillbook.protocol.envelopes import AskMessage, Event


@dataclass(frozen=True, slots=True)
class Send:
    """Send a frame on a connection."""

    connection: int
    frame: bytes


@dataclass(frozen=True, slots=True)
class Close:
    """Close a connection, after what was sent before has gone out."""

    connection: int
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Settle:
    """A request is done: with a result, or with an error where there is one."""

    id: int
    result: Any = None
    error: SkillbookError | None = None


@dataclass(frozen=True, slots=True)
class Deliver:
    """An event arrived, once and in order."""

    event: Event


@dataclass(frozen=True, slots=True)
class TakeAsk:
    """A person wants something of the kernel; the answer goes to the connection that it came on."""

    connection: int
    ask: AskMessage


@dataclass(frozen=True, slots=True)
class Changed:
    """The machine's status changed."""


Output = Send | Close | Settle | Deliver | TakeAsk | Changed
