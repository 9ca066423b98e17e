"""Which calls pass without the approval that they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from skillbook.agents.state.step_records import RUN_CELL, PendingCall
from skillbook.errors import AgentError

StepEnd = Literal["call", "write", "line", "end"]
Until = Literal["write", "irreversible"] | Callable[[PendingCall], bool]


@dataclass
class Auto:
    """Which calls pass without the approval that they need, until one waits; those to be seen by a person always wait.

    Parameters
    ----------
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

    Raises
    ------
    AgentError: another word for `until`.
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

    Raises
    ------
    AgentError: another word for `until`, or a negative number.
    """
    if not callable(until) and until not in ("write", "irreversible"):
        raise AgentError(
            f"There is no until={until!r}.",
            hint="Use 'write', 'irreversible', or a function of the pending call.",
        )
    if n is not None and n < 0:
        raise AgentError(f"{n} calls can't pass.", hint="Give a number from 0, or None for as many as come.")
    return Auto(n, until)
