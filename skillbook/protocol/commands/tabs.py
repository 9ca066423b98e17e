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


class Acknowledged(WireModel):
    """Nothing to say but that it happened."""


class NoParams(WireModel):
    """No parameters."""


class TabsOpenParams(WireModel):
    url: str = Field(description="Where to go; about:blank for an empty tab.")
    active: bool = Field(True, description="Bring the tab to the front.")
    wait: Literal["load", "dom", "none"] = Field("load", description="What to wait for.")
    cassette: Literal["off", "record", "replay"] = Field(
        "off",
        description="Record what the tab exchanges with the network, or answer for the network, from the start.",
    )
    watch_bytes: int | None = Field(
        None,
        gt=0,
        description="Report the tab's requests from the start, as watch_network does, and keep so much of answers.",
    )


TABS_COMMANDS = (
    Command(
        name="tabs_open",
        params=TabsOpenParams,
        result=TabResult,
        effect=Effect.WRITE,
        description="Open a URL in a new shared tab.",
        phrase="Open",
        scope="browser",
        destination="url",
        on_any_page=True,
        on_any_origin=True,
        custom_tool=True,
    ),
    Command(
        name="tabs_list",
        params=NoParams,
        result=TabsResult,
        effect=Effect.READ,
        description="List the shared tabs.",
        phrase="List the tabs",
        scope="browser",
        on_any_document=True,
        quiet=True,
        custom_tool=True,
    ),
    Command(
        name="tabs_switch",
        params=NoParams,
        result=TabResult,
        effect=Effect.WRITE,
        description="Bring this tab to the front.",
        phrase="Go on in another tab",
        on_any_page=True,
        on_any_origin=True,
        under_dialog=True,
        after_crash=True,
        custom_tool=True,
    ),
    Command(
        name="tabs_close",
        params=NoParams,
        result=Acknowledged,
        effect=Effect.WRITE,
        description="Close this tab.",
        phrase="Close a tab",
        on_any_page=True,
        on_any_origin=True,
        under_dialog=True,
        after_crash=True,
        custom_tool=True,
    ),
)
