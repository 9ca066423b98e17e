"""Whether a page is at rest: what acts have caused in it, and whether that has ended."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.model import WireModel


class SettledParams(WireModel):
    since: str | None = Field(
        None,
        description="The id of an act: what it and later acts and loads have caused; None for all that is known.",
    )
    need: Literal["answers", "rest"] = Field(
        "rest",
        description="Rest before something is read; answers of an act include those at which the page never looks.",
    )
    budget_ms: int = Field(ge=0, le=60_000, description="How long at most.")


class OpenEffect(WireModel):
    """Something that an act has caused and that has not ended; its words come from the page."""

    kind: str = Field(
        max_length=80, description="What it is, such as request, timer, frame, message or socket."
    )
    detail: str = Field(max_length=80, description="In plain words, such as `POST /search`.")
    url: str | None = None
    age_ms: int = Field(ge=0)


class SettledResult(WireModel):
    state: Literal["rest", "waiting", "never"] = Field(
        description="At rest; still waiting when the time was over; or nothing is open but what never ends."
    )
    waiting: list[OpenEffect] = Field([], description="What is still open.")
    never: list[OpenEffect] = Field([], description="What goes on for ever, and isn't waited for.")
    waited_ms: int = Field(ge=0)
    script: bool = Field(
        description="Whether the page's own causes are known; else the worker's part alone decided."
    )


SETTLED_COMMANDS = (
    Command(
        name="page_settled",
        params=SettledParams,
        result=SettledResult,
        effect=Effect.READ,
        description="Wait until what acts have caused in a page has ended.",
        internal=True,
        quiet=True,
        on_any_page=True,
        on_any_document=True,
    ),
)
