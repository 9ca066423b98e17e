"""Facts that the extension reports by itself. One entry here is one event."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.model import WireModel


class TabOpened(WireModel):
    """A shared tab appeared: opened by us, by a shared page, or shared by the user."""

    tab: Tab
    opener: int | None = None
    shared_by: Literal["kernel", "page", "user"]


class TabUpdated(WireModel):
    """A shared tab's address, title or loading state changed."""

    tab: Tab


class TabClosed(WireModel):
    """A shared tab is gone, or the user no longer shares it."""

    reason: Literal["closed", "unshared", "crashed"]


class DialogOpened(WireModel):
    """A JavaScript dialog holds the page until it is answered."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default: str = ""


class DebuggerDetached(WireModel):
    """Trusted input stopped working on a tab."""

    reason: str


class Stop(WireModel):
    """The user pressed stop: what this kernel had under way was cancelled, and its runs are to end."""

    cancelled: int = Field(ge=0, description="How many commands were cut short.")


EVENTS: dict[str, type[WireModel]] = {
    "tab_opened": TabOpened,
    "tab_updated": TabUpdated,
    "tab_closed": TabClosed,
    "dialog_opened": DialogOpened,
    "debugger_detached": DebuggerDetached,
    "stop": Stop,
}
