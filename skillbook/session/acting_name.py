"""What the journal calls an agent that isn't a run of ours, such as whoever types commands into a terminal."""

from __future__ import annotations

from contextvars import ContextVar

acting_name: ContextVar[str] = ContextVar("skillbook_acting_name", default="")
"""Set by a door for all that it carries out. The policy judges an agent all the same."""


def journal_name(actor: str) -> str:
    """The actor as the journal has it."""
    return acting_name.get() or actor if actor == "agent" else actor
