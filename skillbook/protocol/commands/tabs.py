"""Tabs: the commands that work on the browser rather than on a page."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skillbook.protocol.commands.registry import Command, Effect
from skillbook.protocol.model import WireModel


class Tab(WireModel):
    """One shared tab."""

    id: int
    url: str
    title: str
    status: Literal["loading", "complete"]
    active: bool


class TabResult(WireModel):
    tab: Tab


class TabsResult(WireModel):
    tabs: list[Tab]


class Done(WireModel):
    """Nothing to say but that it happened."""


class NoParams(WireModel):
    """No parameters."""


class TabsOpenParams(WireModel):
    url: str = Field(description="Where to go; about:blank for an empty tab.")
    active: bool = Field(True, description="Bring the tab to the front.")
    wait: Literal["load", "dom", "none"] = Field("load", description="What to wait for.")


TABS_COMMANDS = (
    Command(
        "tabs_open",
        TabsOpenParams,
        TabResult,
        Effect.WRITE,
        "Open a URL in a new shared tab.",
        scope="browser",
    ),
    Command("tabs_list", NoParams, TabsResult, Effect.READ, "List the shared tabs.", scope="browser"),
    Command("tabs_switch", NoParams, TabResult, Effect.WRITE, "Bring this tab to the front."),
    Command("tabs_close", NoParams, Done, Effect.WRITE, "Close this tab."),
)
